#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>

#include "core/search/methods/objective.hpp"
#include "core/store/result_store.hpp"
#include "host/base/standard_output.hpp"
#include "host/command_line/pipeline_session.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/report/explain.hpp"

namespace zz::host {
namespace {

/// Options of the verbs whose pipeline zz makes; those of groups belong to `fused`, the last to `profile`.
struct MapOptions {
  bool print_pipeline = false;
  std::string groups, gap, exchange_memories, homes;
  bool explain = false;
  std::string tensor_parallel = "1", model_name, chip_name, variant;
  std::optional<std::int64_t> max_tokens, max_sequences, max_context;
};

int run_made_pipeline(const Options& options) {
  core::ResultStore::trust_server(options.choices.store);  // the user's own word
  if (!options.own<MapOptions>().print_pipeline) return run_verb.run(options);
  const OpenPipeline session = open_session(options);
  if (session.code == ExitCode::done)
    fmt::print(standard_output(), "{}", short_form(session.pipeline, session.chain));
  return static_cast<int>(session.code);
}

void declare_objective(OptionList& list, Options& given, const std::string& doc) {
  const std::span<const std::string> all = core::objective_words();
  list.add("objective", "WHAT", given.choices.objective, doc, words({all.begin(), all.end()}));
}

/// Options that come after those that a verb has alone.
void declare_made(OptionList& list, Options& given) {
  list.add("precision", "BITS", given.choices.precision,
           "bits of weights, inputs and results, as 8 or 16, or file: those of the network's types; "
           "default: those of the accelerator's units where the network has floats");
  list.add("store", "FILE", given.choices.store,
           "find mappings of layers in this file, or in the database at this URL, and keep them there for "
           "later runs");
  list.add("output", "DIR", given.choices.output,
           "the folder for result files; without it, none are written", folders());
  list.add("print-pipeline", given.own<MapOptions>().print_pipeline,
           "print the pipeline instead of running it");
  declare_run_options(list, given, {.results = true});
  declare_inputs(list, given);
}

void declare_map(OptionList& list, Options& given) {
  PipelineChoices& choices = given.choices;
  list.add("workload", "FILE", choices.workload,
           "the network: an ONNX file, a YAML list of layers, or the config.json of a language model",
           network_files());
  list.add("accelerator", "FILE", choices.accelerator, "the accelerator, with one core or several",
           pipeline_files());
  list.add("mapping", "FILE", choices.mapping,
           "what is prescribed for each layer; without it nothing is, on one core", pipeline_files());
  declare_objective(list, given, "what is made small: energy, latency or edp, their product");
  list.add("quick", choices.quick,
           "as ZigZag does: three unrollings and LOMA, in place of a proof for each layer");
  list.add("limit", "N", choices.limit,
           "with --quick: most loop factors that are ordered; default: 6. More take longer");
  list.add(
      "within", "FRACTION", choices.within,
      "by how much the objective may be above its least where energy, or latency, gains; default: 0.001");
  declare_made(list, given);
}

void declare_fused(OptionList& list, Options& given) {
  auto& own = given.own<MapOptions>();
  given.choices.objective = "energy";
  list.add("mapping", "FILE", given.choices.mapping,
           "what is prescribed for each layer; without it nothing is", pipeline_files());
  declare_objective(list, given, "what is made small");
  list.add("groups", "WHICH", own.groups,
           "layers that may be fused: auto, none, lists of names as [[scores, context]], or the file "
           "fused_groups.yaml of an earlier run; default: auto");
  list.add("gap", "FRACTION", own.gap, "a proven gap that is small enough; default: 0.01");
  list.add("exchange-memories", "NAMES", own.exchange_memories,
           "memories where results may stay, all in one, as [buffer]; default: all that can be it");
  list.add("homes", "NAMES", own.homes, "--exchange-memories, by the name of before");
  list.add("explain", own.explain, "show for each result that goes off chip the room that would keep it");
  declare_made(list, given);
}

void check_fused(Options& given) {
  const auto& own = given.own<MapOptions>();
  given.choices.fused = true;
  given.choices.workload = given.operands[0];
  given.choices.accelerator = given.operands[1];
  const auto set = [&](const char* name, const std::string& value) {
    if (!value.empty()) given.set.push_back(fmt::format("OptimalFusedMappingStage.{}={}", name, value));
  };
  set("exchange_memories", own.exchange_memories);
  set("explain", own.explain ? "true" : "");
  set("gap", own.gap);
  set("groups", own.groups);
  set("homes", own.homes);
}

void declare_profile(OptionList& list, Options& given) {
  PipelineChoices& choices = given.choices;
  auto& own = given.own<MapOptions>();
  list.add("tensor-parallel", "DEGREES", own.tensor_parallel,
           "numbers of chips that share a layer, as 1,2,4: tables for each");
  list.add("output", "DIR", choices.output, "the folder of the bundle; it must not exist yet", folders());
  list.add("vector-unit", "FILE", choices.vector_unit,
           "the vector unit beside the array; without it, normalisations, rotary positions, softmax and "
           "activations cost nothing",
           pipeline_files());
  list.add("mapping", "FILE", choices.mapping, "what is prescribed for each layer; without it nothing is",
           pipeline_files());
  list.add("model-name", "NAME", own.model_name,
           "the model in the simulators, as meta-llama/Llama-3.1-8B; default: by its file");
  list.add("chip-name", "NAME", own.chip_name, "the chip in the simulators; default: the name in its file");
  list.add("variant", "NAME", own.variant,
           "the types of numbers, as bf16; default: by the model's type and bits");
  list.add("max-tokens", "N", own.max_tokens, "most new tokens of a step; default: 2048");
  list.add("max-sequences", "N", own.max_sequences, "most sequences of a step; default: 256");
  list.add("max-context", "N", own.max_context, "most earlier tokens of a sequence; default: 16384");
  list.add("precision", "BITS", choices.precision,
           "bits of weights, inputs and results, as 8 or 16, or file: those of the model's types; default: "
           "those of the accelerator's units where the model has floats");
  list.add("store", "FILE", choices.store,
           "find mappings of layers in this file, or in the database at this URL, and keep them there for "
           "later runs");
  list.add("print-pipeline", own.print_pipeline, "print the pipeline instead of running it");
  given.threads = 0;  // thousands of searches
  declare_run_options(list, given);
}

void check_profile(Options& given) {
  const auto& own = given.own<MapOptions>();
  given.choices.serving = true;
  given.choices.workload = given.operands[0];
  given.choices.accelerator = given.operands[1];
  if (given.choices.output.empty() && !own.print_pipeline)
    throw UsageError("no folder is given for the tables", "--output FOLDER");
  const auto is_list = [](const std::string& text) {
    bool number = false;
    for (const char letter : text) {
      if (letter != ',' && (letter < '0' || letter > '9')) return false;
      if (letter == ',' && !number) return false;
      number = letter != ',';
    }
    return number;
  };
  if (!is_list(own.tensor_parallel))
    throw UsageError(
        fmt::format("--tensor-parallel must be numbers with commas between them, as 1,2,4, but "
                    "found '{}'",
                    own.tensor_parallel));
  given.set.push_back(fmt::format("tensor_parallel=[{}]", own.tensor_parallel));
  const auto set = [&](const char* name, const auto& value) {
    if constexpr (requires { value.empty(); }) {
      if (!value.empty()) given.set.push_back(fmt::format("{}={}", name, value));
    } else if (value) {
      given.set.push_back(fmt::format("{}={}", name, *value));
    }
  };
  set("model_name", own.model_name);
  set("chip_name", own.chip_name);
  set("variant", own.variant);
  set("max_tokens", own.max_tokens);
  set("max_sequences", own.max_sequences);
  set("max_context", own.max_context);
}

Candidates config_files() { return files({"json", "yaml", "yml"}); }

}  // namespace

const Verb map_verb("map", "--workload FILE ...",
                    "find the best mapping of every layer, without a pipeline file", "table|json|csv", 0, 0,
                    run_made_pipeline, declare_map);

const Verb fused_verb(
    "fused", "WORKLOAD ACCELERATOR",
    "find which results stay on chip between the layers on one core, and the best mapping of each",
    "table|json|csv", 2, 2, run_made_pipeline, declare_fused, check_fused, network_files);

const Verb profile_verb(
    "profile", "CONFIG CHIP",
    "write the latency tables of a language model on a chip that serving simulators read", "table|json", 2,
    2, run_made_pipeline, declare_profile, check_profile, config_files);

}  // namespace zz::host
