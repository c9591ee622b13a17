#pragma once
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "core/components/memory_cost.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// CACTI as a source for SRAM: the program that the user has, with the configuration `cache.cfg` beside it,
/// to which the lines that the question decides are added. Each question is asked once.
class Cacti {
 public:
  /// `program` is the path of the binary. Throws Error(ZZ_E_INVALID) when there is none, or no
  /// configuration.
  explicit Cacti(std::string program);

  /// Bytes and widths are rounded up to whole ones. `stage` runs the program. Throws Error(ZZ_E_INVALID)
  /// with what the program said when its answer lacks a figure. [any thread]
  core::components::ComponentCost cost(const Stage& stage,
                                       const core::components::MemoryComponent& question) const;

 private:
  using Key = std::tuple<double, double, double, int>;
  core::components::ComponentCost ask(const Stage& stage,
                                      const core::components::MemoryComponent& question) const;

  std::string program_, configuration_;
  mutable std::mutex mutex_;
  mutable std::map<Key, core::components::ComponentCost> known_;
};

}  // namespace zz::plugins
