#include "tests/unit/multicore/schedule/recorded_case.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "core/multicore/graph/split.hpp"
#include "tests/unit/files/text_of.hpp"
#include "tests/unit/multicore/graph/recorded_network.hpp"

namespace zz::test {
namespace {

using namespace core;
using nlohmann::json;

/// The path as recorded, as links.
std::vector<int> route_links(const json& path, const std::map<std::pair<int, int>, int>& link_of) {
  std::vector<int> links;
  for (std::size_t i = 0; i + 1 < path.size(); ++i)
    links.push_back(link_of.at({path[i].get<int>(), path[i + 1].get<int>()}));
  return links;
}

std::shared_ptr<const MultiCoreAccelerator> recorded_accelerator(const json& recorded) {
  auto accelerator = std::make_shared<MultiCoreAccelerator>();
  accelerator->name = recorded.at("name");
  const std::size_t count = recorded.at("cores").size();
  accelerator->cores.resize(count);
  accelerator->cores_tops.resize(count);
  accelerator->offchip_core = recorded.at("offchip_core_id").get<int>();
  for (const json& core : recorded.at("cores")) {
    const int id = core.at("id");
    auto description = std::make_shared<Accelerator>();
    description->name = "core " + std::to_string(id);
    accelerator->cores[id] = description;
    for (const json& memory : core.at("top_memories")) {
      accelerator->cores_tops[id].push_back(static_cast<int>(accelerator->top_memories.size()));
      accelerator->top_memories.push_back({memory.at("name"),
                                           {id},
                                           memory.at("memory_operands"),
                                           memory.at("capacity_bits"),
                                           memory.at("read_bw"),
                                           memory.at("write_bw"),
                                           memory.at("read_energy"),
                                           memory.at("write_energy")});
    }
  }
  for (const json& entry : recorded.at("links")) {
    Link link;
    if (entry.at("sender").is_number()) link.sender = entry.at("sender");
    if (entry.at("receiver").is_number()) link.receiver = entry.at("receiver");
    const json& bandwidth = entry.at("bandwidth_bits_per_cycle");
    if (bandwidth.is_number()) link.bandwidth = bandwidth;
    link.unit_energy = entry.at("unit_energy");
    link.bidirectional = entry.at("bidirectional");
    accelerator->links.push_back(link);
  }
  std::map<std::pair<int, int>, int> link_of;
  for (const json& edge : recorded.at("edges_from_to_link")) {
    accelerator->connections.push_back({edge[0], edge[1], edge[2]});
    link_of[{edge[0].get<int>(), edge[1].get<int>()}] = edge[2];
  }
  accelerator->routes.resize(count * count);
  for (const auto& [ends, path] : recorded.at("shortest_paths").items()) {
    const std::size_t arrow = ends.find("->");
    const int from = std::stoi(ends.substr(0, arrow)), to = std::stoi(ends.substr(arrow + 2));
    accelerator->routes[from * count + to] = route_links(path, link_of);
  }
  return accelerator;
}

/// The graph is made again rather than read: the order of its edges matters, and is not in the recording.
std::shared_ptr<const ComputationNodeGraph> graph_of(const std::string& name) {
  const RecordedNetwork network = recorded_network(recorded_case(name));
  std::vector<std::string> warnings;
  return std::make_shared<ComputationNodeGraph>(
      split_into_nodes(network.workload, network.accelerator, network.options, warnings));
}

/// Bits that pass the off-chip memory, from what its accesses were recorded to cost.
double streamed_bits(const json& row, const std::string& operand, double access_cost, double access_bits) {
  return row.at("mem_energy_breakdown").at(operand).back().get<double>() / access_cost * access_bits;
}

std::shared_ptr<const CoreCosts> recorded_costs(const json& rows, const ComputationNodeGraph& graph,
                                                const MultiCoreAccelerator& accelerator) {
  const TopMemory& offchip =
      accelerator.top_memories[accelerator.cores_tops[*accelerator.offchip_core].front()];
  auto costs = std::make_shared<CoreCosts>();
  costs->layers.resize(graph.layers.size());
  for (const json& row : rows) {
    std::size_t index = 0;
    while (graph.layers[index].layer->id != row.at("layer_id").get<std::int64_t>()) ++index;
    const Layer& layer = *graph.layers[index].layer;
    CoreCost cost;
    cost.core = row.at("core");
    cost.runtime = row.at("latency_total1");
    cost.onchip_energy = row.at("onchip_energy");
    cost.offchip_energy = row.at("offchip_energy");
    const json& large = row.at("too_large_operands");
    for (std::size_t i = 0; i < layer.operands.size(); ++i) {
      const int operand = static_cast<int>(i);
      if (std::find(large.begin(), large.end(), layer.memory_operand(operand)) == large.end()) continue;
      cost.streamed.push_back(operand);
      const std::string& name = layer.operands[i].name;
      if (operand == 0) {
        cost.stream_write_bits +=
            streamed_bits(row, name, offchip.write_cost, static_cast<double>(offchip.write_bandwidth));
      } else {
        cost.stream_read_bits +=
            streamed_bits(row, name, offchip.read_cost, static_cast<double>(offchip.read_bandwidth));
      }
    }
    cost.stream_read_elements = row.at("offchip_bw").at("rd_out_to_low");
    cost.stream_write_elements = row.at("offchip_bw").at("wr_in_by_low");
    costs->layers[index].on.push_back(cost);
  }
  return costs;
}

}  // namespace

std::shared_ptr<const ScheduleProblem> RecordedCase::problem(bool as_stream) const {
  ScheduleOptions chosen = options;
  chosen.rules = as_stream ? core::rules_of("stream-0.0.8") : core::Rules{};
  return std::make_shared<ScheduleProblem>(accelerator, graph, costs, chosen);
}

ScheduleChoice RecordedCase::choice(const json& genes) const {
  ScheduleChoice choice;
  if (genes.is_array()) choice.cores = genes.get<std::vector<int>>();
  return choice;
}

std::vector<std::string> cases_with_schedules() { return cases_with_graph(); }

RecordedCase recorded_case_of_schedules(const std::string& name) {
  RecordedCase result;
  result.name = name;
  const std::filesystem::path cases = recorded_cases();
  const json summary = recorded_case(name);
  json detail = json::parse(text_of(cases / (name + ".detail.json.gz")));
  result.accelerator = recorded_accelerator(summary.at("accelerator"));
  result.graph = graph_of(name);
  result.costs = recorded_costs(summary.at("intra_core_costs"), *result.graph, *result.accelerator);
  result.options.prefetch =
      summary.at("parameters").at("operands_to_prefetch").get<std::vector<std::string>>();
  result.options.rules = core::rules_of("stream-0.0.8");
  result.schedules = std::move(detail.at("schedules"));
  if (detail.contains("ga_evaluations")) result.searched = std::move(detail.at("ga_evaluations"));
  const std::filesystem::path exhaustive = cases / (name + ".exhaustive.json.gz");
  if (std::filesystem::exists(exhaustive))
    result.exhaustive = json::parse(text_of(exhaustive)).at("results");
  return result;
}

}  // namespace zz::test
