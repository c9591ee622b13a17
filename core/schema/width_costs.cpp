#include "core/schema/width_costs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/hardware/open_costs.hpp"
#include "core/value/name.hpp"

namespace zz::core {
namespace {

/// A path into a memory: "memories.l1" with what stands before and behind it.
struct MemoryPath {
  std::vector<std::string_view> memory;  ///< up to the name of the memory
  std::string_view last;
};

MemoryPath memory_path(const std::string& path) {
  MemoryPath found;
  const auto steps = steps_of(intern(path));
  for (std::size_t i = 0; i + 2 < steps.size(); ++i) {
    if (text_of(steps[i]) != "memories") continue;
    const std::size_t first = text_of(steps[0]) == "accelerator" ? 1 : 0;
    for (std::size_t step = first; step < i + 2; ++step) found.memory.push_back(text_of(steps[step]));
    found.last = text_of(steps.back());
    return found;
  }
  return found;
}

}  // namespace

std::string width_without_cost(const std::string& width, const std::string& cost) {
  return fmt::format(
      "{} varies and {} does not: an access costs the same however wide it is, so wide ports look cheap; "
      "vary "
      "r_cost and w_cost along",
      width, cost);
}

std::string warning_of_width_without_cost(std::span<const std::string> paths,
                                          const Accelerator* accelerator) {
  const auto is_filled = [&](const MemoryPath& path) {
    const int memory =
        accelerator == nullptr ? -1 : accelerator->memory_index(std::string(path.memory.back()));
    return memory >= 0 && is_open(accelerator->memories[static_cast<std::size_t>(memory)].read_cost);
  };
  std::vector<MemoryPath> all;
  for (const std::string& path : paths) all.push_back(memory_path(path));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].last != "bandwidth_max" || is_filled(all[i])) continue;
    const bool costed = std::any_of(all.begin(), all.end(), [&](const MemoryPath& other) {
      return other.last == "r_cost" && other.memory == all[i].memory;
    });
    if (!costed)
      return width_without_cost("'" + paths[i] + "'",
                                fmt::format("'r_cost' of '{}'", all[i].memory.back()));
  }
  return "";
}

}  // namespace zz::core
