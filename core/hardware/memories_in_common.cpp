#include "core/hardware/memories_in_common.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"

namespace zz::core {
namespace {

/// Index of the memory that `memory` of `owner` names, in `other`.
int named_by(const Memory& memory, const Accelerator& owner, const Accelerator& other) {
  std::vector<std::string> names;
  for (const Memory& known : other.memories) names.push_back(known.name);
  const auto found = std::find(names.begin(), names.end(), memory.shared_with);
  if (found == names.end())
    throw InputError(fmt::format("memory '{}' of '{}' is shared_with '{}', which '{}' lacks; {}",
                                 memory.name, owner.name, memory.shared_with, other.name,
                                 suggestion(memory.shared_with, names)));
  return static_cast<int>(found - names.begin());
}

void check_pair(const Accelerator& core, std::size_t of_core, const Accelerator& unit,
                std::size_t of_unit) {
  const Memory& one = core.memories[of_core];
  const Memory& other = unit.memories[of_unit];
  const std::string both = fmt::format("memory '{}' of '{}' and memory '{}' of '{}' are one (shared_with)",
                                       one.name, core.name, other.name, unit.name);
  if (one.size != other.size)
    throw InputError(fmt::format("{}, but have {} and {} bits", both, one.size, other.size));
  for (const auto& [accelerator, memory] : {std::pair(&core, &one), std::pair(&unit, &other)})
    if (const auto count = accelerator->instances(*memory); count != 1)
      throw InputError(
          fmt::format("{}, but '{}' has '{}' {} times", both, accelerator->name, memory->name, count));
  const bool off_chip = core.is_topmost(of_core);
  if (off_chip != unit.is_topmost(of_unit))
    throw InputError(
        fmt::format("{}, but only '{}' has it as its topmost one", both, off_chip ? core.name : unit.name));
}

}  // namespace

std::vector<int> memories_in_common(const Accelerator& core, const Accelerator& unit) {
  std::vector<int> common(core.memories.size(), -1);
  const auto join = [&](std::size_t of_core, std::size_t of_unit) {
    if (common[of_core] == static_cast<int>(of_unit)) return;
    const auto taken = std::find(common.begin(), common.end(), static_cast<int>(of_unit));
    if (common[of_core] >= 0 || taken != common.end())
      throw InputError(fmt::format(
          "shared_with makes '{}' of '{}' and '{}' of '{}' one memory, but one of them is shared with "
          "another one already",
          core.memories[of_core].name, core.name, unit.memories[of_unit].name, unit.name));
    check_pair(core, of_core, unit, of_unit);
    common[of_core] = static_cast<int>(of_unit);
  };
  for (std::size_t index = 0; index < core.memories.size(); ++index)
    if (!core.memories[index].shared_with.empty())
      join(index, static_cast<std::size_t>(named_by(core.memories[index], core, unit)));
  for (std::size_t index = 0; index < unit.memories.size(); ++index)
    if (!unit.memories[index].shared_with.empty())
      join(static_cast<std::size_t>(named_by(unit.memories[index], unit, core)), index);
  return common;
}

}  // namespace zz::core
