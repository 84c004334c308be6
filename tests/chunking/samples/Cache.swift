import Foundation
import UIKit.UIView

let maxItems = 10
var shared: Cache?

/// Stores things.
public protocol Storing {
    associatedtype Value
    var count: Int { get }
    func store(_ value: Value)
}

@objc
public final class Cache: NSObject {
    private var items: [String: Int] = [:]
    static let limit = 5

    init(limit: Int) {
        self.limit = limit
    }

    deinit {
        items.removeAll()
    }

    // Looks up.
    public func value(for key: String) -> Int? {
        return items[key]
    }

    subscript(key: String) -> Int? {
        return items[key]
    }
}

extension Cache: Storing {
    func store(_ value: Int) {
        items["x"] = value
    }
}

struct Point {
    var x = 0
}

enum Direction: String {
    case north, south
    case east

    func turn() -> Direction { .north }
}

actor Worker {
    func run() async {}
}

typealias Handler = (Int) -> Void

func main() {
    print(maxItems)
}
