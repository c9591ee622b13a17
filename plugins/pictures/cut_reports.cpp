#include "plugins/pictures/cut_reports.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <utility>

#include "core/multicore/graph/samples.hpp"
#include "plugins/pictures/labels.hpp"

namespace zz::plugins {
namespace {

/// Below this share of a piece's cycles, loading is not what limits.
constexpr double much_loading = 0.05;

/// The bits of each operand in a piece, windows with their overlap, of all its samples.
std::vector<double> piece_bits(const core::CutLayer& cut_layer) {
  std::vector<double> bits;
  for (std::size_t operand = 0; operand < cut_layer.piece->operands.size(); ++operand) {
    double elements = 1;
    for (const core::PieceAxis& axis : core::axes_of_operand(cut_layer, static_cast<int>(operand)))
      elements *= static_cast<double>(std::min(axis.width, axis.extent));
    if (!core::shared_by_samples(*cut_layer.piece, static_cast<int>(operand)))
      elements *= cut_layer.samples;
    bits.push_back(elements * static_cast<double>(cut_layer.piece->operands[operand].precision));
  }
  return bits;
}

class CutOf {
 public:
  /// `core` runs most of the layer, `core_of` its pieces, by their number within the layer.
  CutOf(const core::Schedule& schedule, int layer, int core, const std::vector<int>& core_of)
      : schedule_(schedule),
        accelerator_(*schedule.accelerator),
        cut_layer_(schedule.graph->layers[layer]),
        core_(core),
        core_of_(core_of),
        cost_(schedule.costs ? schedule.costs->find(layer, 0, core) : nullptr) {}

  void describe(CutReport& cut) const {
    for (const core::NodeLoop& outer : cut_layer_.outer_loops) {
      if (outer.count == 1) continue;
      cut.loops += fmt::format("{}{} in {}{}", cut.loops.empty() ? "" : " × ", name(outer), outer.count,
                               outer.spread ? ", spread" : "");
    }
    if (const int repeats = schedule_.graph->repeats(cut.layer); repeats > 1)
      cut.loops += fmt::format("{}samples in {}", cut.loops.empty() ? "" : " × ", repeats);
    if (cut.loops.empty()) cut.loops = "whole";
    if (cost_ != nullptr && cost_->evaluation) {
      const core::Evaluation& piece = *cost_->evaluation;
      if (piece.ideal_temporal_cycle > 0) cut.lanes = std::min(1.0, piece.mac_spatial_utilization());
    }
    for (const auto& [memory, share] : shares(cut_layer_.outer_loops)) {
      if (share <= cut.room) continue;
      cut.room = share;
      cut.memory = memory_label(accelerator_, memory);
    }
    cut.not_larger = not_larger(cut);
    cut.not_smaller = not_smaller(cut);
  }

 private:
  const std::string& name(const core::NodeLoop& outer) const {
    return cut_layer_.layer->loops[outer.loop].name;
  }

  bool streams(int operand) const {
    return cost_ != nullptr &&
           std::find(cost_->streamed.begin(), cost_->streamed.end(), operand) != cost_->streamed.end();
  }

  /// The share of each memory of the core that a piece of these cuts takes, without operands that stream.
  std::map<int, double> shares(const std::vector<core::NodeLoop>& loops) const {
    core::Layer whole = *cut_layer_.layer;
    std::vector<std::int64_t> sizes = cut_layer_.loop_sizes;
    if (sizes.empty())
      for (const core::LoopDimension& loop : whole.loops) sizes.push_back(loop.size);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      std::int64_t pieces = 1;
      for (const core::NodeLoop& outer : loops)
        if (outer.loop == static_cast<int>(i)) pieces *= outer.count;
      whole.loops[i].size = (sizes[i] + pieces - 1) / pieces * pieces;
    }
    std::map<int, double> shares;
    const std::vector<double> bits = piece_bits(core::cut_layer(std::move(whole), loops, sizes));
    for (std::size_t operand = 0; operand < bits.size(); ++operand) {
      const int i = static_cast<int>(operand);
      const int memory = accelerator_.top(core_, cut_layer_.layer->memory_operand(i));
      if (memory >= 0 && !streams(i))
        shares[memory] += bits[operand] / static_cast<double>(accelerator_.top_memories[memory].size);
    }
    return shares;
  }

  /// The most cores that run pieces which differ in one outer loop only.
  std::int64_t cores_along(std::size_t outer) const {
    std::int64_t below = 1;  // pieces between neighbours along the loop
    for (std::size_t i = 0; i < outer; ++i) below *= cut_layer_.outer_loops[i].count;
    const std::int64_t count = cut_layer_.outer_loops[outer].count;
    std::map<std::int64_t, std::set<int>> cores;  // by what the other loops are at
    for (std::size_t piece = 0; piece < core_of_.size(); ++piece) {
      const auto sub_id = static_cast<std::int64_t>(piece);
      cores[sub_id % below + sub_id / (below * count) * below].insert(core_of_[piece]);
    }
    std::size_t most = 0;
    for (const auto& [others, along] : cores) most = std::max(most, along.size());
    return static_cast<std::int64_t>(most);
  }

