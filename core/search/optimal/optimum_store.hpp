#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/search/optimal/optimal_joint_mapping.hpp"

namespace zz::core {

/// Proven optima of a session, which runs many times with small changes. A layer whose search would be the
/// same is not searched again; one whose accelerator has other costs is searched from the earlier optimum
/// (find_joint_optimum). [any]
class OptimumStore {
 public:
  struct Found {
    std::shared_ptr<const JointOptimum> optimum;  ///< nullptr: none
    bool same = false;  ///< the search would find it again; else only costs differ
  };
  /// The same one; else of those that fit the one whose bound carries over the highest, the latest of
  /// several.
  Found find(const Layer& layer, const Accelerator& accelerator, const JointOptions& options) const;

  /// Keeps an optimum that is proven as far as was asked for, found without limits of energy or latency.
  void add(const Layer& layer, const JointOptions& options, const JointOptimum& optimum);

 private:
  static constexpr std::size_t most_bytes = std::size_t{1} << 28;  ///< of bounds; then it starts afresh
  static constexpr std::size_t most_of_a_layer = 16;               ///< then the oldest is forgotten

  struct Entry {
    Layer layer;
    JointOptions options;
    std::shared_ptr<const JointOptimum> optimum;
  };

  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::deque<Entry>> entries_;  ///< by sizes of loops; latest first
  std::size_t bytes_ = 0;
};

}  // namespace zz::core
