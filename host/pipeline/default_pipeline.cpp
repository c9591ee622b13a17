#include "host/pipeline/default_pipeline.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <variant>

#include "core/base/nearest_name.hpp"
#include "core/compat/rules.hpp"
#include "core/hardware/open_costs.hpp"
#include "core/input/stream/multi_core_yaml.hpp"
#include "core/input/zigzag/number_type_yaml.hpp"
#include "core/search/methods/objective.hpp"
#include "core/workload/layer_precision.hpp"

namespace zz::host {
namespace {

using core::yaml::Node;

constexpr std::int64_t limit_of_zigzag = 6;
constexpr std::int64_t seconds_of_proof = 1;

/// In the one way in which it is written; what is none as it is.
std::string word_of_objective(const std::string& given) {
  const std::optional<core::Objective> objective = core::objective_of_word(given);
  return objective ? core::word_of(*objective) : given;
}

bool has_several_cores(const std::string& accelerator, const core::Files& files) {
  try {
    core::Diagnostics told_by_the_parser;
    const Node file = core::yaml::load_file(accelerator, told_by_the_parser, files);
    return file.is_map() && file.find("cores") != nullptr;
  } catch (const core::InputError&) {
    return false;
  }
}

/// True if a stage has to fill costs. Faults of the file are left to the stage that reads it. Files that
/// only ZigZag's rules take, as with two ports of one name, leave costs open, too.
bool leaves_costs_open(const std::string& accelerator, const core::Files& files) {
  const auto open = [](const core::Accelerator& core) { return !core::open_costs(core).empty(); };
  try {
    core::Diagnostics told_by_the_parser;
    const auto description = core::read_one_or_several_cores(accelerator, told_by_the_parser, files,
                                                             core::rules_of("zigzag-3.8.5"));
    if (const auto* one = std::get_if<core::Accelerator>(&description)) return open(*one);
    const auto& cores = std::get<core::MultiCoreAccelerator>(description).cores;
    return std::any_of(cores.begin(), cores.end(), [&](const auto& core) { return open(*core); });
  } catch (const core::InputError&) {
    return false;
  }
}

Node text_node(const std::string& text) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.text = text;
  node.quoted = true;
  return node;
}

Node scalar_node(std::string text) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.text = std::move(text);
  return node;
}

Node number_node(std::int64_t number) { return scalar_node(std::to_string(number)); }

Node map_node() {
  Node node;
  node.kind = Node::Kind::map;
  return node;
}

/// A list of stages as it stands in a pipeline file.
Node list_node(const std::vector<StageEntry>& stages) {
  Node node;
  node.kind = Node::Kind::list;
  for (const StageEntry& stage : stages) {
    if (stage.settings.empty()) {
      node.items.push_back(text_node(stage.name));
      continue;
    }
    Node settings = map_node();
    for (const WrittenSetting& setting : stage.settings) {
      settings.entries.emplace_back(setting.name, setting.value);
      settings.key_marks.push_back(setting.mark);
    }
    Node entry = map_node();
    entry.entries.emplace_back(stage.name, std::move(settings));
    entry.key_marks.push_back(stage.mark);
    node.items.push_back(std::move(entry));
  }
  return node;
}

class DefaultPipeline {
 public:
  DefaultPipeline(const PipelineChoices& choices, const core::Files& files)
      : choices_(choices), files_(files), objective_(word_of_objective(choices.objective)) {
    pipeline_.path = choices.fused ? "zz-host fused" : choices.serving ? "zz-host profile" : "zz-host map";
  }

