#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/hardware/multi_core_accelerator.hpp"
#include "core/multicore/graph/cut.hpp"
#include "core/search/methods/random_numbers.hpp"
#include "core/workload/workload.hpp"
#include "tests/unit/worlds/layers.hpp"

/// Networks so small that every schedule of them can be made.
namespace zz::test {

enum class TinyKind { chain, two_readers, spread, shared_memories, samples };
inline constexpr std::array all_tiny_kinds{TinyKind::chain, TinyKind::two_readers, TinyKind::spread,
                                           TinyKind::shared_memories, TinyKind::samples};

/// Two to four products or filters of a few iterations on two cores of configs/accelerators, in a row, with
/// a sum of two or with two that read one.
class TinyNetwork {
 public:
  TinyNetwork(TinyKind kind, core::RandomNumbers& random, int most_layers = 3);

  core::Workload workload() const { return network_.workload(); }
  core::MultiCoreAccelerator accelerator() const;
  int samples() const { return samples_; }
  /// The whole layer and so many cuts of it, or one more, some of them perhaps twice.
  std::vector<core::Cut> cuts(const core::Layer& layer, int count);

 private:
  int below(int count) { return random_.below(count); }
  std::int64_t one_of(const std::vector<std::int64_t>& sizes) {
    return sizes[static_cast<std::size_t>(below(static_cast<int>(sizes.size())))];
  }
  void add(core::Layer layer);
  void products(int layers);
  void filters(int layers);

  TinyKind kind_;
  core::RandomNumbers& random_;
  std::string name_;
  std::vector<std::int64_t> products_;
  std::int64_t simd_ = 0;
  int samples_ = 1;
  NetworkBuilder network_;
};

}  // namespace zz::test
