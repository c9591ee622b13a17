#include "core/output/layer_cuts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <utility>

#include "core/output/labels.hpp"

namespace zz::core {
namespace {

/// Below this share of a piece's cycles, loading is not what limits.
constexpr double much_loading = 0.05;

/// The bits of each operand in a piece, windows with their overlap.
std::vector<double> piece_bits(const TiledLayer& tiled) {
  std::vector<double> bits;
  for (std::size_t operand = 0; operand < tiled.tile->operands.size(); ++operand) {
    double elements = 1;
    for (const TileAxis& axis : axes_of_operand(tiled, static_cast<int>(operand)))
      elements *= static_cast<double>(std::min(axis.width, axis.extent));
    bits.push_back(elements * static_cast<double>(tiled.tile->operands[operand].precision));
  }
  return bits;
}

/// The next smaller (or larger) divisor of a loop's size, or 0.
std::int64_t next_count(std::int64_t size, std::int64_t count, int step) {
  for (count += step; count >= 1 && count <= size; count += step)
    if (size % count == 0) return count;
  return 0;
}

class CutOf {
 public:
  CutOf(const Schedule& schedule, int layer, int core)
      : schedule_(schedule),
        accelerator_(*schedule.accelerator),
        tiled_(schedule.graph->layers[layer]),
        core_(core),
        cost_(schedule.costs ? schedule.costs->find(layer, core) : nullptr) {}

  void describe(LayerCut& cut) const {
    for (const OuterLoop& outer : tiled_.outer_loops) {
      if (outer.count == 1) continue;
      cut.loops += fmt::format("{}{} in {}{}", cut.loops.empty() ? "" : " × ", name(outer), outer.count,
                               outer.spread ? ", spread" : "");
    }
    if (cut.loops.empty()) cut.loops = "whole";
    if (cost_ != nullptr && cost_->evaluation) {
      const Evaluation& piece = *cost_->evaluation;
      if (piece.ideal_temporal_cycle > 0) cut.lanes = std::min(1.0, piece.mac_spatial_utilization());
    }
    for (const auto& [memory, share] : shares(tiled_.outer_loops)) {
      if (share <= cut.room) continue;
      cut.room = share;
      cut.memory = memory_label(accelerator_, memory);
    }
    cut.not_larger = not_larger(cut);
    cut.not_smaller = not_smaller(cut);
  }

 private:
  const std::string& name(const OuterLoop& outer) const { return tiled_.layer->loops[outer.loop].name; }

  bool streams(int operand) const {
    return cost_ != nullptr &&
           std::find(cost_->streamed.begin(), cost_->streamed.end(), operand) != cost_->streamed.end();
  }

  /// What a piece takes of each memory of the core, without what streams, when the layer is cut so.
  std::map<int, double> shares(const std::vector<OuterLoop>& loops) const {
    std::map<int, double> shares;
    if (!divides(loops)) return shares;
    std::vector<std::int64_t> sizes = tiled_.loop_sizes;
    if (sizes.empty())
      for (const LoopDimension& loop : tiled_.layer->loops) sizes.push_back(loop.size);
    const std::vector<double> bits = piece_bits(tiled_layer(*tiled_.layer, loops, sizes));
    for (std::size_t operand = 0; operand < bits.size(); ++operand) {
      const int i = static_cast<int>(operand);
      const int memory = accelerator_.top(core_, tiled_.layer->memory_operand(i));
      if (memory >= 0 && !streams(i))
        shares[memory] += bits[operand] / static_cast<double>(accelerator_.top_memories[memory].size);
    }
    return shares;
  }

  std::string not_larger(const LayerCut& cut) const {
    std::vector<std::string> streamed;
    for (std::size_t operand = 0; operand < tiled_.layer->operands.size(); ++operand)
      if (streams(static_cast<int>(operand))) streamed.push_back(tiled_.layer->operands[operand].name);
    if (!streamed.empty())
      return fmt::format("room: already now these stream, too large for {}: {}",
                         core_label(accelerator_, core_), fmt::join(streamed, ", "));
    if (cut.pieces == 1) return "";
    for (std::size_t i = 0; i < tiled_.outer_loops.size(); ++i) {
      const OuterLoop& outer = tiled_.outer_loops[i];
      const std::int64_t fewer = next_count(tiled_.layer->loops[outer.loop].size, outer.count, -1);
      if (fewer == 0 || outer.count == 1) continue;
      std::vector<OuterLoop> loops = tiled_.outer_loops;
      loops[i].count = fewer;
      const auto larger = shares(loops);
      const auto full =
          std::find_if(larger.begin(), larger.end(), [](const auto& one) { return one.second > 1; });
      if (full != larger.end())
        return fmt::format("room: with {} in {}, a piece would take {:.0f} % of {}", name(outer), fewer,
                           100 * full->second, memory_label(accelerator_, full->first));
    }
    if (cut.cores.size() > 1)
      return fmt::format("parallel work: {} cores share the pieces", cut.cores.size());
    return fmt::format(
        "overlap: others wait for 1/{} of the layer only, and its data leave memories sooner", cut.pieces);
  }

