#include "core/cost/cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/cost/audit.hpp"
#include "core/cost/compact_form.hpp"
#include "core/cost/detail/evaluated_boundaries.hpp"
#include "core/cost/detail/parts_of_mapping.hpp"
#include "core/cost/rounding.hpp"
#include "core/hardware/imc/imc_array.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

class CostModel::State {
 public:
  std::shared_ptr<const Accelerator> accelerator;
  std::shared_ptr<const Layer> layer;
  std::shared_ptr<const SpatialMapping> fractional;
  std::shared_ptr<const SpatialMapping> integral;
  CostModelOptions options;
  CostTables tables{*accelerator, *layer, *fractional, *integral, options.rules};
  Boundaries boundaries{tables};
};

namespace {

/// Share of a memory that the operands hold which share it, in the fullest round.
double utilization(const CostTables& tables, const Boundaries& boundaries, const EvaluatedBoundaries& costs,
                   int operand, int level) {
  const auto share = [&](const OperandLevel& held) {
    const int low = boundaries.number(held.operand, held.level);
    return held_bits(costs[low], costs[low + 1]) / tables.operands[held.operand].size[held.level];
  };
  const int group = tables.operands[operand].share_group[level];
  if (group < 0) return share({operand, level});
  double sum = 0;
  for (const OperandLevel& member : tables.share_groups[static_cast<std::size_t>(group)])
    sum += share(member);
  return sum;
}

LevelCost level_cost(const BoundaryCost& low, const BoundaryCost& high) {
  LevelCost cost;
  for (const int direction : {read_to_low, write_from_low}) {
    cost.accesses[direction] = low.accesses[direction];
    cost.energy_by_direction[direction] = low.energy[direction];
  }
  for (const int direction : {read_to_high, write_from_high}) {
    cost.accesses[direction] = high.accesses[direction];
    cost.energy_by_direction[direction] = high.energy[direction];
  }
  cost.energy = memory_energy(low, high);
  return cost;
}

}  // namespace

CostModel::CostModel(std::shared_ptr<const Accelerator> accelerator, std::shared_ptr<const Layer> layer,
                     std::shared_ptr<const SpatialMapping> spatial_mapping,
                     std::shared_ptr<const SpatialMapping> spatial_mapping_int,
                     const CostModelOptions& options)
    : state_(new State{std::move(accelerator), std::move(layer), std::move(spatial_mapping),
                       std::move(spatial_mapping_int), options}) {}
CostModel::~CostModel() = default;
CostModel::CostModel(CostModel&&) noexcept = default;

const CostTables& CostModel::tables() const { return state_->tables; }
const Boundaries& CostModel::boundaries() const { return state_->boundaries; }
const CostModelOptions& CostModel::options() const { return state_->options; }

Score CostModel::score(const CompactMapping& mapping) const {
  return EvaluatedBoundaries(state_->tables, state_->options, state_->boundaries, mapping).combined.score();
}

CompactMapping CostModel::compact(const TemporalMapping& mapping) const {
  std::vector<int> levels;
  for (int operand = 0; operand < state_->tables.operand_count; ++operand)
    levels.push_back(state_->tables.operands[operand].levels);
  const CompactMapping compact = compact_form(*state_->layer, levels, mapping);
  for (const SharedTiles& tiles : state_->tables.shared_tiles) {
    const auto loops_in = [&](const OperandLevel& at) {
      return compact.loops_below(at.operand, at.level + 1);
    };
    const OperandLevel& first = tiles.front();
    for (const OperandLevel& other : tiles) {
      if (loops_in(other) == loops_in(first)) continue;
      const Layer& layer = *state_->layer;
      throw InputError(fmt::format(
          "temporal mapping of layer '{}': the tiles in memory '{}' are shared (shared_tiles), but that of "
          "{} has "
          "{} loops and that of {} has {}",
          layer.name,
          state_->accelerator->memories[state_->tables.operands[first.operand].memory[first.level]].name,
          layer.operands[first.operand].name, loops_in(first), layer.operands[other.operand].name,
          loops_in(other)));
    }
  }
  return compact;
}

