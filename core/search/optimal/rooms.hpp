#pragma once
#include <array>
#include <limits>
#include <memory>
#include <vector>

#include "core/search/optimal/memory_fit.hpp"
#include "core/search/optimal/temporal_space.hpp"

namespace zz::core {

/// How much each operand may take of memories that it shares with others (MemoryFit::Group): a range of
/// sizes for each of them. What one takes at least the others cannot have. All mappings together are those
/// of two halves, and once the ranges are so narrow that the most of all fits, operands no longer depend on
/// each other there.
class Rooms {
 public:
  /// As much as there is.
  Rooms(const TemporalSpace& space, const MemoryFit& fit);

  /// `bits`: MemoryFit::least_bits with the loops below the upper cut.
  bool allow(int operand, int level, double bits) const {
    const Range& range = ranges_[operand][level];
    return bits >= range.least && bits <= range.most;
  }
  double most(int operand, int level) const { return ranges_[operand][level].most; }
  double least(int operand, int level) const { return ranges_[operand][level].least; }

  /// Somewhere, not all operands can take the most that they may.
  bool compete() const { return contested() != nullptr; }
  /// Two halves of what competes; those that nothing fits into are left out.
  std::vector<Rooms> halves() const;

 private:
  struct Range {
    double least = 0, most = std::numeric_limits<double>::infinity();
  };
  using Sizes = std::array<std::vector<std::vector<double>>, max_operands>;

  const MemoryFit::Group* contested() const;
  bool narrow();
  bool restrict_to_sizes(const MemoryFit::Group::Member& member);

  const MemoryFit* fit_;
  std::shared_ptr<const Sizes> sizes_;  ///< that are possible, rising, of members of groups
  std::array<std::array<Range, max_memory_levels>, max_operands> ranges_{};
};

}  // namespace zz::core
