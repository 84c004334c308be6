# frozen_string_literal: true

require 'net/smtp'
require_relative 'template'

module Mail
  VERSION = '1.2'

  # Sends messages.
  class Mailer < Base
    include Retry
    attr_accessor :host, :port
    DEFAULT_PORT = 25

    def initialize(host)
      @host = host
    end

    # Delivers now.
    def deliver!(message)
      message.each do |part|
        puts part
      end
    end

    def self.build(options = {})
      new(options[:host])
    end

    class << self
      def reset
        @count = 0
      end
    end

    private

    def empty? = @parts.empty?

    alias_method :send_now, :deliver!

    scope :recent, -> { order(:created_at) }
  end

  Point = Struct.new(:x, :y) do
    def norm
      x + y
    end
  end
end

def helper(value)
  value * 2
end

describe Mailer do
  it 'delivers' do
    expect(1).to eq 1
  end
end
