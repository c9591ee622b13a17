#include "core/report/schedule_figures.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/report/result_names.hpp"
#include "core/report/schedule_rows.hpp"
#include "core/report/size_text.hpp"
#include "core/scheduling/schedule.hpp"

namespace zz::core {
namespace {

using Json = nlohmann::ordered_json;

class Tables {
 public:
  Tables(const Evaluation& evaluation, const ScheduleFigureOptions& options)
      : evaluation_(evaluation),
        schedule_(*evaluation.schedule),
        graph_(*schedule_.graph),
        accelerator_(*schedule_.accelerator),
        picture_(schedule_rows(schedule_)) {
    if (!options.links) leave_out_links();
    all_bars_ = picture_.bars.size();
    until_ = std::max(schedule_.latency, 1.0);
    if (all_bars_ <= options.most_bars) return;
    until_ = std::max(picture_.bars[options.most_bars].start, 1.0);
    picture_.bars.resize(options.most_bars);
  }

  Json all() {
    for (const char* name : {"schedule", "rows", "layers", "nodes", "transfers", "blocks", "dependencies",
                             "memories", "steps"})
      tables_[name] = Json::array();
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
    return std::move(tables_);
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
    tables_["schedule"].push_back({{"title", graph_.name + " on " + accelerator_.name},
                                   {"latency", evaluation_.latency_total2},
                                   {"energy", evaluation_.energy_total},
                                   {"bound", schedule_.latency_bound},
                                   {"bars", all_bars_},
                                   {"shown_bars", picture_.bars.size()},
                                   {"until", until_}});
    for (std::size_t i = 0; i < graph_.layers.size(); ++i)
      tables_["layers"].push_back({{"layer", i},
                                   {"label", layer_label(*graph_.layers[i].layer)},
                                   {"nodes", graph_.layers[i].node_count}});
  }

  void rows() {
    const double latency = std::max(schedule_.latency, 1.0);
    for (std::size_t i = 0; i < picture_.rows.size(); ++i) {
      const ScheduleRow& row = picture_.rows[i];
      tables_["rows"].push_back({{"row", i},
                                 {"label", row.label},
                                 {"name", row.link ? "" : accelerator_.cores[row.index]->name},
                                 {"link", row.link},
                                 {"lanes", row.lanes},
                                 {"share", row.busy / latency}});
    }
  }

  void node(const ScheduleBar& bar, const ScheduledNode& scheduled) {
    const ComputationNode& node = graph_.nodes[scheduled.node];
    const CoreCost* cost = schedule_.costs ? schedule_.costs->find(node.layer, scheduled.core) : nullptr;
    Json tensors = Json::array();
    for (std::size_t operand = 1; operand < node.tensors.size(); ++operand)
      if (node.tensors[operand] >= 0) tensors.push_back(node.tensors[operand]);
    Json row = {{"node", scheduled.node}, {"row", bar.row},     {"layer", node.layer},
                {"sub_id", node.sub_id},  {"start", bar.start}, {"end", bar.end}};
    if (cost != nullptr) row["energy"] = cost->onchip_energy + cost->offchip_energy;
    row["operands"] = operands_text(schedule_, scheduled);
    row["output"] = node.tensors[0];
    row["tensors"] = std::move(tensors);
    tables_["nodes"].push_back(std::move(row));
  }

  void transfer(const ScheduleBar& bar, const Transfer& transfer) {
    const TileTensor& tensor = graph_.tensors[transfer.tensor];
    const LayerOperand& operand = graph_.layers[tensor.layer].layer->operands[tensor.operand];
    tables_["transfers"].push_back({{"transfer", bar.position},
                                    {"row", bar.row},
                                    {"lane", bar.lane},
                                    {"layer", tensor.layer},
                                    {"tensor", transfer.tensor},
                                    {"what", tensor_text(graph_, transfer.tensor)},
                                    {"constant", operand.constant},
                                    {"bits", tensor.bits},
                                    {"from", core_label(accelerator_, transfer.sender)},
                                    {"to", core_label(accelerator_, transfer.receiver)},
                                    {"start", bar.start},
                                    {"end", bar.end},
                                    {"energy", transfer.link_energy + transfer.memory_energy}});
  }

  void block(const ScheduleBar& bar, const StreamBlock& block) {
    const ComputationNode& node = graph_.nodes[block.node];
    tables_["blocks"].push_back({{"row", bar.row},
                                 {"lane", bar.lane},
                                 {"layer", node.layer},
                                 {"node", block.node},
                                 {"sub_id", node.sub_id},
                                 {"start", bar.start},
                                 {"end", bar.end},
                                 {"read", block.read_demand},
                                 {"write", block.write_demand}});
  }

  /// Those of which both ends are in the picture.
  void dependencies() {
    std::vector<bool> shown(graph_.nodes.size(), false);
    for (const ScheduleBar& bar : picture_.bars)
      if (bar.kind == ScheduleBar::Kind::node) shown[schedule_.nodes[bar.position].node] = true;
    for (const Dependency& dependency : graph_.dependencies) {
      if (dependency.operand < 0 || !shown[dependency.from] || !shown[dependency.to]) continue;
      const Layer& layer = *graph_.layers[graph_.nodes[dependency.to].layer].layer;
      tables_["dependencies"].push_back({{"from", dependency.from},
                                         {"to", dependency.to},
                                         {"operand", layer.operands[dependency.operand].name},
                                         {"bits", dependency.bits}});
    }
  }

  void memories() {
    for (const MemoryTrace& trace : schedule_.memory) {
      if (trace.peak <= 0) continue;
      const TopMemory& memory = accelerator_.top_memories[trace.memory];
      tables_["memories"].push_back({{"memory", trace.memory},
                                     {"label", memory_label(accelerator_, trace.memory)},
                                     {"capacity", memory.size},
                                     {"size", size_text(memory.size)},
                                     {"peak", trace.peak},
                                     {"peak_size", size_text(trace.peak)},
                                     {"peak_time", trace.peak_time}});
      for (std::size_t i = 0; i < trace.bits.size() && trace.bits[i].first <= until_; ++i) {
        const double end = i + 1 < trace.bits.size() ? trace.bits[i + 1].first : until_;
        tables_["steps"].push_back({{"memory", trace.memory},
                                    {"start", trace.bits[i].first},
                                    {"end", std::clamp(end, trace.bits[i].first, until_)},
                                    {"bits", trace.bits[i].second}});
      }
    }
  }

  const Evaluation& evaluation_;
  const Schedule& schedule_;
  const ComputationNodeGraph& graph_;
  const MultiCoreAccelerator& accelerator_;
  ScheduleRows picture_;
  std::size_t all_bars_ = 0;
  double until_ = 0;
  Json tables_;
};

}  // namespace

Json schedule_tables(const Evaluation& evaluation, const ScheduleFigureOptions& options) {
  return Tables(evaluation, options).all();
}

}  // namespace zz::core
