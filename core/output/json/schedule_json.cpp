#include "core/output/json/schedule_json.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/json_text.hpp"
#include "core/base/sha256.hpp"
#include "core/multicore/explain/critical_chain.hpp"
#include "core/multicore/schedule/layer_figures.hpp"
#include "core/multicore/schedule/schedule.hpp"
#include "core/multicore/schedule/segment_figures.hpp"
#include "core/output/json/json_rows.hpp"

namespace zz::core {
namespace {

class ScheduleWriter {
 public:
  explicit ScheduleWriter(const Evaluation& evaluation)
      : evaluation_(evaluation), schedule_(*evaluation.schedule), graph_(*schedule_.graph) {
    for (const CutLayer& layer : graph_.layers) {
      std::vector<std::string>& names = operands_.emplace_back();
      for (const LayerOperand& operand : layer.layer->operands) names.push_back(json_string(operand.name));
    }
    in_order_.reserve(schedule_.nodes.size());
    for (const ScheduledNode& scheduled : schedule_.nodes) in_order_.push_back(&scheduled);
    std::stable_sort(in_order_.begin(), in_order_.end(),
                     [](const ScheduledNode* a, const ScheduledNode* b) { return a->node < b->node; });
  }

  std::string text() {
    allocation();
    choice();
    figures();
    counts();
    memories();
    digests();
    nodes();
    transfers();
    blocks();
    removals();
    exchanges();
    traces();
    links();
    layers();
    row();
    return std::move(json_).finish();
  }

 private:
  std::int64_t layer_of(int node) const { return graph_.layer_id(node); }
  int sub_id_of(int node) const { return graph_.nodes[node].sub_id; }

  void allocation() {
    json_.member("accelerator").text(schedule_.accelerator->name);
    json_.member("workload").text(graph_.name);
    json_.member("rules").text(schedule_.rules);
    json_.member("dispatch").text(schedule_.dispatch);
    json_.member("layer_group_per_gene").open();
    for (const auto& [layer, group] : schedule_.genes) json_.open().number(layer).number(group).close();
    json_.close();
    json_.member("genes").open();
    for (const int core : schedule_.allocation) json_.number(core);
    json_.close();
  }

  /// Settings of InterCoreMappingStage that give this schedule without a search.
  void choice() {
    json_.member("choice").open_object().key("core_allocation").open();
    for (const int core : schedule_.allocation) json_.number(core);
    json_.close();
    const std::string& rule = schedule_.dispatch;
    json_.key("scheduler_candidate_selection")
        .text(rule == "rank"             ? "memory"
              : rule == "earliest_start" ? "latency"
                                         : rule);
    if (rule == "critical_path") json_.key("critical_path_weight").number(schedule_.critical_path_weight);
    json_.key("back_filling").boolean(schedule_.back_filling);
    if (schedule_.samples_at_once > 0) json_.key("samples_at_once").number(schedule_.samples_at_once);
    if (!schedule_.segments.empty()) {
      json_.key("segments").open();
      for (const int layer : schedule_.segments) json_.number(graph_.layers[layer].layer->id);
      json_.close();
    }
    if (schedule_.period > 0) json_.key("period").number(schedule_.period);
    if (!schedule_.resident.empty()) {
      json_.key("resident").open();
      for (const int layer : schedule_.resident) json_.number(graph_.layers[layer].layer->id);
      json_.close();
    }
    if (!schedule_.layer_ranks.empty()) {
      json_.key("layer_ranks").open_object();
      for (std::size_t i = 0; i < schedule_.layer_ranks.size(); ++i) {
        const auto& [offset, slope] = schedule_.layer_ranks[i];
        json_.key(std::to_string(graph_.layers[i].layer->id)).open().number(offset).number(slope).close();
      }
      json_.close_object();
    }
    json_.close_object();
  }

