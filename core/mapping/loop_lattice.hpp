#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace zz::core {

/// A loop that remains in time: index into Layer::loops and number of iterations.
struct RemainingLoop {
  int dimension = 0;
  std::int64_t size = 1;

  bool operator==(const RemainingLoop&) const = default;
};

/// The loops that a search permutes, as a set of kinds with their numbers.
///
/// The data of a memory below some loop depend on which loops are below, and not on their order. So the
/// orders are paths through a lattice with one point for every choice of loops: six different loops
/// have 720 orders, but only 64 points. Tables over points are therefore small, and to go up by one loop is
/// one addition.
class LoopLattice {
 public:
  struct Kind {
    int dimension = 0;  ///< index into Layer::loops
    std::int64_t size = 1;
    int count = 0;             ///< loops of this kind
    std::uint32_t stride = 0;  ///< from a point to that with one more loop of the kind
  };
  using Point = std::uint32_t;  ///< 0: no loop is below
  static constexpr int most_loops = 21;

  /// nullptr when there would be more than `most_points` points, most_loops loops or 2^62 iterations, or
  /// when a loop has a single iteration.
  static std::shared_ptr<const LoopLattice> make(const std::vector<RemainingLoop>& loops,
                                                 std::size_t most_points);

  const std::vector<Kind>& kinds() const { return kinds_; }
  /// Index into kinds(), or -1.
  int kind_of(const RemainingLoop& loop) const;

  std::size_t points() const { return iterations_.size(); }
  Point all() const { return static_cast<Point>(points() - 1); }  ///< every loop is below
  /// Iterations of all loops below a point.
  std::int64_t iterations(Point point) const { return iterations_[point]; }
  int placed(Point point, int kind) const {
    const Kind& of_kind = kinds_[static_cast<std::size_t>(kind)];
    return static_cast<int>(point / of_kind.stride % (static_cast<Point>(of_kind.count) + 1));
  }

 private:
  LoopLattice() = default;

  std::vector<Kind> kinds_;
  std::vector<std::int64_t> iterations_;
};

}  // namespace zz::core
