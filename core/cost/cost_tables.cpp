#include "core/cost/cost_tables.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>

#include "core/base/diagnostics.hpp"
#include "core/base/number_text.hpp"
#include "core/cost/boundaries.hpp"
#include "core/cost/rounding.hpp"
#include "core/cost/unrolled_units.hpp"
#include "core/cost/work_left.hpp"
#include "core/hardware/further_keys.hpp"
#include "core/hardware/imc/imc_array.hpp"
#include "core/hardware/layer_sparsity.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/workload/layer.hpp"
#include "core/workload/operand_layout.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {

UnrolledLevels::UnrolledLevels(const Layer& layer, const OperandSpatialMapping& mapping) {
  for (const std::vector<UnrolledLoop>& level : mapping.levels) {
    for (const UnrolledLoop& loop : level) {
      const int dimension = layer.loop_index(loop.dimension);
      if (dimension < 0) {
        throw InputError(fmt::format("layer '{}' has no loop {}, which the spatial mapping unrolls",
                                     layer.name, loop.dimension));
      }
      loops_.push_back({dimension, loop.factor});
    }
    ends_[levels_++] = static_cast<std::uint32_t>(loops_.size());
  }
}

namespace {

/// The rules that tables follow from.
constexpr bool Rules::*rules_of_tables[] = {&Rules::data_in_whole_units, &Rules::sums_sent_as_results,
                                            &Rules::fills_of_average_round,
                                            &Rules::overcounted_window_positions};

/// Others do not reach the tables, so that same_tables() cannot be wrong.
Rules those_of_tables(const Rules& rules) {
  Rules those;
  for (bool Rules::*const rule : rules_of_tables) those.*rule = rules.*rule;
  return those;
}

/// Rounded to three decimals, correctly in decimal.
double round_to_thousandths(double value) {
  if (value == std::trunc(value)) return value;
  return number_of(fmt::format("{:.3f}", value)).value_or(value);
}

void fill_operand(const Accelerator& accelerator, const Layer& layer, const MemoryHierarchy& hierarchy,
                  int operand, const Rules& rules, OperandTable& table) {
  const LayerOperand& tensor = layer.operands[operand];
  table.output = operand == 0;
  table.has_relations = layer.has_relations(operand);
  table.precision = tensor.precision;
  table.final_precision = table.output ? layer.final_output_precision : tensor.precision;
  const std::vector<Relevancy> relevancy = relevancies(layer, operand);
  table.elements = operand_elements(layer, operand, relevancy, rules);
  std::copy(relevancy.begin(), relevancy.end(), table.relevancy.begin());
  const int memory_operand = hierarchy.operand_index(layer.memory_operand(operand));
  if (memory_operand < 0) {
    throw InputError(fmt::format(
        "layer '{}': operand {} is assigned to memory operand '{}', which no memory of '{}' holds",
        layer.name, tensor.name, layer.memory_operand(operand), accelerator.name));
  }
  const std::vector<int>& levels = hierarchy.levels[memory_operand];
  if (levels.size() + 1 > max_memory_levels) {
    throw InputError(fmt::format("accelerator '{}': {} memory levels for {}; at most {} can be evaluated",
                                 accelerator.name, levels.size(), hierarchy.operands[memory_operand],
                                 max_memory_levels - 1));
  }
  table.levels = static_cast<int>(levels.size());
  table.held = held_bits_of(layer, operand, accelerator, levels);
  table.share_group.fill(-1);
  for (int level = 0; level < table.levels; ++level) {
    const Memory& memory = accelerator.memories[levels[level]];
    table.memory[level] = levels[level];
    table.size[level] = static_cast<double>(memory.size);
    for (int direction = 0; direction < direction_count; ++direction) {
      table.energy[level][direction] =
          is_read(static_cast<Direction>(direction)) ? memory.read_cost : memory.write_cost;
      const int port = hierarchy.port_of[levels[level]][memory_operand][direction];
      if (port < 0) continue;
      table.port[level][direction] = {static_cast<double>(memory.ports[port].bandwidth_min),
                                      static_cast<double>(memory.ports[port].bandwidth_max),
                                      memory.ports[port].efficiency};
    }
  }
}

/// Transfers that every mapping makes; partial sums, which only some do, are looked at per mapping.
void require_ports(const Accelerator& accelerator, const Layer& layer, const OperandTable& table,
                   int operand) {
  const auto require = [&](int level, Direction direction) {
    const int index = static_cast<int>(direction);
    if (table.port[level][index].bandwidth_max > 0) return;
    throw InputError(
        fmt::format("accelerator '{}': no port of memory level {} of operand {} (memory operand {}) serves "
                    "the direction '{}', which layer '{}' needs",
                    accelerator.name, level, layer.operands[operand].name, layer.memory_operand(operand),
                    direction_codes[index], layer.name));
  };
  for (int level = 0; level < table.levels; ++level) {
    const bool topmost = level + 1 == table.levels;
    require(level, table.output ? Direction::write_from_low : Direction::read_to_low);
    if (!topmost) require(level, table.output ? Direction::read_to_high : Direction::write_from_high);
  }
}

bool splits_window(const CostTables& tables, const OperandTable& operand, const UnrolledLevels& loops) {
  if (!operand.has_relations) return false;
  const auto unrolls = [&](std::size_t level, int loop) {
    return std::any_of(loops[level].begin(), loops[level].end(),
                       [&](const UnrolledFactor& factor) { return factor.dimension == loop; });
  };
  for (const Window& window : tables.windows)
    for (std::size_t output = 0; output < loops.size(); ++output)
      for (std::size_t filter = 0; filter < loops.size(); ++filter)
        if (output != filter && unrolls(output, window.output_loop) && unrolls(filter, window.filter_loop))
          return true;
  return false;
}

void fill_spatial(const CostTables& tables, const Layer& layer, const OperandTable& operand,
                  const OperandSpatialMapping& mapping, const Rules& rules, SpatialTable& table) {
  if (static_cast<int>(mapping.levels.size()) != operand.levels + 1) {
    throw InputError(
        fmt::format("layer '{}': the spatial mapping has {} levels for operand {}, the accelerator {}",
                    layer.name, mapping.levels.size(), mapping.operand, operand.levels + 1));
  }
  table.loops = UnrolledLevels(layer, mapping);
  const UnrolledUnits each = unrolled_units(tables, operand, table.loops);
  for (int level = 0; level <= operand.levels && operand.output && !rules.sums_sent_as_results; ++level)
    table.adds[level] = each.all[level] > each.relevant[level];
  PerLevel<double> unique{};
  for (int level = 0; level <= operand.levels; ++level) {
    const double units = units_from(each.all, level, operand.levels);
    table.unit_count[level] =
        tables.whole_units ? round_half_even(round_to_thousandths(units)) : snapped(units);
    unique[level] = units_from(each.relevant, level, operand.levels);
  }
  for (int level = 0; level < operand.levels; ++level) {
    const double boost = unique[level] / unique[level + 1];
    table.boost[level] = tables.whole_units ? round_half_even(boost) : snapped(boost);
  }
  table.boost[operand.levels] = 1;
  table.splits_window = !tables.whole_units && splits_window(tables, operand, table.loops);
  const auto loops = table.loops.all();
  const auto is_fraction = [](const UnrolledFactor& loop) {
    return snapped(loop.factor) != std::floor(snapped(loop.factor));
  };
  table.has_rounds_of_two_sizes = std::any_of(loops.begin(), loops.end(), is_fraction);
  table.works_in_part =
      !tables.whole_units && !rules.fills_of_average_round &&
      std::any_of(loops.begin(), loops.end(), [&](const UnrolledFactor& loop) {
        return operand.relevancy[loop.dimension] == Relevancy::irrelevant && is_fraction(loop);
      });
}

}  // namespace

