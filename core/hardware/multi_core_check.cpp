#include "core/hardware/multi_core_check.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <utility>

#include "core/hardware/layer_sparsity.hpp"
#include "core/hardware/top_memories.hpp"

namespace zz::core {
namespace {

class MultiCoreChecker {
 public:
  MultiCoreChecker(const MultiCoreAccelerator& accelerator, Diagnostics& diagnostics)
      : accelerator_(accelerator), diagnostics_(diagnostics) {}

  void check() {
    if (accelerator_.cores.empty()) error("it has no cores");
    if (accelerator_.cores.size() > most_cores) {
      error(fmt::format("it has {} cores; at most {} are possible", accelerator_.cores.size(), most_cores));
      return;
    }
    if (std::find(accelerator_.cores.begin(), accelerator_.cores.end(), nullptr) !=
        accelerator_.cores.end()) {
      error("a core is missing");
      return;
    }
    check_special_cores();
    if (accelerator_.core_count() > 1) check_zeros();
    for (std::size_t i = 0; i < accelerator_.links.size(); ++i) check_link(i);
    for (std::size_t i = 0; i < accelerator_.connections.size(); ++i) check_connection(i);
    for (const std::vector<int>& cores : accelerator_.shared_memories) check_shared(cores);
  }

 private:
  void error(const std::string& message) {
    diagnostics_.error({}, fmt::format("accelerator '{}': {}", accelerator_.name, message));
  }

  bool is_core(int id) const { return id >= 0 && id < accelerator_.core_count(); }

  bool check_core(int id, const std::string& what) {
    if (is_core(id)) return true;
    error(fmt::format("{} names core {}; the cores are 0 to {}", what, id, accelerator_.core_count() - 1));
    return false;
  }

  /// Tensors that move between cores are dense.
  void check_zeros() {
    for (int id = 0; id < accelerator_.core_count(); ++id)
      if (const Accelerator& core = *accelerator_.cores[static_cast<std::size_t>(id)]; counts_zeros(core))
        error(fmt::format("core {}, '{}', has on_zero or a format; zeros are counted on a single core", id,
                          core.name));
  }

  void check_special_cores() {
    std::vector<int> special;
    const auto check = [&](const std::optional<int>& core, const char* name) {
      if (!core) return;
      check_core(*core, name);
      if (std::find(special.begin(), special.end(), *core) != special.end())
        error(fmt::format("core {} has two roles, one of them {}", *core, name));
      special.push_back(*core);
    };
    check(accelerator_.pooling_core, "pooling_core");
    check(accelerator_.simd_core, "simd_core");
    check(accelerator_.offchip_core, "offchip_core");
  }

  void check_link(std::size_t index) {
    const Link& link = accelerator_.links[index];
    const std::string what = fmt::format("link {}", index);
    if (!(link.bandwidth >= smallest_link_bandwidth))
      error(fmt::format("bandwidth of {} is {}; it must be {} bits per cycle or more", what, link.bandwidth,
                        smallest_link_bandwidth));
    if (!(link.unit_energy >= 0) || std::isinf(link.unit_energy))
      error(fmt::format("unit_energy of {} is {}; it must be 0 pJ or more", what, link.unit_energy));
    if (link.sender >= 0) check_core(link.sender, what);
    if (link.receiver >= 0) check_core(link.receiver, what);
  }

  void check_connection(std::size_t index) {
    const Connection& connection = accelerator_.connections[index];
    const std::string what = fmt::format("connection {}", index);
    check_core(connection.from, what);
    check_core(connection.to, what);
    if (connection.from == connection.to)
      error(fmt::format("{} joins core {} to itself", what, connection.to));
    if (connection.link < 0 || static_cast<std::size_t>(connection.link) >= accelerator_.links.size())
      error(fmt::format("{} uses link {}; there are {} links", what, connection.link,
                        accelerator_.links.size()));
    if (!joined_.emplace(connection.from, connection.to).second)
      error(fmt::format("core {} is joined to core {} twice", connection.from, connection.to));
  }

  void check_shared(const std::vector<int>& cores) {
    if (cores.size() < 2) error("a list of cores that share memories needs two cores or more");
    for (const int core : cores)
      if (!check_core(core,
                      fmt::format("the list [{}] of cores that share memories", fmt::join(cores, ", "))))
        return;
    for (std::size_t i = 0; i < cores.size(); ++i) {
      for (std::size_t j = i + 1; j < cores.size(); ++j) check_pair(cores[i], cores[j]);
    }
  }

  void check_pair(int core, int other) {
    const Accelerator& first = *accelerator_.cores[core];
    const Accelerator& second = *accelerator_.cores[other];
    if (core == other) {
      error(fmt::format("core {} is said to share memories with itself", core));
      return;
    }
    if (!have_common_top_memory(first, second)) {
      error(fmt::format(
          "cores {} and {} are said to share memories, but '{}' and '{}' have no topmost memory "
          "of the same name",
          core, other, first.name, second.name));
    }
    for (const int m : top_memory_indices(first)) {
      for (const int n : top_memory_indices(second)) {
        const Memory& memory = first.memories[m];
        if (memory.name != second.memories[n].name || is_same(memory, second.memories[n])) continue;
        error(fmt::format("cores {} and {} share the memory '{}', but it is not the same in '{}' and '{}'",
                          core, other, memory.name, first.name, second.name));
      }
    }
  }

  /// The arrays that a shared memory serves may differ.
  static bool is_same(const Memory& memory, Memory other) {
    other.served_dimensions = memory.served_dimensions;
    return memory == other;
  }

  const MultiCoreAccelerator& accelerator_;
  Diagnostics& diagnostics_;
  std::set<std::pair<int, int>> joined_;
};

}  // namespace

void check_multi_core(const MultiCoreAccelerator& accelerator, Diagnostics& diagnostics) {
  MultiCoreChecker(accelerator, diagnostics).check();
}

void check_routes(const MultiCoreAccelerator& accelerator, Diagnostics& diagnostics) {
  for (int from = 0; from < accelerator.core_count(); ++from) {
    std::vector<int> unreachable;
    for (int to = 0; to < accelerator.core_count(); ++to) {
      if (to != from && accelerator.route(from, to).empty() && !accelerator.share_memory(from, to))
        unreachable.push_back(to);
    }
    if (unreachable.empty()) continue;
    diagnostics.error({}, fmt::format("accelerator '{}': there is no way from core {} ('{}') to core{} {}",
                                      accelerator.name, from, accelerator.cores[from]->name,
                                      unreachable.size() > 1 ? "s" : "", fmt::join(unreachable, ", ")));
  }
}

}  // namespace zz::core
