#include "plugins/pictures/perfetto_trace.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/json_text.hpp"
#include "core/multicore/schedule/exchanges.hpp"
#include "core/output/json/json_rows.hpp"
#include "plugins/pictures/labels.hpp"
#include "plugins/pictures/schedule_rows.hpp"

namespace zz::plugins {
namespace {

// Tracks are "threads" of three "processes".
constexpr int core_process = 1, link_process = 2, memory_process = 3;

enum class Phase { slice, flow_begin, flow_step, flow_end, counter };

struct Event {
  double time = 0;
  Phase phase = Phase::slice;
  int bar = 0;     ///< of a slice or of an end of a flow; of a counter: the index of the memory
  int number = 0;  ///< of the flow; of a counter: the step
};

class TraceWriter {
 public:
  explicit TraceWriter(const core::Schedule& schedule)
      : schedule_(schedule), graph_(*schedule.graph), picture_(schedule_rows(schedule)) {
    for (const core::CutLayer& layer : graph_.layers)
      layer_names_.push_back(core::json_string(layer_label(*layer.layer)));
    for (const core::MemoryTrace& trace : schedule_.memory)
      memory_names_.push_back(core::json_string(memory_label(*schedule_.accelerator, trace.memory)));
    int track = 1;
    for (const ScheduleRow& row : picture_.rows) {
      first_track_.push_back(track);
      track += row.lanes;
    }
  }

  std::string text() {
    json_.member("displayTimeUnit").text("ns");
    json_.member("otherData").open_object().key("note").text("times are cycles: 1 us stands for 1 cycle");
    json_.key("accelerator").text(schedule_.accelerator->name).key("workload").text(graph_.name);
    json_.key("latency_cycles").number(schedule_.latency).key("energy_pJ").number(schedule_.energy);
    json_.close_object();
    json_.member("traceEvents").open_list();
    tracks();
    for (const Event& event : events()) {
      if (event.phase == Phase::slice)
        slice(picture_.bars[event.bar]);
      else if (event.phase == Phase::counter)
        counter(event);
      else
        flow(event);
    }
    json_.close_list();
    return std::move(json_).finish();
  }

 private:
  void named(const char* what, int process, int track, const std::string& name, int rank) {
    const std::string kind(what);
    json_.row()
        .open_object()
        .key("ph")
        .text("M")
        .key("name")
        .text(kind + "_name")
        .key("pid")
        .number(process);
    json_.key("tid").number(track).key("args").open_object().key("name").text(name);
    json_.close_object().close_object();
    json_.row().open_object().key("ph").text("M").key("name").text(kind + "_sort_index");
    json_.key("pid").number(process).key("tid").number(track).key("args").open_object();
    json_.key("sort_index").number(rank).close_object().close_object();
  }

  void tracks() {
    named("process", core_process, 0, "cores", core_process);
    named("process", link_process, 0, "links", link_process);
    named("process", memory_process, 0, "memories", memory_process);
    for (std::size_t i = 0; i < picture_.rows.size(); ++i) {
      const ScheduleRow& row = picture_.rows[i];
      std::string name = row.label;
      if (!row.link) name += ": " + schedule_.accelerator->cores[row.index]->name;
      for (int lane = 0; lane < row.lanes; ++lane)
        named("thread", row.link ? link_process : core_process, first_track_[i] + lane, name,
              first_track_[i] + lane);
    }
  }

  /// Slices stand before what refers to them at the same time.
  std::vector<Event> events() const {
    std::vector<Event> all;
    all.reserve(picture_.bars.size());
    for (std::size_t i = 0; i < picture_.bars.size(); ++i)
      all.push_back({picture_.bars[i].start, Phase::slice, static_cast<int>(i), 0});
    add_flows(all);
    for (std::size_t memory = 0; memory < schedule_.memory.size(); ++memory) {
      const auto& steps = schedule_.memory[memory].bits;
      for (std::size_t step = 0; step < steps.size(); ++step)
        all.push_back(
            {steps[step].first, Phase::counter, static_cast<int>(memory), static_cast<int>(step)});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Event& a, const Event& b) { return a.time < b.time; });
    return all;
  }

  void add_flows(std::vector<Event>& all) const {
    std::vector<int> bar_of_node(graph_.nodes.size(), -1);
    std::vector<int> bar_of_transfer(schedule_.transfers.size(), -1);
    for (std::size_t i = picture_.bars.size(); i-- > 0;) {
      const ScheduleBar& bar = picture_.bars[i];
      if (bar.kind == ScheduleBar::Kind::node)
        bar_of_node[schedule_.nodes[bar.position].node] = static_cast<int>(i);
      else if (bar.kind == ScheduleBar::Kind::transfer)
        bar_of_transfer[bar.position] = static_cast<int>(i);
    }
    const std::vector<Arrival> arrivals = this->arrivals();
    int number = 0;
    for (const core::Dependency& dependency : graph_.dependencies) {
      const int from = bar_of_node[dependency.from], to = bar_of_node[dependency.to];
      if (dependency.operand < 0 || from < 0 || to < 0) continue;
      const ScheduleBar &producer = picture_.bars[from], &consumer = picture_.bars[to];
      if (producer.row == consumer.row || consumer.start < producer.start) continue;
      ++number;
      all.push_back({producer.start, Phase::flow_begin, from, number});
      const int core = schedule_.nodes[consumer.position].core;
      const int transfer =
          carrier(arrivals, graph_.nodes[dependency.from].tensors[0], core, consumer.start);
      const int over = transfer < 0 ? -1 : bar_of_transfer[transfer];
      if (over >= 0 && picture_.bars[over].start >= producer.start)
        all.push_back({picture_.bars[over].start, Phase::flow_step, over, number});
      all.push_back({consumer.start, Phase::flow_end, to, number});
    }
  }

