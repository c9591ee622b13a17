#include "host/command_line/verb_table.hpp"

#include <iterator>

namespace zz::host {
namespace {

const Verb* const table[] = {
    &run_verb,        &map_verb,      &fused_verb,   &profile_verb,      &compare_verb,
    &why_verb,        &front_verb,    &merge_verb,   &check_verb,        &explain_verb,
    &stages_verb,     &describe_verb, &show_verb,    &network_verb,      &cost_verb,
    &calibrate_verb,  &serve_verb,    &plugins_verb, &check_plugin_verb, &new_plugin_verb,
    &completion_verb, &schema_verb,   &version_verb, &help_verb,         &manual_verb};

}  // namespace

std::vector<const Verb*> visible_verbs() {
  std::vector<const Verb*> visible;
  for (const Verb* verb : table)
    if (!verb->hidden) visible.push_back(verb);
  return visible;
}

const Verb* find_verb(const std::string& name) {
  for (const Verb* verb : table)
    if (name == verb->name) return verb;
  return nullptr;
}

void declare_run_options(OptionList& list, Options& given, RunOptions which) {
  list.of_pipelines = true;
  list.add("set", "KEY=VALUE", given.set,
           "set a parameter, or STAGE.SETTING, or NAME.KEY within a map; repeatable", settings());
  list.add("jobs,j", "N", given.threads, "threads to use; 0: all there are");
  list.add(
      "clock", "FREQUENCY", given.clock,
      "of the chip, as 500MHz, 1GHz or 2ns, for seconds, frames and watts; the same as --set clock=...");
  list.add("batch", "N", given.batch, "elements of the network's batch; the same as --set batch=N");
  list.add("seed", "N", given.seed, "the same as --set seed=N");
  if (which.points) {
    list.add("point", "N", given.point,
             "of a design space: run the chain for this point alone; points count from 0");
    list.add("shard", "I/N", given.shard, "of a design space: run one of N shares of the points");
  }
  list.add("progress", "WHEN", given.progress, "auto, always or never", words({"auto", "always", "never"}));
  if (which.results) {
    list.add("accuracy", given.accuracy,
             "show how far zz is from what was published of the machines that are most like this one");
    list.add(
        "max-rows", "N", given.max_rows,
        "most rows of results that tables show, a network with its total always whole; further ones are "
        "counted");
  }
  if (which.timings)
    list.add("timings", given.timings, "show on stderr, and in the JSON, where the time went");
  list.add("quiet,q", given.quiet, "only warnings and errors on stderr");
}

void declare_inputs(OptionList& list, Options& given) {
  list.add("dimensions", "NAME=LENGTH,...", given.dimensions,
           "lengths that an ONNX file leaves open, several at once; repeatable");
  list.add("values", "INPUT=VALUE,...", given.values,
           "what inputs are, for branches that depend on them; repeatable");
}

Candidates pipeline_files() { return files({"yaml", "yml"}); }
Candidates network_files() { return files({"onnx", "yaml", "yml", "json"}); }

}  // namespace zz::host