  std::string not_larger(const CutReport& cut) const {
    std::vector<std::string> streamed;
    for (std::size_t operand = 0; operand < cut_layer_.layer->operands.size(); ++operand)
      if (streams(static_cast<int>(operand))) streamed.push_back(cut_layer_.layer->operands[operand].name);
    if (!streamed.empty())
      return fmt::format("room: already now these stream, too large for {}: {}",
                         core_label(accelerator_, core_), fmt::join(streamed, ", "));
    if (cut.pieces == 1) return "";
    std::vector<std::string> shared;  // loops whose pieces are just enough for their cores
    bool other = false;               // and whether there are more
    for (std::size_t i = 0; i < cut_layer_.outer_loops.size(); ++i) {
      const core::NodeLoop& outer = cut_layer_.outer_loops[i];
      if (outer.count == 1) continue;
      std::vector<core::NodeLoop> loops = cut_layer_.outer_loops;
      loops[i].count = (outer.count + 1) / 2;
      const auto larger = shares(loops);
      const auto full =
          std::find_if(larger.begin(), larger.end(), [](const auto& one) { return one.second > 1; });
      if (full != larger.end())
        return fmt::format("room: with {} in {}, a piece would take {:.0f} % of {}", name(outer),
                           loops[i].count, 100 * full->second, memory_label(accelerator_, full->first));
      if (loops[i].count < cores_along(i))
        shared.push_back(fmt::format("{} in {}", name(outer), loops[i].count));
      else
        other = true;
    }
    std::string text;
    if (!shared.empty())
      text = fmt::format("parallel work: with {}, fewer than {} cores would share the layer",
                         fmt::join(shared, " or "), cut.cores.size());
    if (other)
      text += fmt::format(
          "{}overlap: others wait for 1/{} of the layer only, and its data leave memories sooner",
          text.empty() ? "" : "; ", cut.pieces);
    return text;
  }

  /// Iterations of a loop that the array runs side by side.
  double unrolled(const std::string& dimension) const {
    double factor = 1;
    if (cost_ == nullptr || !cost_->evaluation || !cost_->evaluation->spatial_mapping_int) return factor;
    for (const auto& level : cost_->evaluation->spatial_mapping_int->operands.front().levels)
      for (const core::UnrolledLoop& loop : level)
        if (loop.dimension == dimension) factor *= loop.factor;
    return factor;
  }

  /// Iterations of a loop in each piece.
  std::int64_t iterations_left(int loop) const {
    std::int64_t size = cut_layer_.layer->loops[loop].size;
    for (const core::NodeLoop& outer : cut_layer_.outer_loops)
      if (outer.loop == loop) size /= outer.count;
    return std::max<std::int64_t>(size, 1);
  }

  std::string not_smaller(const CutReport& cut) const {
    std::string lanes, finer;  // loops that cannot be cut further without idle lanes, and those that can
    for (const core::NodeLoop& outer : cut_layer_.outer_loops) {
      const std::int64_t left = iterations_left(outer.loop);
      if (left == 1) continue;
      const bool idle = static_cast<double>((left + 1) / 2) < unrolled(name(outer));
      (idle ? lanes : finer) += ((idle ? lanes : finer).empty() ? "" : " and ") + name(outer);
    }
    if (finer.empty() && !lanes.empty())
      return fmt::format("lanes: with half as much of {} in a piece, lanes of the array would be idle",
                         lanes);
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

  const core::Schedule& schedule_;
  const core::MultiCoreAccelerator& accelerator_;
  const core::CutLayer& cut_layer_;
  int core_;
  const std::vector<int>& core_of_;
  const core::CoreCost* cost_;
};

}  // namespace

std::vector<CutReport> cut_reports(const core::Schedule& schedule) {
  const core::ComputationNodeGraph& graph = *schedule.graph;
  std::vector<CutReport> cuts(graph.layers.size());
  std::vector<std::map<int, double>> work(cuts.size());  // cycles by core
  std::vector<std::vector<int>> core_of(cuts.size());    // of each piece
  for (std::size_t i = 0; i < cuts.size(); ++i) core_of[i].resize(graph.layers[i].node_count);
  for (const core::ScheduledNode& scheduled : schedule.nodes) {
    const core::ComputationNode& node = graph.nodes[scheduled.node];
    work[node.layer][scheduled.core] += scheduled.end - scheduled.start;
    core_of[node.layer].at(node.sub_id) = scheduled.core;
  }
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    CutReport& cut = cuts[i];
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
    CutOf(schedule, cut.layer, most->first, core_of[i]).describe(cut);
  }
  return cuts;
}

}  // namespace zz::plugins