  PipelineFile make() {
    check_choices();
    add_file("workload", choices_.workload);
    add_file("accelerator", choices_.accelerator);
    if (!choices_.vector_unit.empty()) add_file("vector_unit", choices_.vector_unit);
    const bool several = has_several_cores(choices_.accelerator, files_);
    if (choices_.serving && several)
      diagnostics_.error({choices_.accelerator, 0, 0},
                         "tables are of chips with one core, and this accelerator has several",
                         "give the file of one core");
    else if (choices_.fused && several)
      diagnostics_.error({choices_.accelerator, 0, 0},
                         "layers are fused on one core, and this accelerator has several",
                         "'zz-host map' searches how several cores work together");
    else if (choices_.mapping.empty() && !several)
      pipeline_.parameters.push_back(
          {"mapping", {"without --mapping", 0, 0}, any_unrolling(), Origin::command_line});
    else
      add_file("mapping", choices_.mapping);
    diagnostics_.throw_if_errors();
    if (choices_.quick)
      add_parameter("loma_lpf_limit", "limit", number_node(choices_.limit.value_or(limit_of_zigzag)));
    if (!choices_.precision.empty()) add_parameter("precision", "precision", text_node(choices_.precision));
    if (choices_.within)
      add_parameter("within", "within", scalar_node(fmt::format("{}", *choices_.within)));
    if (!choices_.store.empty()) add_parameter("store", "store", text_node(choices_.store));
    if (!choices_.output.empty())
      add_parameter(choices_.serving ? "output" : "dump_folder", "output", text_node(choices_.output));
    if (choices_.serving) {
      add_stages_for_serving();
    } else if (several) {
      add_stages_for_several_cores();
    } else {
      if (!choices_.quick && !choices_.fused)
        pipeline_.parameters.push_back(
            {"time_limit", {pipeline_.path, 0, 0}, number_node(seconds_of_proof), Origin::parameters});
      add_stages_for_one_core();
    }
    return std::move(pipeline_);
  }

 private:
  void check_choices() {
    if (!core::objective_of_word(objective_))
      diagnostics_.error(
          {},
          fmt::format("the objective must be energy, latency or edp, but found '{}'", choices_.objective),
          core::suggestion(objective_, core::objective_words()));
    try {
      core::read_precision_choice(choices_.precision);
    } catch (const core::InputError& problem) {
      diagnostics_.error({fmt::format("--precision {}", choices_.precision), 0, 0},
                         problem.diagnostics().front().message);
    }
    if (!choices_.quick && choices_.limit.has_value())
      diagnostics_.error({}, "the limit is one of LOMA's loop factors, and the proven search has none",
                         "leave the limit out, or ask for the quick search");
    if (choices_.quick && !choices_.store.empty())
      diagnostics_.error({}, "the quick search proves nothing that a store could keep",
                         "leave 'store' out, or the quick search");
    if (choices_.quick && choices_.within)
      diagnostics_.error({}, "the quick search compares by one figure alone, so that nothing is within",
                         "leave 'within' out, or the quick search");
  }

  void add_parameter(const std::string& name, const std::string& option, Node value) {
    const core::SourceMark mark{fmt::format("--{} {}", option, value.text), 0, 0};
    value.mark = mark;
    pipeline_.parameters.push_back({name, mark, std::move(value), Origin::command_line});
  }

  void add_file(const std::string& name, const std::string& file) {
    if (file.empty())
      diagnostics_.error({}, fmt::format("no {} is given", name),
                         choices_.fused ? "'zz-host fused' needs a WORKLOAD and an ACCELERATOR"
                         : choices_.serving
                             ? "'zz-host profile' needs a CONFIG and a CHIP"
                             : fmt::format("'zz-host map' needs --{0} FILE, zz.map in Python {0}=", name));
    else
      add_parameter(name, name, text_node(file));
  }

  StageEntry entry(const std::string& stage, std::vector<WrittenSetting> settings = {}) const {
    return {stage, {pipeline_.path, 0, 0}, std::move(settings)};
  }

  void add(const std::string& stage, std::vector<WrittenSetting> settings = {}) {
    pipeline_.stages.push_back(entry(stage, std::move(settings)));
  }

