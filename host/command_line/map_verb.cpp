#include <fmt/format.h>
#include <span>
#include <string>

#include "core/search/methods/objective.hpp"
#include "core/store/result_store.hpp"
#include "host/command_line/pipeline_session.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/report/explain.hpp"

namespace zz::host {
namespace {

/// Options of both verbs, whose pipeline zz makes; those of groups belong to `fused`.
struct MapOptions {
  bool print_pipeline = false;
  std::string groups, gap, exchange_memories, homes;
  bool explain = false;
};

int run_made_pipeline(const Options& options) {
  core::ResultStore::trust_server(options.choices.store);  // the user's own word
  if (!options.own<MapOptions>().print_pipeline) return run_verb.run(options);
  const OpenPipeline session = open_session(options);
  if (session.code == ExitCode::done) fmt::print("{}", short_form(session.pipeline, session.chain));
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
  declare_run_options(list, given, {.accuracy = true});
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

}  // namespace

const Verb map_verb("map", "--workload FILE ...",
                    "find the best mapping of every layer, without a pipeline file", "table|json", 0, 0,
                    run_made_pipeline, declare_map);

const Verb fused_verb(
    "fused", "WORKLOAD ACCELERATOR",
    "find which results stay on chip between the layers on one core, and the best mapping of each",
    "table|json", 2, 2, run_made_pipeline, declare_fused, check_fused, network_files);

}  // namespace zz::host
