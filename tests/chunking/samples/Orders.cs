using System;
using System.Collections.Generic;

namespace Shop.Orders
{
    /// <summary>An order.</summary>
    [Serializable]
    public class Order : IComparable<Order>
    {
        private readonly List<string> _lines = new();
        public const int MaxLines = 50;
        public event EventHandler Changed;

        public int Total { get; private set; }

        public Order(int total) => Total = total;

        [Obsolete]
        public async Task<int> SaveAsync(string path)
        {
            await File.WriteAllTextAsync(path, "x");
            return 1;
        }

        public static Order operator +(Order a, Order b) => new(a.Total + b.Total);

        public string this[int index] => _lines[index];

        private enum State { Open, Closed }
    }

    public interface IStore
    {
        Order Find(int id);
    }

    public record Line(string Sku, int Count);

    public struct Money { public decimal Amount; }

    public delegate void Handler(object sender);
}
