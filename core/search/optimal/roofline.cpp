#include "core/search/optimal/roofline.hpp"

#include <numeric>

#include "core/cost/work_left.hpp"
#include "core/hardware/imc/imc_array.hpp"
#include "core/search/optimal/detail/compulsory_bound.hpp"
#include "core/search/optimal/mapping_problem.hpp"

namespace zz::core {
namespace {

/// The machine with nothing but sizes, units and widths of ports.
std::shared_ptr<const Accelerator> at_its_peak(Accelerator machine) {
  machine.array.efficiency = 1;
  machine.array.fold.reset();
  machine.array.instruction.reset();
  for (Memory& memory : machine.memories) {
    memory.tile_interval = 0;
    memory.shared_tiles = false;
    for (Port& port : memory.ports) {
      port.efficiency = port.overlap = 1;
      port.line.reset();
      port.request.reset();
    }
  }
  return std::make_shared<const Accelerator>(std::move(machine));
}

}  // namespace

Roofline roofline(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                  const CostModelOptions& model) {
  const std::shared_ptr<const Accelerator> machine = at_its_peak(*accelerator);
  SpatialUnrolling nothing;
  for (const ArrayDimension& dimension : machine->array.dimensions)
    nothing.dimensions.push_back({dimension.name, {}});
  Roofline found;
  const double cycles = machine->array.imc ? ImcArray(*machine).cycles_per_operation() : 1;
  found.operations = static_cast<double>(layer.mac_count()) * least_work_left(*machine, layer).useful *
                     cycles / static_cast<double>(machine->array.unit_count());
  for (const auto& port : compulsory_cost(unrolled_problem(layer, machine, nothing, model)).ports)
    found.data = std::max(found.data, std::accumulate(port.begin(), port.end(), 0.0));
  return found;
}

}  // namespace zz::core