namespace {

/// One rule for all keys that the originals do not have.
void refuse_unknown_to_originals(const Accelerator& accelerator, const Layer& layer, const Rules& rules) {
  if (!gives_original_figures(rules)) return;
  for (const LayerOperand& operand : layer.operands)
    if (operand.scale.any() || (&operand == &layer.operands.front() && layer.final_output_scale.any()))
      throw InputError(fmt::format(
          "layer '{}': numbers of {} are in blocks with scales, which ZigZag and Stream do not know: "
          "there are no figures of theirs (compat)",
          layer.name, operand.name));
  const std::string key = first_further_key(accelerator);
  if (key.empty()) return;
  throw InputError(
      fmt::format("accelerator '{}' has {}, which ZigZag and Stream do not know: there are no figures of "
                  "theirs (compat)",
                  accelerator.name, key));
}

/// Data that the service moves go by requests.
void add_requests(const Accelerator& accelerator, const Layer& layer, const PortTable& port,
                  const Service& service, CostTables& tables) {
  const Memory& memory = accelerator.memories[static_cast<std::size_t>(port.memory)];
  const Port& given = memory.ports[static_cast<std::size_t>(port.port)];
  const Request request = given.request->of(service.direction);
  OperandTable& operand = tables.operands[service.operand];
  TransferPort& transfer = operand.port[service.level][static_cast<int>(service.direction)];
  transfer.request_bits = 8 * static_cast<double>(request.bytes);
  transfer.request_cycles = request.cycles;
  if (std::exchange(operand.in_requests, true)) return;
  const std::string& name = layer.operands[static_cast<std::size_t>(service.operand)].name;
  const std::string* const innermost = innermost_dimension(layer, service.operand);
  if (innermost == nullptr)
    throw InputError(
        fmt::format("layer '{}': port '{}' of memory '{}' of '{}' makes requests, which take as long as {} "
                    "lies in memory: "
                    "mapping entry '{}' has no layout of {}; say which dimension is the innermost, as "
                    "layout: {{{}: [.., {}]}}",
                    layer.name, given.name, memory.name, accelerator.name, name, layer.mapping.name, name,
                    name, layer.operands[static_cast<std::size_t>(service.operand)].dimensions.back()));
  operand.innermost_loop = layer.loop_index(*innermost);
  for (std::size_t window = 0; window < layer.relations.size(); ++window)
    if (layer.relations[window].data == *innermost) operand.innermost_window = static_cast<int>(window);
}

/// Bits of an input.
std::int64_t whole_bits(const CostTables& tables, const OperandTable& operand) {
  const TileBits& stored = operand.held.at(operand.levels - 1, false);
  if (!stored.beside()) return operand.elements * operand.precision;
  return static_cast<std::int64_t>(std::ceil(stored.of_tile(
      static_cast<double>(operand.elements), [&](int loop) { return tables.iterations[loop]; })));
}

/// Cycles for all lines of the inputs that the port reads.
double line_cycles(const Port& port, const PortTable& table, const CostTables& tables) {
  if (!port.line) return 0;
  std::int64_t lines = 0;
  for (const Service& service : table.services) {
    const OperandTable& operand = tables.operands[service.operand];
    if (operand.output || service.direction != Direction::read_to_low) continue;
    lines += (whole_bits(tables, operand) + 8 * port.line->bytes - 1) / (8 * port.line->bytes);
  }
  return port.line->cold_cycles * static_cast<double>(lines);
}

/// Every operand lists all unrolled loops.
void fill_rounds(CostTables& tables, bool end_chains) {
  tables.rounds.fill(std::numeric_limits<std::int64_t>::max());
  if (!end_chains) return;
  std::array<double, max_loop_dimensions> units;
  units.fill(1);
  for (const UnrolledFactor& loop : tables.fractional[0].loops.all()) units[loop.dimension] *= loop.factor;
  for (int loop = 0; loop < tables.dimensions; ++loop)
    tables.rounds[loop] = static_cast<std::int64_t>(rounds_of(tables.iterations[loop], units[loop]));
}

}  // namespace

