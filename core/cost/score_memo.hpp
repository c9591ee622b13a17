#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace zz::core {

/// The figures that searches compare, bit for bit those of CostModel::evaluate(); NaN where that has no
/// result.
struct Score {
  double energy_total = 0;    ///< pJ
  double latency_total2 = 0;  ///< cycles
  double latency_total0 = 0;  ///< cycles, without loading and off-loading
};

/// Scores that one cost model has given already. Loop orders that hold the same data for the same time cost
/// the same, and of hundreds of orders only dozens differ in that. Not for several threads at once.
class ScoreMemo {
 public:
  /// The place for the score of a key, all keys being of one length; `is_new` when it must be filled in.
  /// Valid until the next call.
  Score& at(std::span<const std::uint64_t> key, bool& is_new);

  std::vector<std::uint64_t>& scratch() { return scratch_; }  ///< room for making keys

 private:
  static constexpr std::size_t most_entries = 4096;  ///< then it starts afresh

  void grow();

  std::vector<std::uint64_t> keys_;
  std::vector<std::uint64_t> hashes_;
  std::vector<Score> scores_;
  std::vector<std::uint32_t> slots_;  ///< entry + 1, or 0
  std::vector<std::uint64_t> scratch_;
};

}  // namespace zz::core