Latency CostModel::latency(const CompactMapping& mapping) const {
  return EvaluatedBoundaries(state_->tables, state_->options, state_->boundaries, mapping).combined.latency;
}

Evaluation CostModel::evaluate(std::shared_ptr<const TemporalMapping> mapping) const {
  const CostTables& tables = state_->tables;
  const Boundaries& boundaries = state_->boundaries;
  const Layer& layer = *state_->layer;
  const CompactMapping loops = compact(*mapping);
  const EvaluatedBoundaries costs(tables, state_->options, boundaries, loops);
  const CombinedCost& combined = costs.combined;
  const Latency& latency = combined.latency;
  if (combined.missing_port) {
    throw NoResult(
        fmt::format("layer '{}': this mapping moves partial sums through a memory of '{}' that has no port "
                    "for that direction",
                    layer.name, state_->accelerator->name));
  }
  Evaluation evaluation;
  evaluation.accelerator = state_->accelerator;
  evaluation.layer = state_->layer;
  evaluation.spatial_mapping = state_->fractional;
  evaluation.spatial_mapping_int = state_->integral;
  evaluation.temporal_mapping = std::move(mapping);
  evaluation.cost_model = state_->options;
  evaluation.mac_energy = combined.mac_energy;
  evaluation.mem_energy = combined.memory_energy;
  evaluation.energy_total = combined.energy_total;
  const std::int64_t rounds =
      ceil_quotient(static_cast<double>(tables.mac_count), static_cast<double>(tables.unit_count));
  evaluation.ideal_cycle = std::ceil(static_cast<double>(rounds) * tables.step.at_peak);
  if (tables.step.useful < 1)
    evaluation.ideal_cycle = std::min(evaluation.ideal_cycle * tables.step.useful, latency.ideal);
  if (!layer.vector_work) evaluation.mac_count = static_cast<double>(tables.mac_count);
  evaluation.clock_period = state_->accelerator->clock_period;
  evaluation.ideal_temporal_cycle = latency.ideal;
  evaluation.array_cycle = latency.array;
  evaluation.latency_total0 = latency.computation;
  evaluation.latency_total1 = latency.computation + latency.onloading;
  evaluation.latency_total2 = latency.total();
  evaluation.data_onloading_cycle = latency.onloading;
  evaluation.data_offloading_cycle = latency.offloading;
  evaluation.systolic_drain_cycle = latency.drain;
  if (tables.imc) {
    evaluation.imc = ImcArray(*state_->accelerator, state_->options.rules).figures(*state_->accelerator);
    if (evaluation.clock_period == 0) evaluation.clock_period = evaluation.imc->tclk();
    evaluation.imc->energy =
        tables.imc->with_repeats(repeats_at_units(tables, loops, tables.imc->weight_operand));
  }
  for (int index = 0; index < tables.operand_count; ++index) {
    OperandCost cost{layer.operands[index].name, {}};
    for (int level = 0; level < tables.operands[index].levels; ++level) {
      const int low = boundaries.number(index, level);
      LevelCost entry = level_cost(costs[low], costs[low + 1]);
      entry.memory = state_->accelerator->memories[tables.operands[index].memory[level]].name;
      entry.utilization = utilization(tables, boundaries, costs, index, level);
      cost.levels.push_back(std::move(entry));
    }
    evaluation.operands.push_back(std::move(cost));
  }
  fill_parts(evaluation, *this, loops, costs.all());
  const Rules& rules = state_->options.rules;
  const bool originals = rules.data_in_whole_units || rules.faster_than_ports ||
                         rules.room_of_average_round || rules.overcounted_window_positions;
  const std::vector<std::string> broken =
      audit(evaluation, originals ? AuditScope::arithmetic : AuditScope::all);
  if (!broken.empty()) {
    throw InputError(fmt::format("layer '{}' on '{}': its figures break the rule of {}", layer.name,
                                 state_->accelerator->name, broken.front()));
  }
  return evaluation;
}

}  // namespace zz::core
