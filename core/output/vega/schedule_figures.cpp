#include "core/output/vega/schedule_figures.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/output/result_names.hpp"
#include "core/output/schedule_rows.hpp"
#include "core/output/size_text.hpp"
#include "core/schedule/schedule.hpp"

namespace zz::core {
namespace {

class Figures {
 public:
  Figures(const Evaluation& evaluation, const ScheduleFigureOptions& options)
      : evaluation_(evaluation),
        schedule_(*evaluation.schedule),
        graph_(*schedule_.graph),
        accelerator_(*schedule_.accelerator),
        picture_(schedule_rows(schedule_)) {
    if (!options.links) leave_out_links();
    figure_.all_bars = picture_.bars.size();
    figure_.until = std::max(schedule_.latency, 1.0);
    if (figure_.all_bars > options.most_bars) {
      figure_.until = std::max(picture_.bars[options.most_bars].start, 1.0);
      picture_.bars.resize(options.most_bars);
    }
    figure_.bars = picture_.bars.size();
  }

  ScheduleFigure all() {
    totals();
    rows();
    for (const ScheduleBar& bar : picture_.bars) {
      if (bar.kind == ScheduleBar::Kind::node)
        node(bar, schedule_.nodes[bar.position]);
      else if (bar.kind == ScheduleBar::Kind::transfer)
        transfer(bar, schedule_.transfers[bar.position]);
      else
        block(bar, schedule_.blocks[bar.position]);
    }
    dependencies();
    memories();
    return std::move(figure_);
  }

 private:
  void leave_out_links() {
    const auto on_link = [this](const ScheduleBar& bar) { return picture_.rows[bar.row].link; };
    picture_.bars.erase(std::remove_if(picture_.bars.begin(), picture_.bars.end(), on_link),
                        picture_.bars.end());
    picture_.rows.erase(std::remove_if(picture_.rows.begin(), picture_.rows.end(),
                                       [](const ScheduleRow& row) { return row.link; }),
                        picture_.rows.end());
  }

  void totals() {
    figure_.title = graph_.name + " on " + accelerator_.name;
    table("schedule")
        .row()
        .add("title", figure_.title)
        .add("latency", evaluation_.latency_total2)
        .add("energy", evaluation_.energy_total)
        .add("bound", schedule_.latency_bound)
        .add("until", figure_.until);
    FigureTable& layers = table("layers");
    for (std::size_t i = 0; i < graph_.layers.size(); ++i) {
      const TiledLayer& layer = graph_.layers[i];
      layers.row().add("layer", i).add("label", layer_label(*layer.layer)).add("nodes", layer.node_count);
    }
  }

  void rows() {
    const double latency = std::max(schedule_.latency, 1.0);
    FigureTable& rows = table("rows");
    for (std::size_t i = 0; i < picture_.rows.size(); ++i) {
      const ScheduleRow& row = picture_.rows[i];
      rows.row()
          .add("row", i)
          .add("label", row.label)
          .add("name", row.link ? "" : accelerator_.cores[row.index]->name)
          .add("link", row.link)
          .add("lanes", row.lanes)
          .add("share", row.busy / latency);
    }
  }

  void node(const ScheduleBar& bar, const ScheduledNode& scheduled) {
    const ComputationNode& node = graph_.nodes[scheduled.node];
    const CoreCost* cost = schedule_.costs ? schedule_.costs->find(node.layer, scheduled.core) : nullptr;
    std::vector<int> tensors;
    for (std::size_t operand = 1; operand < node.tensors.size(); ++operand)
      if (node.tensors[operand] >= 0) tensors.push_back(node.tensors[operand]);
    FigureRow row = nodes_.row();
    row.add("node", scheduled.node).add("row", bar.row).add("layer", node.layer).add("sub_id", node.sub_id);
    row.add("start", bar.start).add("end", bar.end);
    if (cost != nullptr) row.add("energy", cost->onchip_energy + cost->offchip_energy);
    row.add("operands", operands_text(schedule_, scheduled));
    row.add("output", node.tensors[0]).add("tensors", tensors);
  }