  WrittenSetting setting(const std::string& name, Node value) const {
    return {name, {pipeline_.path, 0, 0}, std::move(value), Origin::stage};
  }

  /// The mapping of one layer on one core.
  std::vector<StageEntry> mapping_stages(std::vector<WrittenSetting> of_proof = {}) const {
    const StageEntry reducer = entry(objective_ == "energy"    ? "MinimalEnergyStage"
                                     : objective_ == "latency" ? "MinimalLatencyStage"
                                                               : "MinimalEDPStage");
    if (choices_.quick)
      return {reducer, entry("SpatialMappingGeneratorStage"), reducer, entry("LomaStage"),
              entry("CostModelStage")};
    return {reducer, entry("OptimalMappingStage", std::move(of_proof)), entry("CostModelStage")};
  }

  /// The stage that reads the network, by the ending of its file.
  void add_parser(const char* of_onnx, const char* of_layers) {
    add(choices_.workload.ends_with(".onnx")   ? of_onnx
        : choices_.workload.ends_with(".json") ? "TransformerWorkloadStage"
                                               : of_layers);
  }

  void add_stages_for_one_core() {
    const bool saved = !choices_.output.empty();
    add("AcceleratorParserStage");
    if (leaves_costs_open(choices_.accelerator, files_)) add("ComponentCostStage");
    add_parser("ONNXModelParserStage", "WorkloadParserStage");
    if (saved) add("SimpleSaveStage");
    if (saved) add("PickleSaveStage");
    add("SumStage");
    if (choices_.fused && saved) add("CompleteSaveStage");  // with the places in groups
    if (choices_.fused)
      add("OptimalFusedMappingStage", {setting("objective", text_node(objective_))});
    else
      add("WorkloadStage");
    if (saved) add("VisualizationStage");
    if (choices_.fused) return add("CostModelStage");
    if (saved) add("CompleteSaveStage");
    for (StageEntry& stage : mapping_stages()) pipeline_.stages.push_back(std::move(stage));
  }

  void add_stages_for_serving() {
    add("AcceleratorParserStage");
    if (leaves_costs_open(choices_.accelerator, files_)) add("ComponentCostStage");
    add("ServingTablesStage");
    add("WorkloadStage");
    for (StageEntry& stage : mapping_stages({setting("time_limit", number_node(seconds_of_proof))}))
      pipeline_.stages.push_back(std::move(stage));
  }

  void add_stages_for_several_cores() {
    const bool saved = !choices_.output.empty();
    if (saved) add("SimpleSaveStage");
    if (saved) add("CompleteSaveStage");
    if (saved) add("VisualizationStage");
    add("AcceleratorParserStage");
    if (leaves_costs_open(choices_.accelerator, files_)) add("ComponentCostStage");
    add_parser("StreamONNXModelParserStage", "UserDefinedModelParserStage");
    // A `time_limit` among the parameters is that of the search over cuts.
    const WrittenSetting seconds = setting("time_limit", number_node(seconds_of_proof));
    const WrittenSetting costs = setting("stages", list_node(mapping_stages({seconds})));
    add("SearchHintLoopsStage", {setting("objective", text_node(objective_)), costs});
    add("GenerateCNWorkloadHybridStage");
    add("IntraCoreMappingStage", {costs});
    add("InterCoreMappingStage");
  }

  const PipelineChoices& choices_;
  const core::Files& files_;
  core::Diagnostics diagnostics_;
  std::string objective_;
  PipelineFile pipeline_;
};

}  // namespace

Node any_unrolling() {
  core::Diagnostics none;
  Node entries =
      core::yaml::load_text("- {name: default, memory_operand_links: {O: O, W: I2, I: I1}}", "", none);
  entries.mark = {};
  return entries;
}

PipelineFile default_pipeline(const PipelineChoices& choices, const core::Files& files) {
  return DefaultPipeline(choices, files).make();
}

}  // namespace zz::host
