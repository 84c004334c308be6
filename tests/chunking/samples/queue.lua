-- A queue.
local json = require("json")
local util = require "util.table"

local MAX = 10
local Queue = {}
Queue.__index = Queue

--- Makes a queue.
-- @return Queue
function Queue.new(size)
  local self = setmetatable({}, Queue)
  self.size = size
  return self
end

function Queue:push(value)
  self.items[#self.items + 1] = value
end

local function helper(x)
  return x * 2
end

Queue.pop = function(self)
  return table.remove(self.items, 1)
end

local clear = function() end

local handlers = {
  on_open = function(event)
    print(event)
  end,
  limit = 3,
}

function global_reset()
  Queue = nil
end

return Queue