  /// With several samples.
  void segments() {
    const std::vector<SegmentFigures> segments = segment_figures(schedule_);
    if (segments.empty()) return;
    json_.member("segments").open_list();
    for (const SegmentFigures& segment : segments) {
      json_.row().open_object().key("layers").open();
      for (const std::int64_t layer : segment.layers) json_.number(layer);
      json_.close().key("stages").number(segment.stages).key("cores").open();
      for (const int core : segment.cores) json_.number(core);
      json_.close();
      json_.key("constants").number(segment.constants);
      json_.key("constants_kept").number(segment.constants_kept);
      json_.key("waits").number(segment.waits);
      json_.close_object();
    }
    json_.close_list();
  }

  void figures() {
    json_.member("latency").number(evaluation_.latency_total2);
    json_.member("energy").number(evaluation_.energy_total);
    json_.member("energy_breakdown").open_object();
    for (int term = 0; term < energy_term_count; ++term)
      json_.key(energy_term_names[term]).number(schedule_.energy_terms[term]);
    json_.close_object();
    json_.member("latency_bound").number(schedule_.latency_bound);
    json_.member("metrics").open_object();
    for (const auto& [name, value] : metrics_of(evaluation_)) json_.key(name).number(value);
    json_.close_object();

    std::map<std::pair<std::int64_t, int>, int> core_of_group;
    std::map<int, double> busy;
    double last = 0;
    for (const ScheduledNode& scheduled : schedule_.nodes) {
      core_of_group[{layer_of(scheduled.node), graph_.nodes[scheduled.node].group}] = scheduled.core;
      busy[scheduled.core] += scheduled.end - scheduled.start;
      last = std::max(last, scheduled.end);
    }
    segments();
    json_.member("core_of_layer_group").open_object();
    for (const auto& [group, core] : core_of_group)
      json_.key(fmt::format("{},{}", group.first, group.second)).number(core);
    json_.close_object();
    json_.member("busy_cycles_per_core").open_object();
    for (const auto& [core, cycles] : busy) json_.key(std::to_string(core)).number(cycles);
    json_.close_object();
    json_.member("last_cn_end").number(last);
  }

  void counts() {
    const auto removed = [&](auto which) {
      return std::count_if(schedule_.removals.begin(), schedule_.removals.end(), which);
    };
    std::int64_t bits = 0;
    for (const Transfer& transfer : schedule_.transfers) bits += graph_.tensors[transfer.tensor].bits;
    json_.member("nb_cns").number(static_cast<std::int64_t>(schedule_.nodes.size()));
    json_.member("nb_transfers").number(static_cast<std::int64_t>(schedule_.transfers.size()));
    json_.member("nb_offchip_blocks").number(static_cast<std::int64_t>(schedule_.blocks.size()));
    json_.member("nb_evictions").number(static_cast<std::int64_t>(removed([](const Removal& removal) {
      return removal.cause == RemovalCause::eviction;
    })));
    json_.member("nb_clears").number(static_cast<std::int64_t>(removed([](const Removal& removal) {
      return removal.cause == RemovalCause::clearing;
    })));
    json_.member("nb_writebacks").number(static_cast<std::int64_t>(removed([](const Removal& removal) {
      return removal.written_back;
    })));
    json_.member("total_transfer_bits").number(bits);
  }

  /// Opens the object of a memory with what it is called in all lists.
  void open_memory(int memory) {
    const TopMemory& top = schedule_.accelerator->top_memories[memory];
    const int core = top.cores.empty() ? 0 : top.cores.front();
    const std::vector<int>& tops = schedule_.accelerator->cores_tops[core];
    const auto index = std::find(tops.begin(), tops.end(), memory) - tops.begin();
    json_.row()
        .open_object()
        .key("core")
        .number(core)
        .key("top_memory_index")
        .number(static_cast<std::int64_t>(index));
  }

  void memories() {
    json_.member("memory").open_list();
    for (const MemoryTrace& trace : schedule_.memory) {
      const TopMemory& top = schedule_.accelerator->top_memories[trace.memory];
      open_memory(trace.memory);
      json_.key("name").text(top.name).key("capacity_bits").number(top.size);
      json_.key("peak_bits").number(trace.peak).key("peak_first_cycle").number(trace.peak_time);
      json_.key("final_bits").number(trace.last).close_object();
    }
    json_.close_list();
  }

