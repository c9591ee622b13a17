#include "core/search/optimal/detail/compulsory_bound.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "core/cost/boundaries.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/cost/work_left.hpp"
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/detail/search_problem.hpp"
#include "core/search/optimal/detail/traffic.hpp"
#include "core/search/temporal/loop_factors.hpp"

namespace zz::core {
namespace {

/// Cycles of the requests for all elements of a transfer, whatever tiles they come in: a request takes no
/// more than its bytes, and no more than the longest stretch, which is that of all elements.
double least_request_cycles(const LevelTransfer& transfer, const TransferPort& port) {
  if (port.request_cycles == 0) return 0;
  const double stretch_bits = transfer.stretch * transfer.precision;
  return transfer.elements * transfer.precision / std::min(port.request_bits, stretch_bits) *
         port.request_cycles;
}

/// Cycles that the ports of one memory take to pass on all data of an operand once, added to `ports`.
void add_topmost_transfers(const CostTables& tables, int operand,
                           const OperandTraffic::Transfers& transfers, const Rules& rules,
                           std::vector<std::array<double, max_operands>>& ports) {
  const int last = tables.operands[operand].levels - 1;
  for (std::size_t port = 0; port < tables.ports.size(); ++port) {
    const double width = tables.ports[port].bandwidth;
    if (width == 0) continue;
    for (const Service& service : tables.ports[port].services) {
      if (service.operand != operand || service.level != last || returns_partial_sums(tables, service))
        continue;
      if (boundary_of(tables, service) != std::optional<int>(last)) continue;
      const int direction = static_cast<int>(service.direction);
      const LevelTransfer& transfer = transfers[last][direction];
      const double cycles =
          std::max(transfer.elements * transfer.precision / width,
                   least_request_cycles(transfer, tables.operands[operand].port[last][direction]));
      if (!rules.faster_than_ports) {
        ports[port][operand] += cycles;
      } else if (operand > 0) {
        // Only the loading of inputs is waited for, each by itself and but for its first cycle.
        ports.emplace_back()[operand] = std::max(0.0, std::floor(cycles) - 1);
      }
    }
  }
}

}  // namespace

CompulsoryCost compulsory_cost(const MappingProblem& problem) {
  const Rules& rules = problem.options.rules;
  const CostTables tables(*problem.accelerator, *problem.layer, *problem.fractional, *problem.integral,
                          rules);
  const std::vector<RemainingLoop> loops = remaining_loops(*problem.layer, *problem.fractional, rules);
  const std::vector<FactorTable> factors = loop_factors(*problem.layer, loops, {}, 0, rules);
  const bool whole_cycles = tables.step.each() == std::floor(tables.step.each());
  CompulsoryCost once;
  once.ports.resize(tables.ports.size());
  for (int operand = 0; operand < tables.operand_count; ++operand) {
    OperandTraffic traffic(tables, loops, operand, factors, problem.options.same_data_free, false);
    const std::size_t full = traffic.lattice().full();
    traffic.prepare({&full, 1});
    const OperandTraffic::Transfers& transfers = traffic.at(full, false);
    const OperandTable& table = tables.operands[operand];
    const double share = window_share(*problem.layer, operand, rules);
    const Memory* topmost = nullptr;
    for (const Memory& memory : problem.accelerator->memories) {
      // The last one in the file is the topmost.
      if (memory.holds(problem.layer->memory_operand(operand))) topmost = &memory;
    }
    for (int boundary = 1; boundary < table.levels; ++boundary) {
      const double energy = traffic.energy(transfers, boundary).at_least(share);
      if (energy < infinite) once.energy[operand] += energy;
    }
    const bool feeds_all = topmost != nullptr && problem.accelerator->instances(*topmost) == 1;
    if (table.levels > 1 && feeds_all && (whole_cycles || !rules.faster_than_ports))
      add_topmost_transfers(tables, operand, transfers, rules, once.ports);
  }
  return once;
}

CompulsoryBound::CompulsoryBound(const Layer& layer, const Accelerator& accelerator,
                                 const CostModelOptions& model, CompulsoryCost compulsory)
    : layer_(layer),
      model_(model),
      compulsory_(std::move(compulsory)),
      operations_(static_cast<double>(layer.mac_count())),
      efficiency_(accelerator.array.efficiency) {
  const WorkLeft left = least_work_left(accelerator, layer);
  efficiency_ /= left.useful;
  energy_of_units_ =
      accelerator.array.imc ? 0 : accelerator.array.unit_energy * left.operations * operations_;
  least_shares_.fill(model.rules.data_in_whole_units ? 0 : 1);
}

SpatialBound CompulsoryBound::by_units(double units) const {
  if (units == 0) return {infinite, infinite};
  return bound(operations_ / units, least_shares_);
}

SpatialBound CompulsoryBound::of(const SpatialSpace& space, const SpatialSpace::Choice& choice) const {
  if (model_.rules.loading_below_minimum) return by_units(space.units(choice));
  const std::vector<LoopRounds> rounds = space.rounds(choice);
  double iterations = 1;
  for (const LoopRounds& loop : rounds) iterations *= static_cast<double>(loop.rounds);
  return bound(iterations, model_.rules.data_in_whole_units ? whole_shares(rounds) : least_shares_);
}

CompulsoryBound::Shares CompulsoryBound::whole_shares(const std::vector<LoopRounds>& rounds) const {
  const auto is_unrolled = [&](const std::string& name) {
    const int loop = layer_.loop_index(name);
    return loop >= 0 && rounds[loop].rounds < layer_.loops[loop].size;
  };
  Shares shares;
  for (int operand = 0; operand < static_cast<int>(layer_.operands.size()); ++operand) {
    double& share = shares[operand] = 1;
    for (int loop = 0; loop < static_cast<int>(rounds.size()); ++loop) {
      if (layer_.relevancy(operand, loop) != Relevancy::irrelevant) share *= rounds[loop].whole_share();
    }
    // Units may share a window; how they split it is not looked into here.
    for (const DimensionRelation& relation : layer_.relations) {
      if (layer_.has_relations(operand) && is_unrolled(relation.output_loop) &&
          is_unrolled(relation.filter_loop))
        share = 0;
    }
  }
  return shares;
}

SpatialBound CompulsoryBound::bound(double computation, const Shares& shares) const {
  SpatialBound bound{energy_of_units_, 0};
  for (std::size_t operand = 0; operand < shares.size(); ++operand)
    bound.energy += shares[operand] * compulsory_.energy[operand];
  if (model_.rules.loading_below_minimum) return bound;
  bound.latency = computation / efficiency_;
  for (const auto& port : compulsory_.ports) {
    const double cycles = std::inner_product(port.begin(), port.end(), shares.begin(), 0.0);
    bound.latency = std::max(bound.latency, whole_cycles(cycles));
  }
  return bound;
}

CompulsoryBound compulsory_bound(const Layer& layer, const Accelerator& accelerator,
                                 const CostModelOptions& model, const Refinements& refinements) {
  SpatialUnrolling nothing;
  for (const ArrayDimension& dimension : accelerator.array.dimensions)
    nothing.dimensions.push_back({dimension.name, {}});
  const auto compulsory = [&] {
    return compulsory_cost(
        unrolled_problem(layer, std::make_shared<const Accelerator>(accelerator), nothing, model));
  };
  const bool known = refinements.compulsory_traffic && !accelerator.array.imc;
  return {layer, accelerator, model, known ? compulsory() : CompulsoryCost{}};
}

}  // namespace zz::core