  /// Tensor, core that it arrives at, when, and the transfer that brings it.
  using Arrival = std::tuple<int, int, double, int>;

  std::vector<Arrival> arrivals() const {
    std::vector<Arrival> all;
    all.reserve(schedule_.transfers.size());
    for (std::size_t i = 0; i < schedule_.transfers.size(); ++i) {
      const core::Transfer& transfer = schedule_.transfers[i];
      all.emplace_back(transfer.tensor, transfer.receiver, transfer.end, static_cast<int>(i));
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  /// The last transfer that brought the tensor in time, or -1: cores may share a memory.
  static int carrier(const std::vector<Arrival>& arrivals, int tensor, int core, double time) {
    const auto after = std::upper_bound(arrivals.begin(), arrivals.end(),
                                        Arrival(tensor, core, time, std::numeric_limits<int>::max()));
    if (after == arrivals.begin()) return -1;
    const auto& [found, at, end, transfer] = *std::prev(after);
    return found == tensor && at == core ? transfer : -1;
  }

  void open_slice(const ScheduleBar& bar, std::string_view name, const char* category) {
    json_.row().open_object().key("ph").text("X").key("name").raw(name).key("cat").text(category);
    track_of(bar);
    json_.key("ts").number(bar.start).key("dur").number(bar.end - bar.start).key("args").open_object();
  }

  void track_of(const ScheduleBar& bar) {
    json_.key("pid").number(picture_.rows[bar.row].link ? link_process : core_process);
    json_.key("tid").number(first_track_[bar.row] + bar.lane);
  }

  void slice(const ScheduleBar& bar) {
    if (bar.kind == ScheduleBar::Kind::node)
      node(bar);
    else if (bar.kind == ScheduleBar::Kind::transfer)
      transfer(bar, schedule_.transfers[bar.position]);
    else
      block(bar, schedule_.blocks[bar.position]);
    json_.close_object().close_object();
  }

  void node(const ScheduleBar& bar) {
    const core::ScheduledNode& scheduled = schedule_.nodes[bar.position];
    const core::ComputationNode& node = graph_.nodes[scheduled.node];
    open_slice(bar, layer_names_[node.layer], "node");
    json_.key("layer").number(graph_.layer_id(scheduled.node)).key("sub_id").number(node.sub_id);
    json_.key("group").number(node.group).key("operands").text(operands_text(schedule_, scheduled));
    const core::CoreCost* cost = costs_[bar.position];
    if (cost == nullptr) return;
    json_.key("onchip_energy_pJ").number(cost->onchip_energy);
    json_.key("offchip_energy_pJ").number(cost->offchip_energy);
  }

  void transfer(const ScheduleBar& bar, const core::Transfer& transfer) {
    const core::PieceTensor& tensor = graph_.tensors[transfer.tensor];
    open_slice(bar, layer_names_[tensor.layer], "transfer");
    json_.key("tensor").text(tensor_text(graph_, transfer.tensor)).key("bits").number(tensor.bits);
    json_.key("sender").text(core_label(*schedule_.accelerator, transfer.sender));
    json_.key("receiver").text(core_label(*schedule_.accelerator, transfer.receiver));
    json_.key("link_energy_pJ").number(transfer.link_energy);
    json_.key("memory_energy_pJ").number(transfer.memory_energy);
  }

  void block(const ScheduleBar& bar, const core::StreamBlock& block) {
    const core::ComputationNode& node = graph_.nodes[block.node];
    open_slice(bar, layer_names_[node.layer], "reservation");
    json_.key("layer").number(graph_.layer_id(block.node)).key("sub_id").number(node.sub_id);
    json_.key("read_bits_per_cycle").number(block.read_demand);
    json_.key("write_bits_per_cycle").number(block.write_demand);
  }

  void flow(const Event& event) {
    constexpr const char* phases[] = {"", "s", "t", "f"};
    json_.row().open_object().key("ph").text(phases[static_cast<int>(event.phase)]);
    json_.key("name").text("data").key("cat").text("data").key("id").number(event.number);
    track_of(picture_.bars[event.bar]);
    json_.key("ts").number(event.time);
    // The end is tied to the bar that begins there, not to the next one.
    if (event.phase == Phase::flow_end) json_.key("bp").text("e");
    json_.close_object();
  }

  void counter(const Event& event) {
    json_.row().open_object().key("ph").text("C").key("name").raw(memory_names_[event.bar]);
    json_.key("pid").number(memory_process).key("ts").number(event.time).key("args").open_object();
    json_.key("bits").number(schedule_.memory[event.bar].bits[event.number].second);
    json_.close_object().close_object();
  }

  const core::Schedule& schedule_;
  const std::vector<const core::CoreCost*> costs_ = core::costs_of_nodes(schedule_);
  const core::ComputationNodeGraph& graph_;
  ScheduleRows picture_;
  std::vector<std::string> layer_names_, memory_names_;  ///< as JSON
  std::vector<int> first_track_;                         ///< of each row
  core::JsonRows json_;
};

}  // namespace

std::string perfetto_trace(const core::Schedule& schedule) {
  if (schedule.graph == nullptr || schedule.accelerator == nullptr)
    throw core::InputError("the schedule cannot be written as a trace: it has no graph or no accelerator");
  return TraceWriter(schedule).text();
}

}  // namespace zz::plugins