  void digests() {
    std::string lines;
    for (const ScheduledNode* scheduled : in_order_)
      append(lines, scheduled->node, scheduled->core, scheduled->start, scheduled->end);
    json_.member("cns_sha256").text(sha256(lines));

    std::vector<std::string> rows;
    rows.reserve(schedule_.transfers.size());
    for (const Transfer& transfer : schedule_.transfers) {
      const PieceTensor& tensor = graph_.tensors[transfer.tensor];
      const CutLayer& layer = graph_.layers[tensor.layer];
      rows.push_back(fmt::format("{} {} {} {} {} {} ", layer.layer->id, sub_id_of(tensor.first_node),
                                 layer.layer->operands[tensor.operand].name, tensor.bits, transfer.sender,
                                 transfer.receiver));
      JsonRows::append(rows.back(), transfer.start);
      rows.back() += ' ';
      JsonRows::append(rows.back(), transfer.end);
      rows.back() += '\n';
    }
    std::sort(rows.begin(), rows.end());
    lines.clear();
    for (const std::string& row : rows) lines += row;
    json_.member("transfers_sha256").text(sha256(lines));

    lines.clear();
    for (const ScheduledNode& scheduled : schedule_.nodes)
      fmt::format_to(std::back_inserter(lines), "{} {}\n", layer_of(scheduled.node),
                     sub_id_of(scheduled.node));
    json_.member("sequence_sha256").text(sha256(lines));
  }

  void append(std::string& lines, int node, int core, double start, double end) const {
    fmt::format_to(std::back_inserter(lines), "{} {} {} ", layer_of(node), sub_id_of(node), core);
    JsonRows::append(lines, start);
    lines += ' ';
    JsonRows::append(lines, end);
    lines += '\n';
  }

  void nodes() {
    json_.member("cns").open_list();
    for (const ScheduledNode* scheduled : in_order_) {
      json_.row().open().number(layer_of(scheduled->node)).number(sub_id_of(scheduled->node));
      json_.number(scheduled->core).number(scheduled->start).number(scheduled->end).close();
    }
    json_.close_list();
    json_.member("scheduling_sequence").open_list();
    for (const ScheduledNode& scheduled : schedule_.nodes)
      json_.row().open().number(layer_of(scheduled.node)).number(sub_id_of(scheduled.node)).close();
    json_.close_list();
  }

  JsonRows& tensor(int number) {
    const PieceTensor& tensor = graph_.tensors[number];
    json_.open().number(graph_.layers[tensor.layer].layer->id).number(sub_id_of(tensor.first_node));
    return json_.raw(operands_[tensor.layer][tensor.operand]).close().number(tensor.bits);
  }

  void transfers() {
    json_.member("transfers").open_list();
    for (const Transfer& transfer : schedule_.transfers) {
      json_.row().open();
      tensor(transfer.tensor).number(transfer.sender).number(transfer.receiver);
      json_.text(transfer.receiver_operand).number(transfer.start).number(transfer.end);
      json_.number(transfer.link_energy).number(transfer.memory_energy).open();
      for (const int link : transfer.links) json_.number(link);
      json_.close().open();
      for (const std::uint8_t own : transfer.own) json_.number(own);
      json_.close().number(transfer.nodes_before).close();
    }
    json_.close_list();
  }

  void blocks() {
    json_.member("blocks").open_list();
    for (const StreamBlock& block : schedule_.blocks) {
      const Layer& layer = *graph_.layers[graph_.nodes[block.node].layer].layer;
      json_.row().open().open().number(layer.id).number(sub_id_of(block.node)).close().open();
      for (const int operand : block.operands) json_.text(layer.memory_operand(operand));
      json_.close().number(block.core).number(block.start).number(block.end);
      json_.number(block.read_demand).number(block.write_demand).number(block.nodes_before).close();
    }
    json_.close_list();
  }

