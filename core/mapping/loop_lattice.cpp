#include "core/mapping/loop_lattice.hpp"

#include <algorithm>

namespace zz::core {
namespace {

constexpr std::int64_t most_iterations = std::int64_t{1} << 62;

}  // namespace

std::shared_ptr<const LoopLattice> LoopLattice::make(const std::vector<RemainingLoop>& loops,
                                                     std::size_t most_points) {
  const std::shared_ptr<LoopLattice> lattice(new LoopLattice);
  if (loops.size() > static_cast<std::size_t>(most_loops)) return nullptr;
  std::int64_t total = 1;
  for (const RemainingLoop& loop : loops) {
    if (loop.size < 2 || total > most_iterations / loop.size) return nullptr;
    total *= loop.size;
    if (const int known = lattice->kind_of(loop); known >= 0) {
      ++lattice->kinds_[static_cast<std::size_t>(known)].count;
    } else {
      lattice->kinds_.push_back({loop.dimension, loop.size, 1, 0});
    }
  }
  std::size_t points = 1;
  for (Kind& kind : lattice->kinds_) {
    kind.stride = static_cast<std::uint32_t>(points);
    points *= static_cast<std::size_t>(kind.count) + 1;
    if (points > most_points) return nullptr;
  }
  lattice->iterations_.assign(points, 1);
  for (const Kind& kind : lattice->kinds_) {
    // The points of all kinds before this one are done: repeat them once for each loop of it.
    for (std::size_t point = kind.stride; point < kind.stride * (static_cast<std::size_t>(kind.count) + 1);
         ++point)
      lattice->iterations_[point] = lattice->iterations_[point - kind.stride] * kind.size;
  }
  return lattice;
}

int LoopLattice::kind_of(const RemainingLoop& loop) const {
  const auto found = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& kind) {
    return kind.dimension == loop.dimension && kind.size == loop.size;
  });
  return found == kinds_.end() ? -1 : static_cast<int>(found - kinds_.begin());
}

}  // namespace zz::core
