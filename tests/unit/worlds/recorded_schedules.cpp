#include "tests/unit/worlds/recorded_schedules.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>

#include "core/base/diagnostics.hpp"
#include "core/hardware/accelerator_check.hpp"
#include "core/input/stream/multi_core_yaml.hpp"
#include "core/multicore/graph/split.hpp"
#include "tests/unit/worlds/texts.hpp"
#include "tests/unit/worlds/thorough.hpp"

namespace zz::test {

using namespace core;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

const std::filesystem::path oracle = ZZ_SOURCE_DIR "/../shared/oracle/stream";

/// "O[b][k] = W[k][c] * I[b][c]": operands with their dimensions, in order.
std::vector<LayerOperand> operands_of(const std::string& equation) {
  std::vector<LayerOperand> operands;
  bool inside = false;
  for (const char c : equation) {
    if (c == '[') {
      inside = true;
      operands.back().dimensions.emplace_back();
    } else if (c == ']') {
      inside = false;
    } else if (inside) {
      operands.back().dimensions.back() += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    } else if (std::isupper(static_cast<unsigned char>(c)) != 0) {
      operands.emplace_back();
      operands.back().name = c;
    }
  }
  return operands;
}

/// "IX = 2*OX + 1*FX"
DimensionRelation relation_of(const std::string& text, const ordered_json& layer) {
  DimensionRelation relation;
  std::istringstream in(text);
  std::string equals, first, plus, second;
  in >> relation.data >> equals >> first >> plus >> second;
  const auto split = [](const std::string& term, std::int64_t& scale, std::string& loop) {
    scale = std::stoll(term.substr(0, term.find('*')));
    loop = term.substr(term.find('*') + 1);
  };
  split(first, relation.stride, relation.output_loop);
  split(second, relation.dilation, relation.filter_loop);
  relation.size = layer["pr_layer_dim_sizes"][relation.data];
  if (layer["padding"].contains(relation.data)) {
    relation.padding_low = layer["padding"][relation.data][0];
    relation.padding_high = layer["padding"][relation.data][1];
    relation.has_padding = true;
  }
  return relation;
}

std::shared_ptr<const Layer> layer_of(const ordered_json& recorded) {
  auto layer = std::make_shared<Layer>();
  layer->id = recorded["id"];
  layer->name = recorded["name"];
  layer->type = recorded["type"];
  layer->equation = recorded["equation"];
  for (const auto& [name, size] : recorded["layer_dim_sizes"].items()) layer->loops.push_back({name, size});
  for (const std::string relation : recorded["dimension_relations"])
    layer->relations.push_back(relation_of(relation, recorded));
  layer->operands = operands_of(layer->equation);
  for (LayerOperand& operand : layer->operands)
    operand.precision = recorded["operand_precision"][operand.name];
  layer->final_output_precision = recorded["operand_precision"]["O_final"];
  for (const std::string name : recorded["constant_operands"]) {
    const int operand = layer->operand_index(name);
    layer->operands[operand].constant = true;
    layer->source_order.push_back(operand);
  }
  for (const auto& [name, source] : recorded["input_operand_source"].items()) {
    const int operand = layer->operand_index(name);
    layer->operands[operand].sources = {source.get<std::int64_t>()};
    layer->source_order.push_back(operand);
  }
  for (const auto& [operand, memory] : recorded["memory_operand_links"].items())
    layer->mapping.memory_operands.push_back({operand, memory});
  layer->mapping.core_allocation.clear();
  for (const std::int64_t core : recorded["possible_core_allocation"])
    layer->mapping.core_allocation.push_back(core);
  return layer;
}

PassThroughNode pass_through_of(const ordered_json& recorded) {
  PassThroughNode node;
  node.id = recorded["id"];
  node.name = recorded["name"];
  node.type = recorded["type"];
  for (const auto& [operand, source] : recorded["input_operand_source"].items())
    node.sources.push_back(source);
  if (recorded["class"] == "FlattenNode") {
    node.shape_change.kind = ShapeChange::Kind::flatten;
    node.shape_change.axis = 1;
  } else if (recorded["class"] == "TransposeNode") {
    node.shape_change.kind = ShapeChange::Kind::transpose;
  }
  return node;
}

std::vector<CutLoop> loops_of(const ordered_json& list) {
  std::vector<CutLoop> loops;
  for (const ordered_json& entry : list) {
    CutLoop loop{entry[0], std::nullopt};
    if (entry[1].is_number()) loop.count = entry[1].get<std::int64_t>();
    loops.push_back(loop);
  }
  return loops;
}

SplitOptions options_of(const ordered_json& recorded) {
  const ordered_json& parameters = recorded["parameters"];
  SplitOptions options;
  options.rules = rules_of("stream-0.0.8");
  options.mode = parameters["cn_define_mode"];
  options.weight_share = parameters.value("split_W_percentage", 1.0);
  const ordered_json& hints =
      recorded.contains("derived_hint_loops") ? recorded["derived_hint_loops"] : parameters["hint_loops"];
  if (hints.is_array()) {
    options.loops = loops_of(hints);
  } else {
    for (const auto& [key, list] : hints.items()) {
      CutEntry entry;
      std::istringstream in(key);
      for (std::string id; std::getline(in, id, ',');) entry.layers.push_back(std::stoll(id));
      entry.loops = loops_of(list);
      options.cut_entries.push_back(entry);
    }
  }
  return options;
}

MultiCoreAccelerator top_memories_of(const ordered_json& recorded) {
  MultiCoreAccelerator accelerator;
  const std::vector<std::string>& operands = memory_operand_names();
  accelerator.cores.resize(recorded["cores"].size());
  accelerator.top_of.assign(accelerator.cores.size(), std::vector<int>(operands.size(), -1));
  for (const ordered_json& core : recorded["cores"]) {
    for (const ordered_json& memory : core["top_memories"]) {
      TopMemory top;
      top.size = memory["capacity_bits"];
      for (const std::string operand : memory["memory_operands"]) {
        const auto found = std::find(operands.begin(), operands.end(), operand);
        if (found != operands.end())
          accelerator.top_of[core["id"]][found - operands.begin()] =
              static_cast<int>(accelerator.top_memories.size());
      }
      accelerator.top_memories.push_back(top);
    }
  }
  return accelerator;
}

}  // namespace