  void removals() {
    json_.member("removals").open_list();
    for (const Removal& removal : schedule_.removals) {
      json_.row().open().text(removal_cause_names[static_cast<std::size_t>(removal.cause)]);
      tensor(removal.tensor).number(removal.core).text(removal.operand).number(removal.time);
      json_.number(removal.written_back ? 1 : 0).number(removal.write_back_end);
      json_.number(removal.nodes_before).close();
    }
    json_.close_list();
  }

  /// Left out where there is none: most schedules are without inner fusion.
  void exchanges() {
    if (schedule_.exchanges.empty()) return;
    json_.member("exchanges").open_list();
    for (const Exchange& exchange : schedule_.exchanges) {
      json_.row().open();
      tensor(exchange.tensor).number(exchange.core);
      json_.text(schedule_.accelerator->cores[exchange.core]->memories[exchange.memory].name);
      json_.open().number(layer_of(exchange.to)).number(sub_id_of(exchange.to)).close().close();
    }
    json_.close_list();
  }

  void traces() {
    json_.member("memory_traces").open_list();
    for (const MemoryTrace& trace : schedule_.memory) {
      open_memory(trace.memory);
      json_.key("trace_cycle_bits").open();
      for (const auto& [cycle, bits] : trace.bits) json_.open().number(cycle).number(bits).close();
      json_.close().close_object();
    }
    json_.close_list();
  }

  JsonRows& end_of_link(int core) { return core < 0 ? json_.text("Any") : json_.number(core); }

  void links() {
    const std::vector<LinkActivity> activity = link_activity(schedule_);
    json_.member("links").open_list();
    for (std::size_t i = 0; i < activity.size(); ++i) {
      const Link& link = schedule_.accelerator->links[i];
      json_.row().open_object().key("index").number(static_cast<std::int64_t>(i)).key("sender");
      end_of_link(link.sender).key("receiver");
      end_of_link(link.receiver).key("bandwidth_bits_per_cycle").number(link.bandwidth);
      json_.key("unit_energy").number(link.unit_energy);
      json_.key("bidirectional").boolean(link.bidirectional);
      json_.key("active_cycles").number(activity[i].active_cycles).key("transfers").open();
      for (const int transfer : activity[i].transfers) json_.number(transfer);
      json_.close().key("blocks").open();
      for (const int block : activity[i].blocks) json_.number(block);
      json_.close().close_object();
    }
    json_.close_list();
  }

  void layers() {
    if (schedule_.costs == nullptr) return;
    const std::vector<LayerFigures> figures = figures_of_layers(schedule_);
    json_.member("layers").open_list();
    for (std::size_t i = 0; i < figures.size(); ++i) {
      json_.row().open_object().key("layer").text(graph_.layers[i].layer->name);
      json_.key("energy_total").number(figures[i].energy);
      json_.key("latency_total2").number(figures[i].latency).close_object();
    }
    json_.close_list();
  }

  /// The figures of its row in a table that no other part tells.
  void row() {
    const ScheduleLimit limit = schedule_limit(chain_shares(critical_chain(schedule_)));
    if (limit.resource.empty()) return;
    json_.member("row").open_object().key("limited_by").text(limit.resource);
    json_.key("limited_share").number(limit.cycles / schedule_.latency).close_object();
  }

  const Evaluation& evaluation_;
  const Schedule& schedule_;
  const ComputationNodeGraph& graph_;
  std::vector<std::vector<std::string>> operands_;  ///< names as JSON, by layer
  std::vector<const ScheduledNode*> in_order_;      ///< by layer, then order in the layer
  JsonRows json_;
};

}  // namespace

std::string schedule_json(const Evaluation& evaluation) {
  if (evaluation.schedule == nullptr) throw InputError("the evaluation has no schedule to write");
  if (evaluation.schedule->graph == nullptr || evaluation.schedule->accelerator == nullptr)
    throw InputError("the schedule cannot be written: it has no graph or no accelerator");
  return ScheduleWriter(evaluation).text();
}

}  // namespace zz::core
