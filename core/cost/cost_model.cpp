#include "core/cost/cost_model.hpp"

#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>

#include "core/cost/audit.hpp"
#include "core/cost/best_orders.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/cost/data_footprint.hpp"
#include "core/cost/link_score.hpp"
#include "core/cost/link_tables.hpp"
#include "core/cost/loading.hpp"
#include "core/cost/loop_cycles.hpp"
#include "core/cost/memory_energy.hpp"
#include "core/cost/memory_use.hpp"
#include "core/cost/port_stalls.hpp"
#include "core/cost/rounding.hpp"
#include "core/cost/shared_scores.hpp"
#include "core/cost/transfers.hpp"
#include "core/diagnostics/diagnostics.hpp"
#include "core/hardware/imc/imc_array.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

class CostModel::Tables {
 public:
  std::shared_ptr<const CostTables> cost;
  std::shared_ptr<const Accelerator> accelerator;
  std::shared_ptr<const Layer> layer;
  std::shared_ptr<const SpatialMapping> fractional;
  std::shared_ptr<const SpatialMapping> integral;
  CostModelOptions options;
};

namespace {

/// All figures of one mapping.
struct Figures {
  MemoryUse use;
  MemoryEnergy energy;
  double energy_total = 0, mac_energy = 0;
  double ideal_cycle = 0, ideal_temporal_cycle = 0;
  double latency0 = 0, latency1 = 0, latency2 = 0;
  Loading loading;
};

/// All that the figures follow from: for how long which data are held where.
struct Holding {
  LoopCycles cycles;
  DataFootprint data;
  std::optional<DataFootprint> whole;  ///< with whole factors, when these differ
  double repeats = 1;                  ///< of weights in in-memory-computing cells

  Holding(const CostTables& tables, const CostModelOptions& options, const CompactMapping& mapping)
      : cycles(tables, mapping, options.same_data_free), data(tables, tables.fractional, mapping, cycles) {
    if (!tables.same_unrolling) whole.emplace(tables, tables.integral, mapping, cycles);
    if (tables.imc)
      repeats = static_cast<double>(repeats_at_units(tables, mapping, tables.imc->weight_operand));
  }
};

Figures figures_of(const CostTables& tables, const CostModelOptions& options, const Holding& holding) {
  const LoopCycles& cycles = holding.cycles;
  const DataFootprint& data = holding.data;
  const Transfers transfers(tables, tables.fractional, data, cycles);
  Figures figures{
      MemoryUse(tables, data), MemoryEnergy(tables, tables.fractional, transfers), 0, 0, 0, 0, 0, 0, 0, {}};
  figures.mac_energy = tables.imc ? tables.imc->with_repeats(holding.repeats).total()
                                  : tables.unit_energy * static_cast<double>(tables.mac_count);
  figures.energy_total = figures.energy.total + figures.mac_energy;

  const auto time = [&](const DataFootprint& held, const Transfers& moved) {
    const double operation = tables.cycles_per_operation;
    const std::int64_t stalls = stall_cycles(tables, moved, figures.use);
    const auto busy = static_cast<std::int64_t>(std::ceil(static_cast<double>(cycles.total) * operation));
    figures.loading = loading_cycles(tables, moved, held, busy + stalls, options.loading_uses_spare_cycles,
                                     options.zigzag_compat);
    const std::int64_t rounds =
        ceil_quotient(static_cast<double>(tables.mac_count), static_cast<double>(tables.unit_count));
    figures.ideal_cycle = std::ceil(static_cast<double>(rounds) * operation);
    figures.ideal_temporal_cycle = static_cast<double>(cycles.total) * operation;
    figures.latency0 = figures.ideal_temporal_cycle + static_cast<double>(stalls);
    figures.latency1 = figures.latency0 + figures.loading.onloading;
    figures.latency2 = figures.latency1 + figures.loading.offloading;
  };
  if (holding.whole) {
    time(*holding.whole, Transfers(tables, tables.integral, *holding.whole, cycles));
  } else {
    time(data, transfers);
  }
  return figures;
}

Score score_of(const Figures& figures) {
  if (figures.energy.missing_port) return {std::nan(""), std::nan(""), std::nan("")};
  return {figures.energy_total, figures.latency2, figures.latency0};
}

}  // namespace