std::filesystem::path recorded_cases() {
  const std::filesystem::path folder = oracle / "cases";
  return std::filesystem::is_directory(folder) ? folder : std::filesystem::path();
}

std::vector<std::string> recorded_case_names() {
  std::vector<std::string> names;
  if (recorded_cases().empty()) return names;
  for (const auto& entry : std::filesystem::directory_iterator(recorded_cases())) {
    const std::string name = entry.path().filename().string();
    const std::size_t ending = name.find(".detail.json.gz");
    if (ending == std::string::npos || (!thorough() && entry.file_size() > 60'000)) continue;
    names.push_back(name.substr(0, ending));
  }
  std::sort(names.begin(), names.end());
  return names;
}

ordered_json recorded_case(const std::string& name) {
  return ordered_json::parse(text_of(recorded_cases() / (name + ".json")));
}

ordered_json recorded_details(const std::string& name) {
  return ordered_json::parse(text_of(recorded_cases() / (name + ".detail.json.gz")));
}

RecordedNetwork recorded_network(const ordered_json& recorded) {
  RecordedNetwork network;
  for (const ordered_json& node : recorded["layers"]) {
    network.workload.node_order.push_back(node["id"]);
    for (const std::int64_t successor : node["successors"])
      network.workload.edges.emplace_back(node["id"], successor);
    if (node.contains("equation"))
      network.workload.layers.push_back(layer_of(node));
    else
      network.workload.pass_through.push_back(pass_through_of(node));
  }
  if (recorded.contains("accelerator")) network.accelerator = top_memories_of(recorded["accelerator"]);
  network.options = options_of(recorded);
  return network;
}

namespace {

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
    description->array.dimensions = {{"D1", core.at("nb_multipliers")}};
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
  chosen.rules = as_stream ? rules_of("stream-0.0.8") : Rules{};
  return std::make_shared<ScheduleProblem>(accelerator, graph, costs, chosen);
}

ScheduleChoice RecordedCase::choice(const json& genes) const {
  ScheduleChoice choice;
  if (genes.is_array()) choice.cores = genes.get<std::vector<int>>();
  return choice;
}

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
  result.options.rules = rules_of("stream-0.0.8");
  result.schedules = std::move(detail.at("schedules"));
  if (detail.contains("ga_evaluations")) result.searched = std::move(detail.at("ga_evaluations"));
  const std::filesystem::path exhaustive = cases / (name + ".exhaustive.json.gz");
  if (std::filesystem::exists(exhaustive))
    result.exhaustive = json::parse(text_of(exhaustive)).at("results");
  return result;
}

RecordedCosts::RecordedCosts(const std::string& name) : graph(graph_of(name)) {
  const json recorded = recorded_case(name);
  rows = recorded["intra_core_costs"];
  factor_limit = recorded["parameters"]["loma_lpf_limit"];
  Diagnostics diagnostics;
  const std::filesystem::path file =
      oracle / "inputs" / recorded["inputs"]["accelerator"].get<std::string>();
  accelerator = std::make_shared<MultiCoreAccelerator>(
      read_multi_core(file.string(), diagnostics, Files::on_disk(), rules_of("stream-0.0.8")));
}

namespace {

RemovalCause cause_of(const std::string& name) {
  const auto& names = removal_cause_names;
  return static_cast<RemovalCause>(std::find(names.begin(), names.end(), name) - names.begin());
}

int node_of(const ComputationNodeGraph& graph, const json& id_and_sub_id) {
  for (const CutLayer& layer : graph.layers)
    if (layer.layer->id == id_and_sub_id[0].get<std::int64_t>())
      return layer.first_node + id_and_sub_id[1].get<int>();
  throw std::runtime_error("no such node: " + id_and_sub_id.dump());
}

int tensor_of(const ComputationNodeGraph& graph, const json& identity) {
  const int first = node_of(graph, identity);
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const PieceTensor& tensor = graph.tensors[i];
    if (tensor.first_node == first &&
        graph.layers[tensor.layer].layer->operands[tensor.operand].name == identity[2].get<std::string>())
      return static_cast<int>(i);
  }
  throw std::runtime_error("no such tensor: " + identity.dump());
}

}  // namespace

