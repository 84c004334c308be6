const std = @import("std");
const Allocator = std.mem.Allocator;

pub const max_size: usize = 1024;
var counter: u32 = 0;

/// A buffer.
pub const Buffer = struct {
    items: []u8,
    len: usize = 0,

    const Self = @This();

    /// Makes one.
    pub fn init(allocator: Allocator) Self {
        return .{ .items = allocator.alloc(u8, 10) };
    }

    fn grow(self: *Self) !void {
        self.len += 1;
    }
};

const Color = enum { red, green };

const Value = union(enum) {
    int: i64,
    none,
};

const Error = error{ OutOfMemory, Closed };

pub fn main() !void {
    std.debug.print("hi\n", .{});
}

test "buffer grows" {
    try std.testing.expect(true);
}
