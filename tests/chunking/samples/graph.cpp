#include <vector>
#include "graph.hpp"

namespace geo {
namespace detail {

template <typename T>
class Graph : public Base<T> {
public:
    explicit Graph(int size) : size_(size) {}
    ~Graph();

    // Number of nodes.
    int size() const { return size_; }
    void add(const T& value);
    bool operator==(const Graph& other) const;

    struct Node {
        T value;
    };

private:
    int size_ = 0;
    static constexpr int kMax = 10;
};

template <typename T>
void Graph<T>::add(const T& value) {
    nodes_.push_back(value);
}

}  // namespace detail

enum class Color : int { Red, Green };

using Index = std::size_t;
constexpr double kScale = 2.5;

int Point::distance(const Point& other) const {
    return other.x - x;
}

std::ostream& operator<<(std::ostream& out, const Point& p) {
    return out << p.x;
}

template <typename T> concept Number = std::is_arithmetic_v<T>;

}  // namespace geo

extern "C" {
int c_entry(void) { return 0; }
}

TEST(GraphTest, AddsNodes) {
    EXPECT_EQ(1, 1);
}