Schedule recorded_schedule(const RecordedCase& of, const json& recorded) {
  const ComputationNodeGraph& graph = *of.graph;
  const auto node = [&](const json& id_and_sub_id) { return node_of(graph, id_and_sub_id); };
  Schedule made;
  made.accelerator = of.accelerator;
  made.graph = of.graph;
  made.latency = recorded["latency"];
  made.energy = recorded["energy"];
  for (int term = 0; term < energy_term_count; ++term)
    made.energy_terms[term] = recorded["energy_breakdown"][energy_term_names[term]];
  std::map<int, json> placed;
  for (const json& cn : recorded["cns"]) placed[node(cn)] = cn;
  for (const json& cn : recorded["scheduling_sequence"]) {
    const json& row = placed.at(node(cn));
    made.nodes.push_back({node(cn), row[2], row[3], row[4]});
  }
  std::map<std::string, int> tensors;
  const auto known = [&](const json& identity) {
    const auto [found, added] = tensors.try_emplace(identity.dump(), -1);
    if (added) found->second = tensor_of(graph, identity);
    return found->second;
  };
  for (const json& row : recorded["transfers"]) {
    Transfer transfer;
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
  for (const json& row : recorded["blocks"]) {
    StreamBlock block;
    block.node = node(row[0]);
    const Layer& layer = *graph.layers[graph.nodes[block.node].layer].layer;
    for (const json& operand : row[1]) block.operands.push_back(layer.operand_assigned_to(operand));
    block.core = row[2];
    block.start = row[3];
    block.end = row[4];
    block.read_demand = row[5];
    block.write_demand = row[6];
    block.nodes_before = row[7];
    made.blocks.push_back(block);
  }
  for (const json& row : recorded["removals"]) {
    Removal removal;
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
    const json& memory = recorded["memory"][i];
    MemoryTrace trace;
    trace.memory = static_cast<int>(i);
    trace.peak = memory["peak_bits"];
    trace.peak_time = memory["peak_first_cycle"];
    trace.last = memory["final_bits"];
    for (const json& step : recorded["memory_traces"][i]["trace_cycle_bits"])
      trace.bits.emplace_back(step[0].get<double>(), step[1].get<std::int64_t>());
    made.memory.push_back(trace);
  }
  made.allocation = recorded["genes"].get<std::vector<int>>();
  made.genes.resize(made.allocation.size());
  return made;
}

namespace {

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