  void transfer(const ScheduleBar& bar, const Transfer& transfer) {
    const TileTensor& tensor = graph_.tensors[transfer.tensor];
    const LayerOperand& operand = graph_.layers[tensor.layer].layer->operands[tensor.operand];
    transfers_.row()
        .add("transfer", bar.position)
        .add("row", bar.row)
        .add("lane", bar.lane)
        .add("layer", tensor.layer)
        .add("tensor", transfer.tensor)
        .add("what", tensor_text(graph_, transfer.tensor))
        .add("constant", operand.constant)
        .add("bits", tensor.bits)
        .add("from", core_label(accelerator_, transfer.sender))
        .add("to", core_label(accelerator_, transfer.receiver))
        .add("start", bar.start)
        .add("end", bar.end)
        .add("energy", transfer.link_energy + transfer.memory_energy);
  }

  void block(const ScheduleBar& bar, const StreamBlock& block) {
    const ComputationNode& node = graph_.nodes[block.node];
    blocks_.row()
        .add("row", bar.row)
        .add("lane", bar.lane)
        .add("layer", node.layer)
        .add("node", block.node)
        .add("sub_id", node.sub_id)
        .add("start", bar.start)
        .add("end", bar.end)
        .add("read", block.read_demand)
        .add("write", block.write_demand);
  }

  /// Those of which both ends are in the picture.
  void dependencies() {
    std::vector<bool> shown(graph_.nodes.size(), false);
    for (const ScheduleBar& bar : picture_.bars)
      if (bar.kind == ScheduleBar::Kind::node) shown[schedule_.nodes[bar.position].node] = true;
    FigureTable& dependencies = table("dependencies");
    for (const Dependency& dependency : graph_.dependencies) {
      if (dependency.operand < 0 || !shown[dependency.from] || !shown[dependency.to]) continue;
      const Layer& layer = *graph_.layers[graph_.nodes[dependency.to].layer].layer;
      dependencies.row()
          .add("from", dependency.from)
          .add("to", dependency.to)
          .add("operand", layer.operands[dependency.operand].name)
          .add("bits", dependency.bits);
    }
  }

  void memories() {
    FigureTable &memories = table("memories"), &steps = table("steps");
    for (const MemoryTrace& trace : schedule_.memory) {
      if (trace.peak <= 0) continue;
      const TopMemory& memory = accelerator_.top_memories[trace.memory];
      memories.row()
          .add("memory", trace.memory)
          .add("label", memory_label(accelerator_, trace.memory))
          .add("capacity", memory.size)
          .add("size", size_text(memory.size))
          .add("peak", trace.peak)
          .add("peak_size", size_text(trace.peak))
          .add("peak_time", trace.peak_time);
      for (std::size_t i = 0; i < trace.bits.size() && trace.bits[i].first <= figure_.until; ++i) {
        const double end = i + 1 < trace.bits.size() ? trace.bits[i + 1].first : figure_.until;
        steps.row()
            .add("memory", trace.memory)
            .add("start", trace.bits[i].first)
            .add("end", std::clamp(end, trace.bits[i].first, figure_.until))
            .add("bits", trace.bits[i].second);
      }
    }
  }

  FigureTable& table(const char* name) { return figure_.tables[name]; }

  const Evaluation& evaluation_;
  const Schedule& schedule_;
  const ComputationNodeGraph& graph_;
  const MultiCoreAccelerator& accelerator_;
  ScheduleRows picture_;
  ScheduleFigure figure_{
      {"schedule", "layers", "rows", "nodes", "transfers", "blocks", "dependencies", "memories", "steps"},
      {}};
  FigureTable &nodes_ = table("nodes"), &transfers_ = table("transfers"), &blocks_ = table("blocks");
};

}  // namespace

ScheduleFigure schedule_figure(const Evaluation& evaluation, const ScheduleFigureOptions& options) {
  return Figures(evaluation, options).all();
}

}  // namespace zz::core
