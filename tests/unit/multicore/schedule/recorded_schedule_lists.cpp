#include <algorithm>
#include <cmath>

#include "tests/unit/multicore/schedule/recorded_case.hpp"

namespace zz::test {
namespace {

using namespace core;
using nlohmann::json;

bool same_number(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

/// Our lists, written as the recorded ones are.
class Lists {
 public:
  explicit Lists(const Schedule& schedule) : schedule_(schedule), graph_(*schedule.graph) {}

  /// By layer and sub id.
  json nodes() const {
    json list = json::array();
    for (const ScheduledNode& entry : schedule_.nodes) {
      list.push_back({graph_.layer_id(entry.node), graph_.nodes[entry.node].sub_id, entry.core, entry.start,
                      entry.end});
    }
    std::sort(list.begin(), list.end());
    return list;
  }

  json transfers() const {
    json list = json::array();
    for (const Transfer& entry : schedule_.transfers) {
      list.push_back({tensor(entry.tensor), graph_.tensors[entry.tensor].bits, entry.sender, entry.receiver,
                      entry.receiver_operand, entry.start, entry.end, entry.link_energy,
                      entry.memory_energy, entry.links, entry.own, entry.nodes_before});
    }
    return list;
  }

  json blocks() const {
    json list = json::array();
    for (const StreamBlock& entry : schedule_.blocks) {
      const ComputationNode& node = graph_.nodes[entry.node];
      json operands = json::array();
      for (const int operand : entry.operands)
        operands.push_back(graph_.layers[node.layer].layer->memory_operand(operand));
      list.push_back({{graph_.layer_id(entry.node), node.sub_id},
                      operands,
                      entry.core,
                      entry.start,
                      entry.end,
                      entry.read_demand,
                      entry.write_demand,
                      entry.nodes_before});
    }
    return list;
  }

  json removals() const {
    json list = json::array();
    for (const Removal& entry : schedule_.removals) {
      list.push_back({removal_cause_names[static_cast<int>(entry.cause)], tensor(entry.tensor),
                      graph_.tensors[entry.tensor].bits, entry.core, entry.operand, entry.time,
                      entry.written_back ? 1 : 0, entry.write_back_end, entry.nodes_before});
    }
    return list;
  }

  json sequence() const {
    json list = json::array();
    for (const ScheduledNode& entry : schedule_.nodes)
      list.push_back({graph_.layer_id(entry.node), graph_.nodes[entry.node].sub_id});
    return list;
  }

 private:
  json tensor(int index) const {
    const PieceTensor& entry = graph_.tensors[index];
    const Layer& layer = *graph_.layers[entry.layer].layer;
    return {layer.id, graph_.nodes[entry.first_node].sub_id, layer.operands[entry.operand].name};
  }

  const Schedule& schedule_;
  const ComputationNodeGraph& graph_;
};

bool equal(const json& a, const json& b) {
  if (a.is_number() && b.is_number()) return same_number(a.get<double>(), b.get<double>());
  if (!a.is_array() || !b.is_array()) return a == b;
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!equal(a[i], b[i])) return false;
  }
  return true;
}

std::string compare(const std::string& what, const json& ours, const json& recorded) {
  for (std::size_t i = 0; i < std::max(ours.size(), recorded.size()); ++i) {
    const json mine = i < ours.size() ? ours[i] : json(),
               theirs = i < recorded.size() ? recorded[i] : json();
    if (!equal(mine, theirs))
      return what + " " + std::to_string(i) + ": " + mine.dump() + " instead of " + theirs.dump();
  }
  return "";
}

/// A tensor that nobody reads any more leaves several memories at once: in no order that matters.
json with_sorted_holders(json removals) {
  const auto key = [](const json& entry) { return json{entry[0], entry[1], entry[8]}; };
  for (auto first = removals.begin(); first != removals.end();) {
    auto last = first;
    while (last != removals.end() && key(*last) == key(*first)) ++last;
    if ((*first)[0] == "check_for_removal") std::sort(first, last);
    first = last;
  }
  return removals;
}

std::string compare_memory(const Schedule& schedule, const json& recorded) {
  const std::size_t count = std::min(schedule.memory.size(), recorded.at("memory").size());
  if (count != recorded.at("memory").size()) return "memories are missing";
  for (std::size_t i = 0; i < count; ++i) {
    const MemoryTrace& trace = schedule.memory[i];
    const json& row = recorded.at("memory")[i];
    const json mine = {trace.peak, trace.peak_time, trace.last};
    const json theirs = {row.at("peak_bits"), row.at("peak_first_cycle"), row.at("final_bits")};
    if (!equal(mine, theirs))
      return "memory " + std::to_string(i) + ": " + mine.dump() + " instead of " + theirs.dump();
    json steps = json::array();
    for (const auto& [time, bits] : trace.bits) steps.push_back({time, bits});
    const std::string difference = compare("trace of memory " + std::to_string(i), steps,
                                           recorded.at("memory_traces")[i].at("trace_cycle_bits"));
    if (!difference.empty()) return difference;
  }
  return "";
}

}  // namespace

std::string first_difference(const Schedule& schedule, const json& recorded) {
  const Lists lists(schedule);
  const std::string differences[] = {
      compare("place in sequence", lists.sequence(), recorded.at("scheduling_sequence")),
      compare("transfer", lists.transfers(), recorded.at("transfers")),
      compare("block", lists.blocks(), recorded.at("blocks")),
      compare("removal", with_sorted_holders(lists.removals()),
              with_sorted_holders(recorded.at("removals"))),
      compare("node", lists.nodes(), recorded.at("cns")),
  };
  for (const std::string& difference : differences) {
    if (!difference.empty()) return difference;
  }
  for (int i = 0; i < energy_term_count; ++i) {
    const double theirs = recorded.at("energy_breakdown").at(energy_term_names[i]);
    if (!same_number(schedule.energy_terms[i], theirs))
      return std::string(energy_term_names[i]) + " " + std::to_string(schedule.energy_terms[i]) +
             " instead of " + std::to_string(theirs);
  }
  if (schedule.latency != recorded.at("latency").get<double>()) return "latency";
  if (!same_number(schedule.energy, recorded.at("energy").get<double>())) return "energy";
  return compare_memory(schedule, recorded);
}

}  // namespace zz::test
