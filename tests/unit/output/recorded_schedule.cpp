#include "tests/unit/output/recorded_schedule.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include "tests/unit/files/text_of.hpp"

namespace zz::test {
namespace {

const std::filesystem::path cases = ZZ_SOURCE_DIR "/../shared/oracle/stream/cases";

/// "O[b][k] = W[k][c] * I[b][c]" has the operands O, W, I.
std::vector<core::LayerOperand> operands_of(const std::string& equation) {
  std::vector<core::LayerOperand> operands;
  for (std::size_t i = 0; i < equation.size(); ++i) {
    const bool first = i == 0 || equation[i - 1] == ' ';
    if (!first || equation[i] < 'A' || equation[i] > 'Z') continue;
    core::LayerOperand operand;
    operand.name = equation.substr(i, equation.find('[', i) - i);
    operands.push_back(operand);
  }
  return operands;
}

int id_of_link_end(const Json& end) { return end.is_number() ? end.get<int>() : -1; }

core::RemovalCause cause_of(const std::string& name) {
  const auto& names = core::removal_cause_names;
  return static_cast<core::RemovalCause>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

std::vector<std::string> recorded_schedule_cases() {
  std::vector<std::string> names;
  const std::string ending = ".detail.json.gz";
  std::error_code absent;
  for (const auto& file : std::filesystem::directory_iterator(cases, absent)) {
    const std::string name = file.path().filename().string();
    if (name.size() > ending.size() &&
        name.compare(name.size() - ending.size(), ending.size(), ending) == 0)
      names.push_back(name.substr(0, name.size() - ending.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

RecordedSchedules::RecordedSchedules(const std::string& name)
    : details(Json::parse(text_of(cases / (name + ".detail.json.gz")))) {
  const Json recorded = Json::parse(text_of(cases / (name + ".json")));
  read_accelerator(recorded["accelerator"]);
  read_graph(recorded["layers"]);
}

void RecordedSchedules::read_accelerator(const Json& recorded) {
  auto made = std::make_shared<core::MultiCoreAccelerator>();
  made->name = recorded["name"];
  made->offchip_core = recorded["offchip_core_id"].get<int>();
  for (const Json& core : recorded["cores"]) {
    auto single = std::make_shared<core::Accelerator>();
    single->array.dimensions = {{"D1", core["nb_multipliers"]}};
    made->cores.push_back(single);
    made->top_of.emplace_back();
    std::vector<int>& tops = made->cores_tops.emplace_back();
    for (const Json& memory : core["top_memories"]) {
      core::TopMemory top;
      top.name = memory["name"];
      top.cores = {core["id"].get<int>()};
      top.operands = memory["memory_operands"].get<std::vector<std::string>>();
      top.size = memory["capacity_bits"];
      tops.push_back(static_cast<int>(made->top_memories.size()));
      made->top_memories.push_back(top);
    }
  }
  for (const Json& link : recorded["links"]) {
    const Json& bandwidth = link["bandwidth_bits_per_cycle"];
    made->links.push_back(
        {id_of_link_end(link["sender"]), id_of_link_end(link["receiver"]),
         bandwidth.is_number() ? bandwidth.get<double>() : std::numeric_limits<double>::infinity(),
         link["unit_energy"], link["bidirectional"]});
  }
  made->routes.resize(made->cores.size() * made->cores.size());
  for (const Json& edge : recorded["edges_from_to_link"])
    made->routes[edge[0].get<std::size_t>() * made->cores.size() + edge[1].get<std::size_t>()] = {edge[2]};
  accelerator = made;
}

void RecordedSchedules::read_graph(const Json& layers) {
  auto made = std::make_shared<core::ComputationNodeGraph>();
  std::map<std::int64_t, int> index;
  std::set<std::int64_t> used;
  for (const Json& node : details["cn_graph"]["nodes"]) used.insert(node["id"].get<std::int64_t>());
  for (const Json& recorded : layers) {
    if (used.count(recorded["id"]) == 0) continue;
    auto layer = std::make_shared<core::Layer>();
    layer->id = recorded["id"];
    layer->operands = operands_of(recorded["equation"]);
    for (const auto& [operand, memory_operand] : recorded["memory_operand_links"].items())
      layer->mapping.memory_operands.push_back({operand, memory_operand});
    index[layer->id] = static_cast<int>(made->layers.size());
    made->layers.emplace_back().layer = layer;
    made->layers.back().piece = layer;
  }
  Json nodes = details["cn_graph"]["nodes"];
  std::sort(nodes.begin(), nodes.end(), [](const Json& a, const Json& b) {
    return std::tuple(a["id"].get<int>(), a["sub_id"].get<int>()) <
           std::tuple(b["id"].get<int>(), b["sub_id"].get<int>());
  });
  for (const Json& recorded : nodes) {
    const int layer = index.at(recorded["id"]);
    core::ComputationNode node;
    node.layer = layer;
    node.sub_id = recorded["sub_id"];
    node.group = recorded["group"];
    if (made->layers[layer].node_count++ == 0)
      made->layers[layer].first_node = static_cast<int>(made->nodes.size());
    made->nodes.push_back(node);
  }
  for (const Json& recorded : nodes) {
    for (const auto& [operand, tensor] : recorded["tensors"].items()) {
      const Json& identity = tensor["tensor"];
      if (identity[0] != recorded["id"] || identity[1] != recorded["sub_id"]) continue;
      const int layer = index.at(identity[0]);
      core::PieceTensor made_tensor;
      made_tensor.layer = layer;
      made_tensor.operand = made->layers[layer].layer->operand_index(operand);
      made_tensor.first_node = made->layers[layer].first_node + identity[1].get<int>();
      made_tensor.bits = tensor["bits"];
      made->tensors.push_back(made_tensor);
    }
  }
  graph = made;
}

int RecordedSchedules::node(const Json& id_and_sub_id) const {
  for (const core::CutLayer& layer : graph->layers)
    if (layer.layer->id == id_and_sub_id[0].get<std::int64_t>())
      return layer.first_node + id_and_sub_id[1].get<int>();
  throw std::runtime_error("no such node: " + id_and_sub_id.dump());
}

int RecordedSchedules::tensor(const Json& identity) const {
  const int first = node(identity);
  for (std::size_t i = 0; i < graph->tensors.size(); ++i) {
    const core::PieceTensor& tensor = graph->tensors[i];
    if (tensor.first_node == first &&
        graph->layers[tensor.layer].layer->operands[tensor.operand].name == identity[2])
      return static_cast<int>(i);
  }
  throw std::runtime_error("no such tensor: " + identity.dump());
}

core::Schedule RecordedSchedules::schedule(const Json& recorded) const {
  core::Schedule made;
  made.accelerator = accelerator;
  made.graph = graph;
  made.latency = recorded["latency"];
  made.energy = recorded["energy"];
  for (int term = 0; term < core::energy_term_count; ++term)
    made.energy_terms[term] = recorded["energy_breakdown"][core::energy_term_names[term]];
  std::map<int, Json> placed;
  for (const Json& cn : recorded["cns"]) placed[node(cn)] = cn;
  for (const Json& cn : recorded["scheduling_sequence"]) {
    const Json& row = placed.at(node(cn));
    made.nodes.push_back({node(cn), row[2], row[3], row[4]});
  }
  std::map<std::string, int> tensors;
  const auto known = [&](const Json& identity) {
    const auto [found, added] = tensors.try_emplace(identity.dump(), -1);
    if (added) found->second = tensor(identity);
    return found->second;
  };
  for (const Json& row : recorded["transfers"]) {
    core::Transfer transfer;
    transfer.tensor = known(row[0]);
    transfer.sender = row[2];
    transfer.receiver = row[3];
    transfer.receiver_operand = row[4];
    transfer.start = row[5];
    transfer.end = row[6];
    transfer.link_energy = row[7];
    transfer.memory_energy = row[8];
    transfer.links = row[9].get<std::vector<int>>();
    transfer.own = row[10].get<std::vector<std::uint8_t>>();
    transfer.nodes_before = row[11];
    made.transfers.push_back(transfer);
  }
  for (const Json& row : recorded["blocks"]) {
    core::StreamBlock block;
    block.node = node(row[0]);
    const core::Layer& layer = *graph->layers[graph->nodes[block.node].layer].layer;
    for (const Json& operand : row[1]) block.operands.push_back(layer.operand_assigned_to(operand));
    block.core = row[2];
    block.start = row[3];
    block.end = row[4];
    block.read_demand = row[5];
    block.write_demand = row[6];
    block.nodes_before = row[7];
    made.blocks.push_back(block);
  }
  for (const Json& row : recorded["removals"]) {
    core::Removal removal;
    removal.cause = cause_of(row[0]);
    removal.tensor = known(row[1]);
    removal.core = row[3];
    removal.operand = row[4];
    removal.time = row[5];
    removal.written_back = row[6] != 0;
    removal.write_back_end = row[7];
    removal.nodes_before = row[8];
    made.removals.push_back(removal);
  }
  for (std::size_t i = 0; i < recorded["memory"].size(); ++i) {
    const Json& memory = recorded["memory"][i];
    core::MemoryTrace trace;
    trace.memory = static_cast<int>(i);
    trace.peak = memory["peak_bits"];
    trace.peak_time = memory["peak_first_cycle"];
    trace.last = memory["final_bits"];
    for (const Json& step : recorded["memory_traces"][i]["trace_cycle_bits"])
      trace.bits.emplace_back(step[0].get<double>(), step[1].get<std::int64_t>());
    made.memory.push_back(trace);
  }
  made.allocation = recorded["genes"].get<std::vector<int>>();
  made.genes.resize(made.allocation.size());
  return made;
}

}  // namespace zz::test
