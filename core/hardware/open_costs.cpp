#include "core/hardware/open_costs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/diagnostics.hpp"

namespace zz::core {

std::vector<std::string> open_costs(const Accelerator& accelerator) {
  std::vector<std::string> open;
  const auto look = [&](double cost, const char* key, const std::string& part) {
    if (is_open(cost)) open.push_back(fmt::format("{} of {}", key, part));
  };
  look(accelerator.array.unit_energy, "unit_energy", "the operational array");
  look(accelerator.array.unit_area, "unit_area", "the operational array");
  for (const Memory& memory : accelerator.memories) {
    const std::string part = "memory '" + memory.name + "'";
    look(memory.read_cost, "r_cost", part);
    look(memory.write_cost, "w_cost", part);
    look(memory.area, "area", part);
  }
  return open;
}

void check_costs_are_told(const Accelerator& accelerator) {
  const std::vector<std::string> open = open_costs(accelerator);
  if (open.empty()) return;
  throw InputError(
      fmt::format("accelerator '{}' leaves costs open (auto), which no stage has filled: {}; put "
                  "ComponentCostStage below "
                  "AcceleratorParserStage",
                  accelerator.name, fmt::join(open, ", ")));
}

void check_costs_are_told(const MultiCoreAccelerator& accelerator) {
  for (const auto& core : accelerator.cores) check_costs_are_told(*core);
}

}  // namespace zz::core