  bool divides(const std::vector<OuterLoop>& loops) const {
    std::vector<std::int64_t> sizes;
    for (const LoopDimension& loop : tiled_.layer->loops) sizes.push_back(loop.size);
    for (const OuterLoop& outer : loops) {
      if (sizes[outer.loop] % outer.count != 0) return false;
      sizes[outer.loop] /= outer.count;
    }
    return true;
  }

  /// Iterations of a loop that the array runs side by side.
  double unrolled(const std::string& dimension) const {
    double factor = 1;
    if (cost_ == nullptr || !cost_->evaluation || !cost_->evaluation->spatial_mapping_int) return factor;
    for (const auto& level : cost_->evaluation->spatial_mapping_int->operands.front().levels)
      for (const UnrolledLoop& loop : level)
        if (loop.dimension == dimension) factor *= loop.factor;
    return factor;
  }

  /// Iterations of a loop in each piece.
  std::int64_t iterations_left(int loop) const {
    std::int64_t size = tiled_.layer->loops[loop].size;
    for (const OuterLoop& outer : tiled_.outer_loops)
      if (outer.loop == loop) size /= outer.count;
    return std::max<std::int64_t>(size, 1);
  }

  std::string not_smaller(const LayerCut& cut) const {
    std::string lanes, finer;  // loops that cannot be cut further without idle lanes, and those that can
    for (const OuterLoop& outer : tiled_.outer_loops) {
      const std::int64_t left = iterations_left(outer.loop);
      if (left == 1) continue;
      const std::int64_t next = left / next_count(left, 1, 1);
      const bool idle = static_cast<double>(next) < unrolled(name(outer));
      (idle ? lanes : finer) += ((idle ? lanes : finer).empty() ? "" : " and ") + name(outer);
    }
    if (finer.empty() && !lanes.empty())
      return fmt::format("lanes: a piece has no more of {} than the array runs side by side", lanes);
    if (finer.empty() && cut.pieces > 1) return "iterations: the loops that are cut have no more";
    if (cost_ != nullptr && cost_->evaluation && cost_->runtime > 0) {
      const double loading = cost_->evaluation->data_onloading_cycle / cost_->runtime;
      if (loading >= much_loading)
        return fmt::format("price: {:.0f} % of a piece's cycles are loading, which each further piece pays",
                           100 * loading);
    }
    if (schedule_.latency > 0 && cut.work < 0.01 * schedule_.latency)
      return "little work: less than 1 % of the latency";
    return "nothing in the hardware: finer cuts" + (finer.empty() ? "" : " of " + finer) + " are possible";
  }

  const Schedule& schedule_;
  const MultiCoreAccelerator& accelerator_;
  const TiledLayer& tiled_;
  int core_;
  const CoreCost* cost_;
};

}  // namespace

std::vector<LayerCut> layer_cuts(const Schedule& schedule) {
  const ComputationNodeGraph& graph = *schedule.graph;
  std::vector<LayerCut> cuts(graph.layers.size());
  std::vector<std::map<int, double>> work(cuts.size());  // cycles by core
  for (const ScheduledNode& node : schedule.nodes)
    work[graph.nodes[node.node].layer][node.core] += node.end - node.start;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    LayerCut& cut = cuts[i];
    cut.layer = static_cast<int>(i);
    cut.pieces = graph.layers[i].node_count;
    for (const auto& [core, cycles] : work[i]) {
      cut.cores.push_back(core);
      cut.work += cycles;
    }
    if (cut.cores.empty()) continue;
    cut.piece = cut.work / std::max(1, cut.pieces);
    const auto most = std::max_element(work[i].begin(), work[i].end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    CutOf(schedule, cut.layer, most->first).describe(cut);
  }
  return cuts;
}

}  // namespace zz::core
