defmodule Shop.Accounts do
  @moduledoc """
  Accounts of customers.
  """

  use GenServer
  import Ecto.Query, only: [from: 2]
  alias Shop.{Repo, User}

  @timeout 5_000
  @type id :: integer()

  defstruct [:name, age: 0]

  @doc "Finds a user."
  @spec find(id) :: User.t() | nil
  def find(id) when is_integer(id) do
    Repo.get(User, id)
  end

  def find(_other), do: nil

  defp normalize(name) do
    String.downcase(name)
  end

  defmacro debug(expr) do
    quote do: IO.inspect(unquote(expr))
  end

  defguard is_adult(age) when age >= 18

  @impl true
  def handle_call(:get, _from, state) do
    {:reply, state, state}
  end

  defmodule Error do
    defexception message: "failed"
  end
end

defprotocol Shop.Size do
  def size(value)
end

defimpl Shop.Size, for: List do
  def size(list), do: length(list)
end

defmodule Shop.AccountsTest do
  use ExUnit.Case

  describe "find/1" do
    test "returns nil" do
      assert Accounts.find(:x) == nil
    end
  end
end
