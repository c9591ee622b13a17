#include "core/search/fused/detail/fused_member.hpp"

#include <algorithm>
#include <vector>

#include "core/base/factors.hpp"

namespace zz::core {
namespace {

/// Appends a loop as its prime factors, as the searches of layers have them.
void append(CompactMapping& mapping, int dimension, std::int64_t iterations) {
  for (const auto& [prime, count] : prime_factors(iterations)) {
    for (int i = 0; i < count; ++i) {
      mapping.dimension[mapping.loops] = static_cast<std::uint8_t>(dimension);
      mapping.size[mapping.loops++] = prime;
    }
  }
}

/// Marks the end of the tile with a loop of one iteration for each input that its units would else use on
/// into the next tile: nothing is reused across shared loops.
void end_tile(const Layer& own, const std::array<int, max_operands>& exchange_levels,
              const FusedLayer& layer, CompactMapping& mapping) {
  if (layer.shared.empty()) return;
  const auto relevant = [&](int operand, int loop) {
    return own.relevancy(operand, loop) != Relevancy::irrelevant;
  };
  for (int operand = 1; operand < static_cast<int>(own.operands.size()); ++operand) {
    if (exchange_levels[operand] != 0) continue;
    bool used_on = true;
    for (int loop = 0; loop < mapping.loops; ++loop)
      used_on = used_on && !relevant(operand, mapping.dimension[loop]);
    for (int loop = 0; loop < static_cast<int>(own.loops.size()) && used_on; ++loop) {
      if (!relevant(operand, loop)) continue;
      mapping.dimension[mapping.loops] = static_cast<std::uint8_t>(loop);
      mapping.size[mapping.loops++] = 1;
      used_on = false;
    }
  }
}

}  // namespace

FusedLayer on_its_own(const MappedLayer& own) {
  FusedLayer member;
  member.problem = own.problem;
  member.mapping = own.mapping;
  member.energy = own.energy;
  member.latency = own.latency;
  return member;
}

FusedLayer member_of_group(const FusedNetwork& network, std::size_t index, int exchange_memory,
                           const LayerViews& views, const JoinedLayers::Layer& joined,
                           const SharedLists& lists, const CompactMapping* below) {
  const NetworkLayer& own = network.layers[index];
  FusedLayer layer = on_its_own(*own.by_itself);
  if (joined.unfused) return layer;
  layer.shared = lists.loops(joined.shared);
  for (SharedLoop& loop : layer.shared)
    loop.iterations = network.axis_of(static_cast<int>(index), loop.axis)->covering(loop.iterations);
  layer.with_next = joined.with_next;
  layer.operands = joined.operands;
  const bool leaves = joined.operands[0].role == FusedOperand::Role::exchanged;
  const TileSummaries& summaries = *views.tiles(leaves).summaries;
  CompactMapping mapping = below != nullptr ? *below : summaries.trace(joined.label);
  const CompactMapping tile = mapping;
  const int operands = static_cast<int>(own.layer->operands.size());
  std::array<int, max_operands> exchange_levels;  // -1: brought
  exchange_levels.fill(-1);
  for (int operand = 0; operand < operands; ++operand)
    if (layer.operands[operand].role != FusedOperand::Role::brought) {
      exchange_levels[operand] = summaries.exchange_level(operand);
      layer.exchange_memory = exchange_memory;
    }
  end_tile(*own.layer, exchange_levels, layer, mapping);
  std::vector<int> loops_above{mapping.loops};  // by depth, from the innermost shared loop outwards
  for (std::size_t loop = layer.shared.size(); loop-- > 0;) {
    append(mapping, network.axis_of(static_cast<int>(index), layer.shared[loop].axis)->dimension,
           layer.shared[loop].iterations);
    loops_above.push_back(mapping.loops);
  }
  if (mapping.loops == 0) mapping.size[mapping.loops++] = 1, loops_above.back() = 1;
  std::reverse(loops_above.begin(), loops_above.end());
  for (int operand = 0; operand < operands; ++operand) {
    const int levels = summaries.levels(operand);
    const int exchange_level = exchange_levels[operand];
    auto& cuts = mapping.stationary[operand];
    const FusedOperand& of = layer.operands[operand];
    // Cuts above all loops of the tile are cuts at its end.
    for (int level = 0; level < levels; ++level)
      cuts[level] = tile.stationary[operand][level] < tile.loops || tile.loops == 0
                        ? tile.stationary[operand][level]
                        : static_cast<std::uint8_t>(loops_above[layer.shared.size()]);
    if (of.role != FusedOperand::Role::brought)
      cuts[exchange_level] = static_cast<std::uint8_t>(loops_above[of.depth]);
    const int top = of.role == FusedOperand::Role::exchanged ? exchange_level + 1 : levels - 1;
    cuts[top] = static_cast<std::uint8_t>(mapping.loops);
    std::fill(cuts.begin() + top, cuts.end(), static_cast<std::uint8_t>(mapping.loops));
  }
  mapping.allocated = mapping.stationary;
  layer.problem = seen_in_group(own, layer);
  layer.mapping = mapping;
  const Score score = model_of(layer.problem).score(mapping);
  layer.energy = score.energy_total;
  layer.latency = score.latency_total2;
  return layer;
}

}  // namespace zz::core
