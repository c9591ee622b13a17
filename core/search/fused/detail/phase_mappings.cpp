#include "core/search/fused/detail/phase_mappings.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/search/fused/detail/fused_member.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/workload/tile_bits.hpp"

namespace zz::core {
namespace {

/// An operand in a set of them.
unsigned bit_of(int operand) { return 1U << static_cast<unsigned>(operand); }

Layer tile_of(const Layer& layer, const std::vector<std::int64_t>& sizes) {
  Layer tile = layer;
  name_block_loops(tile);
  for (std::size_t loop = 0; loop < tile.loops.size(); ++loop) tile.loops[loop].size = sizes[loop];
  return tile;
}

}  // namespace

/// The phase in which a layer runs, the one at this place of the order, with a whole tile. `shared`: tiles
/// of lengths.
PhaseMappings::Phase PhaseMappings::phase_of(const FusedOptimum& found, std::size_t at, std::size_t layer,
                                             const std::vector<SharedLoop>& shared,
                                             const MultisetTables* tables, const PhaseRoom& room) const {
  const NetworkLayer& own = network_.layers[layer];
  const FusedLayer& member = found.mapping.layers[at];
  Phase phase;
  phase.tables = tables;
  for (const LoopDimension& loop : own.layer->loops) phase.tile.push_back(loop.size);
  for (const SharedLoop& loop : shared) {
    const LayerAxis& axis = *network_.axis_of(static_cast<int>(layer), loop.axis);
    std::int64_t& tile = phase.tile[axis.dimension];
    tile = axis.is_ragged() ? axis.tile(loop.iterations) : tile / loop.iterations;
  }
  for (int operand = 0; operand < static_cast<int>(own.layer->operands.size()); ++operand)
    if (member.operands[operand].role != FusedOperand::Role::brought) phase.there |= bit_of(operand);
  const Accelerator& accelerator = *own.problem.accelerator;
  const Memory& memory = accelerator.memories[own.memory(exchange_memory_)];
  phase.room = static_cast<double>(memory.size) - room.bits;
  for (const PhaseRoom::Held& held : room.held)
    if (held.layer == static_cast<int>(at) && (phase.there & bit_of(held.operand)) == 0)
      phase.room += held.bits;
  return phase;
}

/// Its tile as a layer. The exchange memory is the topmost memory of what lies there.
MappingProblem PhaseMappings::problem_of(const NetworkLayer& layer, const Phase& phase) const {
  const Layer tile = tile_of(*layer.layer, phase.tile);
  const int exchange_memory = layer.memory(exchange_memory_);
  std::vector<std::string> there;
  double bits = phase.room;
  for (int operand = 0; operand < static_cast<int>(tile.operands.size()); ++operand) {
    if ((phase.there & bit_of(operand)) == 0) continue;
    there.push_back(layer.problem.layer->memory_operand(operand));
    bits += tensor_bits(tile, operand, operand == 0, layer.problem.options.rules);
  }
  Accelerator seen = ending_at_exchange_memory(*layer.problem.accelerator, exchange_memory, there);
  seen.memories[exchange_memory].size = static_cast<std::int64_t>(bits);
  for (std::size_t memory = 0; memory < seen.memories.size(); ++memory)
    if (phase.doubled >> memory & 1U) seen.memories[memory].size /= 2;
  return unrolled_problem(tile, std::make_shared<const Accelerator>(std::move(seen)), layer.unrolling(),
                          layer.problem.options);
}

const Certificate& PhaseMappings::fastest(const NetworkLayer& layer, const Phase& phase,
                                          const SearchLimits& limits) {
  const auto [entry, fresh] = known_.try_emplace(phase);
  if (!fresh) return entry->second;
  const OptimumOptions options{.objective = Objective::latency, .limits = limits, .break_ties = false};
  try {
    entry->second = find_optimal_mapping(problem_of(layer, phase), options);
  } catch (const NoResult&) {
    // None, as the entry says.
  }
  return entry->second;
}

/// Memories below the exchange memory that hold all of an operand that each phase brings, and have no room
/// for what the next phase brings.
std::uint64_t PhaseMappings::without_second_buffer(const NetworkLayer& layer, const Phase& phase,
                                                   const CompactMapping& mapping) const {
  const MappingProblem problem = problem_of(layer, phase);
  const CostModel model = model_of(problem);
  std::uint64_t full = 0;
  for (int operand = 0; operand < static_cast<int>(problem.layer->operands.size()); ++operand) {
    if ((phase.there & bit_of(operand)) != 0) continue;
    int level = 0;
    for (int memory = 0; memory < layer.memory(exchange_memory_); ++memory) {
      const Memory& of = problem.accelerator->memories[memory];
      if (!of.holds(problem.layer->memory_operand(operand))) continue;
      const BoundaryCost above = cost_of(model.tables(), model.options(), mapping, operand, ++level);
      if (above.count == 1 && 2 * above.bits > static_cast<double>(of.size))
        full |= std::uint64_t{1} << memory;
    }
  }
  return full;
}

/// A window slides along an axis of these loops.
bool PhaseMappings::shares_windows(std::size_t layer, const std::vector<SharedLoop>& shared) const {
  const Layer& of = *network_.layers[layer].layer;
  return std::any_of(shared.begin(), shared.end(), [&](const SharedLoop& loop) {
    const int dimension = network_.axis_of(static_cast<int>(layer), loop.axis)->dimension;
    return of.relation_of_loop(of.loops[dimension].name) >= 0;
  });
}

void PhaseMappings::replace(FusedOptimum& found, std::size_t at, std::size_t layer,
                            FusedLayer member) const {
  const int index = static_cast<int>(layer);
  FusedLayer& old = found.mapping.layers[at];
  found.energy += member.energy - old.energy;
  found.latency -= fused_latency(network_, index, old);
  found.latency += fused_latency(network_, index, member);
  old = std::move(member);
}

void PhaseMappings::speed_up(FusedOptimum& found, const JoinedLayers& joined,
                             const Numbered<LayerViews>& layers, const SharedLists& lists,
                             const SearchLimits& limits) {
  const std::vector<PhaseRoom> rooms = phase_rooms(found.network, found.mapping, exchange_memory_);
  const auto all = [&](bool check_each) {
    FusedOptimum faster = found;
    for (std::size_t at = 0; at < joined.order.size(); ++at) {
      const auto index = static_cast<std::size_t>(joined.order[at]);
      const JoinedLayers::Layer& chosen = joined.layers[index];
      const std::vector<SharedLoop> shared = lists.loops(chosen.shared);
      if (chosen.unfused || shares_windows(index, shared)) continue;
      const NetworkLayer& layer = network_.layers[index];
      Phase phase = phase_of(found, at, index, shared, layers[index].own().tables, rooms[at]);
      for (;;) {
        const Certificate& fastest = this->fastest(layer, phase, limits);
        if (!fastest.found()) break;
        FusedOptimum tried;
        tried.energy = faster.energy;
        tried.latency = faster.latency;
        const FusedLayer before = faster.mapping.layers[at];
        replace(faster, at, index,
                member_of_group(network_, index, exchange_memory_, layers[index], chosen, lists,
                                &fastest.mapping));
        const bool better = faster.promised(objective_) < tried.promised(objective_) &&
                            (!check_each || fused_violations(faster.network, faster.mapping).empty());
        if (!better) {
          faster.mapping.layers[at] = before;
          faster.energy = tried.energy;
          faster.latency = tried.latency;
        }
        // Each phase may have to wait for what the one before leaves no room for.
        if (phase.doubled != 0 || chosen.shared == 0) break;
        phase.doubled = without_second_buffer(layer, phase, fastest.mapping);
        if (phase.doubled == 0) break;
      }
    }
    return faster;
  };
  FusedOptimum faster = all(false);
  // Sums that are not finished take more room than a phase by itself knows.
  if (!fused_violations(faster.network, faster.mapping).empty()) faster = all(true);
  found = std::move(faster);
}

}  // namespace zz::core