std::int64_t drain_cycles(const OperationalArray& array, const Layer& layer) {
  std::int64_t cycles = 0;
  for (const std::string& name : array.systolic_dimensions) {
    const ArrayUnrolling* unrolled = layer.mapping.spatial_mapping.find(name);
    if (unrolled == nullptr) continue;
    std::int64_t units = 1;
    for (const SpatialLoop& loop : unrolled->loops) {
      if (layer.loop_index(loop.dimension) >= 0)
        units *= std::min(loop.factor, layer.loop_size(loop.dimension));
    }
    cycles += std::max<std::int64_t>(std::min(units, array.find(name)->size) - 1, 0);
  }
  return cycles;
}

bool same_tables(const Rules& a, const Rules& b) {
  return std::all_of(std::begin(rules_of_tables), std::end(rules_of_tables),
                     [&](bool Rules::*const rule) { return a.*rule == b.*rule; });
}

CostTables::CostTables(const Accelerator& accelerator, const Layer& layer,
                       const SpatialMapping& fractional_mapping, const SpatialMapping& integral_mapping,
                       const Rules& all_rules)
    : dimensions(static_cast<int>(layer.loops.size())), whole_units(all_rules.data_in_whole_units) {
  if (layer.operands.size() > max_operands || layer.loops.size() > max_loop_dimensions) {
    throw InputError(fmt::format(
        "layer '{}' has {} loop dimensions and {} operands; at most {} and {} can be evaluated", layer.name,
        layer.loops.size(), layer.operands.size(), max_loop_dimensions, max_operands));
  }
  if (fractional_mapping.operands.size() != layer.operands.size() ||
      integral_mapping.operands.size() != layer.operands.size()) {
    throw InputError(fmt::format("layer '{}': the spatial mapping is one of another layer", layer.name));
  }
  refuse_unknown_to_originals(accelerator, layer, all_rules);
  const Rules rules = those_of_tables(all_rules);
  unit_energy = accelerator.array.unit_energy;
  if (accelerator.array.imc) {
    imc.emplace(accelerator, layer);
    step.at_peak = ImcArray(accelerator).cycles_per_operation();
  }
  step.efficiency = accelerator.array.efficiency;
  if (!accelerator.array.on_zero.empty()) {
    const WorkLeft left = work_left(accelerator, layer, fractional_mapping);
    unit_energy *= left.operations;
    step.useful = left.useful;
    step.made = left.rounds;
  }
  mac_count = layer.mac_count();
  unit_count = accelerator.array.unit_count();
  drain = drain_cycles(accelerator.array, layer);
  for (int loop = 0; loop < dimensions; ++loop)
    iterations[loop] = static_cast<double>(layer.loops[loop].size);
  windows = windows_of(layer, rules);
  window_of_loop.fill(-1);
  for (std::size_t index = 0; index < windows.size(); ++index) {
    for (const int loop : {windows[index].output_loop, windows[index].filter_loop}) {
      if (loop >= 0 && window_of_loop[loop] < 0) window_of_loop[loop] = static_cast<int>(index);
    }
  }
  const MemoryHierarchy& hierarchy = accelerator.hierarchy();
  operand_count = static_cast<int>(layer.operands.size());
  same_unrolling = !whole_units || fractional_mapping == integral_mapping;
  for (int index = 0; index < operand_count; ++index) {
    OperandTable& operand = operands[index];
    fill_operand(accelerator, layer, hierarchy, index, rules, operand);
    operand.made = step.made;
    require_ports(accelerator, layer, operand, index);
    fill_spatial(*this, layer, operand, fractional_mapping.operands[index], rules, fractional[index]);
    if (same_unrolling) {
      integral[index] = fractional[index];
    } else {
      fill_spatial(*this, layer, operand, integral_mapping.operands[index], rules, integral[index]);
    }
  }

  while (leading + 1 < operand_count && !operands[leading].has_relations) ++leading;
  fill_rounds(*this, !gives_original_figures(all_rules));
  array = ArrayTable(accelerator, layer, *this);
  for (int index = 0; index < operand_count; ++index) {
    for (int level = 0; level < operands[index].levels; ++level) {
      const double cycles = accelerator.memories[operands[index].memory[level]].tile_interval;
      if (cycles > 0) tile_intervals.push_back({{index, level}, cycles});
    }
  }

  for (std::size_t memory = 0; memory < accelerator.memories.size(); ++memory) {
    if (!accelerator.memories[memory].shared_tiles) continue;
    SharedTiles tiles;
    for (int index = 1; index < operand_count; ++index)
      for (int level = 0; level + 1 < operands[index].levels; ++level)
        if (operands[index].memory[level] == static_cast<int>(memory)) tiles.push_back({index, level});
    if (tiles.size() > 1) shared_tiles.push_back(std::move(tiles));
  }

  std::vector<int> assigned;  // operand of the layer, by memory operand
  std::vector<int> input;     // of the array, by memory operand: 1, 2, or 0
  assigned.reserve(hierarchy.operands.size());
  input.reserve(hierarchy.operands.size());
  share_groups.reserve(hierarchy.shared.size());
  for (const std::string& name : hierarchy.operands) {
    assigned.push_back(layer.operand_assigned_to(name));
    input.push_back(name == "I1" ? 1 : name == "I2" ? 2 : 0);
  }
  for (const auto& sharers : hierarchy.shared) {
    std::vector<OperandLevel>& group = share_groups.emplace_back();
    group.reserve(sharers.size());
    for (const auto& [memory_operand, level] : sharers) {
      if (assigned[memory_operand] >= 0) group.push_back({assigned[memory_operand], level});
    }
    for (const OperandLevel& member : group) {
      operands[member.operand].share_group[member.level] = static_cast<int>(share_groups.size()) - 1;
    }
  }
  for (std::size_t memory = 0; memory < accelerator.memories.size(); ++memory) {
    for (const ServingPort& serving : hierarchy.ports[memory]) {
      const Port& given = accelerator.memories[memory].ports[serving.port];
      PortTable& port = ports.emplace_back(
          PortTable{given.bandwidth(), false, {}, static_cast<int>(memory), serving.port, given.overlap});
      port.services.reserve(serving.services.size());
      bool first_input = false;
      bool second_input = false;
      for (const PortService& service : serving.services) {
        first_input = first_input || input[service.operand] == 1;
        second_input = second_input || input[service.operand] == 2;
        if (assigned[service.operand] >= 0) {
          port.services.push_back({assigned[service.operand], service.level, service.direction});
        }
      }
      port.serves_both_inputs = first_input && second_input;
      for (const Service& service : port.services)
        if (given.request && boundary_of(*this, service))
          add_requests(accelerator, layer, port, service, *this);
      port.line_cycles = line_cycles(given, port, *this);
    }
  }
}

}  // namespace zz::core
