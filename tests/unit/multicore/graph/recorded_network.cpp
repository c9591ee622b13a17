#include "tests/unit/multicore/graph/recorded_network.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <stdexcept>

#include "core/hardware/accelerator_check.hpp"
#include "tests/unit/files/text_of.hpp"

namespace zz::test {
namespace {

using nlohmann::ordered_json;

/// "O[b][k] = W[k][c] * I[b][c]": operands with their dimensions, in order.
std::vector<core::LayerOperand> operands_of(const std::string& equation) {
  std::vector<core::LayerOperand> operands;
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
core::DimensionRelation relation_of(const std::string& text, const ordered_json& layer) {
  core::DimensionRelation relation;
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

std::shared_ptr<const core::Layer> layer_of(const ordered_json& recorded) {
  auto layer = std::make_shared<core::Layer>();
  layer->id = recorded["id"];
  layer->name = recorded["name"];
  layer->type = recorded["type"];
  layer->equation = recorded["equation"];
  for (const auto& [name, size] : recorded["layer_dim_sizes"].items()) layer->loops.push_back({name, size});
  for (const std::string relation : recorded["dimension_relations"])
    layer->relations.push_back(relation_of(relation, recorded));
  layer->operands = operands_of(layer->equation);
  for (core::LayerOperand& operand : layer->operands)
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

core::PassThroughNode pass_through_of(const ordered_json& recorded) {
  core::PassThroughNode node;
  node.id = recorded["id"];
  node.name = recorded["name"];
  node.type = recorded["type"];
  for (const auto& [operand, source] : recorded["input_operand_source"].items())
    node.sources.push_back(source);
  if (recorded["class"] == "FlattenNode") {
    node.shape_change.kind = core::ShapeChange::Kind::flatten;
    node.shape_change.axis = 1;
  } else if (recorded["class"] == "TransposeNode") {
    node.shape_change.kind = core::ShapeChange::Kind::transpose;
  }
  return node;
}

std::vector<core::CutLoop> loops_of(const ordered_json& list) {
  std::vector<core::CutLoop> loops;
  for (const ordered_json& entry : list) {
    core::CutLoop loop{entry[0], std::nullopt};
    if (entry[1].is_number()) loop.count = entry[1].get<std::int64_t>();
    loops.push_back(loop);
  }
  return loops;
}

core::SplitOptions options_of(const ordered_json& recorded) {
  const ordered_json& parameters = recorded["parameters"];
  core::SplitOptions options;
  options.rules = core::rules_of("stream-0.0.8");
  options.mode = parameters["cn_define_mode"];
  options.weight_share = parameters.value("split_W_percentage", 1.0);
  const ordered_json& hints =
      recorded.contains("derived_hint_loops") ? recorded["derived_hint_loops"] : parameters["hint_loops"];
  if (hints.is_array()) {
    options.loops = loops_of(hints);
  } else {
    for (const auto& [key, list] : hints.items()) {
      core::CutEntry entry;
      std::istringstream in(key);
      for (std::string id; std::getline(in, id, ',');) entry.layers.push_back(std::stoll(id));
      entry.loops = loops_of(list);
      options.cut_entries.push_back(entry);
    }
  }
  return options;
}

core::MultiCoreAccelerator accelerator_of(const ordered_json& recorded) {
  core::MultiCoreAccelerator accelerator;
  const std::vector<std::string>& operands = core::memory_operand_names();
  accelerator.cores.resize(recorded["cores"].size());
  accelerator.top_of.assign(accelerator.cores.size(), std::vector<int>(operands.size(), -1));
  for (const ordered_json& core : recorded["cores"]) {
    for (const ordered_json& memory : core["top_memories"]) {
      core::TopMemory top;
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
  if (recorded.contains("accelerator")) network.accelerator = accelerator_of(recorded["accelerator"]);
  network.options = options_of(recorded);
  return network;
}

std::filesystem::path recorded_cases() {
  const std::filesystem::path folder =
      std::filesystem::path(ZZ_SOURCE_DIR) / ".." / "shared" / "oracle" / "stream" / "cases";
  return std::filesystem::is_directory(folder) ? folder : std::filesystem::path();
}

std::vector<std::string> cases_with_graph() {
  std::vector<std::string> names;
  if (recorded_cases().empty()) return names;
  for (const auto& entry : std::filesystem::directory_iterator(recorded_cases())) {
    const std::string name = entry.path().filename().string();
    const std::size_t ending = name.find(".detail.json.gz");
    if (ending != std::string::npos) names.push_back(name.substr(0, ending));
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

}  // namespace zz::test