CostModel::CostModel(std::shared_ptr<const Accelerator> accelerator, std::shared_ptr<const Layer> layer,
                     std::shared_ptr<const SpatialMapping> spatial_mapping,
                     std::shared_ptr<const SpatialMapping> spatial_mapping_int,
                     const CostModelOptions& options)
    : tables_(
          std::make_unique<Tables>(Tables{.cost = std::make_shared<const CostTables>(
                                              *accelerator, *layer, *spatial_mapping, *spatial_mapping_int),
                                          .accelerator = std::move(accelerator),
                                          .layer = std::move(layer),
                                          .fractional = std::move(spatial_mapping),
                                          .integral = std::move(spatial_mapping_int),
                                          .options = options})) {}
CostModel::CostModel(const CostModel& like, std::shared_ptr<const Layer> layer,
                     std::shared_ptr<const SpatialMapping> spatial_mapping,
                     std::shared_ptr<const SpatialMapping> spatial_mapping_int)
    : tables_(std::make_unique<Tables>(*like.tables_)) {
  tables_->layer = std::move(layer);
  tables_->fractional = std::move(spatial_mapping);
  tables_->integral = std::move(spatial_mapping_int);
}
bool CostModel::has_work_of(const Layer& layer, const SpatialMapping& spatial_mapping,
                            const SpatialMapping& spatial_mapping_int) const {
  return layer.loops == tables_->layer->loops && spatial_mapping == *tables_->fractional &&
         spatial_mapping_int == *tables_->integral && same_work(layer, *tables_->layer);
}

CostModel::~CostModel() = default;
CostModel::CostModel(CostModel&&) noexcept = default;

Score CostModel::score(const CompactMapping& mapping) const {
  const CostTables& tables = *tables_->cost;
  return score_of(figures_of(tables, tables_->options, Holding(tables, tables_->options, mapping)));
}

std::unique_ptr<LinkTables> CostModel::link_tables(std::shared_ptr<const LoopLattice> lattice) const {
  return std::make_unique<LinkTables>(*tables_->cost, tables_->options, std::move(lattice));
}

Score CostModel::score(const CompactMapping& mapping, LinkTables& links) const {
  if (links.usable()) {
    const LoopPath path(links.kinds(), mapping);
    const OrderCuts cuts(links, path, mapping);
    if (const auto score = score_by_links(*tables_->cost, tables_->options, cuts, links)) return *score;
  }
  return score(mapping);
}

std::unique_ptr<SharedScores> CostModel::shared_scores(std::shared_ptr<const LoopLattice> lattice) const {
  return std::make_unique<SharedScores>(*tables_->cost, tables_->options, std::move(lattice));
}

Score CostModel::score(const CompactMapping& mapping, SharedScores& shared) const {
  const LoopPath path(shared.links().kinds(), mapping);
  const std::optional<Score> known = shared.score(path, mapping);
  return known ? *known : score(mapping);
}

void CostModel::search(BestOrderSearch& question, const Threads& threads) const {
  SharedScores scores(*tables_->cost, tables_->options, question.lattice);
  find_best_orders(*tables_->cost, tables_->options, scores, question, threads);
}

CompactMapping CostModel::compact(const TemporalMapping& mapping) const {
  const Layer& layer = *tables_->layer;
  const auto refuse = [&](const std::string& what) {
    throw InputError(fmt::format("temporal mapping of layer '{}': {}", layer.name, what));
  };
  if (mapping.loops.size() > max_temporal_loops)
    refuse(fmt::format("more than {} loops", max_temporal_loops));
  if (mapping.operands.size() != layer.operands.size())
    refuse("it does not have the operands of the layer");
  CompactMapping compact;
  for (const TemporalLoop& loop : mapping.loops) {
    const int dimension = layer.loop_index(loop.dimension);
    if (dimension < 0) refuse(fmt::format("'{}' is no loop of the layer", loop.dimension));
    if (loop.size < 1) refuse(fmt::format("loop {} has {} iterations", loop.dimension, loop.size));
    compact.dimension[compact.loops] = static_cast<std::uint8_t>(dimension);
    compact.size[compact.loops++] = loop.size;
  }
  for (std::size_t operand = 0; operand < mapping.operands.size(); ++operand) {
    const OperandTemporalMapping& cuts = mapping.operands[operand];
    const std::size_t levels = static_cast<std::size_t>(tables_->cost->operands[operand].levels);
    if (cuts.operand != layer.operands[operand].name || cuts.stationary.size() != levels) {
      refuse(fmt::format("operand {} must be {} with {} memory levels", operand,
                         layer.operands[operand].name, levels));
    }
    int below = 0;
    for (std::size_t level = 0; level < levels; ++level) {
      if (cuts.stationary[level] < below) refuse(fmt::format("the cuts of {} decrease", cuts.operand));
      below = cuts.stationary[level];
      compact.stationary[operand][level] = static_cast<std::uint8_t>(below);
    }
    if (below != compact.loops)
      refuse(fmt::format("the topmost memory of {} does not hold all loops", cuts.operand));
  }
  return compact;
}

void CostModel::say_what_was_evaluated(Evaluation& evaluation,
                                       std::shared_ptr<const TemporalMapping> mapping) const {
  evaluation.accelerator = tables_->accelerator;
  evaluation.layer = tables_->layer;
  evaluation.spatial_mapping = tables_->fractional;
  evaluation.spatial_mapping_int = tables_->integral;
  evaluation.temporal_mapping = std::move(mapping);
}

Evaluation CostModel::evaluate_like(const Evaluation& known,
                                    std::shared_ptr<const TemporalMapping> mapping) const {
  Evaluation evaluation = known;
  say_what_was_evaluated(evaluation, std::move(mapping));
  return evaluation;
}

Evaluation CostModel::evaluate(std::shared_ptr<const TemporalMapping> mapping,
                               std::vector<std::string>* deviations) const {
  const CostTables& tables = *tables_->cost;
  const Layer& layer = *tables_->layer;
  const CompactMapping compact_mapping = compact(*mapping);
  const Holding holding(tables, tables_->options, compact_mapping);
  const Figures figures = figures_of(tables, tables_->options, holding);
  if (figures.energy.missing_port) {
    throw NoResult(
        fmt::format("layer '{}': this mapping moves partial sums through a memory of '{}' that has no port "
                    "for that direction",
                    layer.name, tables_->accelerator->name));
  }
  if (deviations != nullptr && figures.loading.balance_corrected) {
    deviations->push_back(
        "loading cycles hidden behind computation are kept at or above their minimum (ZigZag lets them "
        "fall below, even under zero)");
  }
  if (deviations != nullptr && figures.loading.half_shared_corrected) {
    deviations->push_back(
        "on-loading over several half-shared links is added up (ZigZag keeps the last link only)");
  }
  Evaluation evaluation;
  say_what_was_evaluated(evaluation, std::move(mapping));
  evaluation.mac_energy = figures.mac_energy;
  evaluation.mem_energy = figures.energy.total;
  evaluation.energy_total = figures.energy_total;
  evaluation.ideal_cycle = figures.ideal_cycle;
  evaluation.ideal_temporal_cycle = figures.ideal_temporal_cycle;
  evaluation.latency_total0 = figures.latency0;
  evaluation.latency_total1 = figures.latency1;
  evaluation.latency_total2 = figures.latency2;
  evaluation.data_onloading_cycle = figures.loading.onloading;
  evaluation.data_offloading_cycle = figures.loading.offloading;
  if (tables.imc) {
    evaluation.imc =
        ImcArray(*tables_->accelerator, {.negative_adder_tree_delay = tables_->options.zigzag_compat})
            .figures(*tables_->accelerator);
    evaluation.imc->energy = tables.imc->with_repeats(holding.repeats);
  }
  for (int index = 0; index < tables.operand_count; ++index) {
    OperandCost cost{layer.operands[index].name, {}};
    for (int level = 0; level < tables.operands[index].levels; ++level) {
      LevelCost entry;
      entry.memory = tables_->accelerator->memories[tables.operands[index].memory[level]].name;
      entry.utilization = figures.use.shared[index][level];
      entry.accesses = figures.energy.accesses[index][level];
      entry.energy_by_direction = figures.energy.by_direction[index][level];
      entry.energy = figures.energy.by_level[index][level];
      cost.levels.push_back(std::move(entry));
    }
    evaluation.operands.push_back(std::move(cost));
  }
#ifndef NDEBUG
  if (!tables_->options.zigzag_compat) {
    for (const std::string& violation : audit(evaluation)) {
      throw std::logic_error(fmt::format("evaluation of layer '{}': {}", layer.name, violation));
    }
  }
#endif
  return evaluation;
}

}  // namespace zz::core
