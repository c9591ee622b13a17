#include "host/command_line/verb_table.hpp"

#include <climits>

namespace zz::host {
namespace {

constexpr Verb table[] = {
    {"run", "PIPELINE", "run a pipeline; the verb may be left out", "table|json", true, false, 1, 1,
     run_verb},
    {"map", "--workload FILE ...", "find the best mapping of every layer, without a pipeline file",
     "table|json", true, false, 0, 0, map_verb},
    {"fused", "WORKLOAD ACCELERATOR",
     "find which results stay on chip between the layers on one core, and the best mapping of each",
     "table|json", true, false, 2, 2, fused_verb},
    {"compare", "PIPELINE [OTHER]",
     "show two runs side by side, or one pipeline by the rules of zz and of ZigZag or Stream", "table|json",
     true, false, 1, 2, compare_verb},
    {"why", "PIPELINE [LAYER]",
     "run a pipeline and say what makes its layers slow, and what would help; or of a design: STORE POINT",
     "text|json|csv", true, false, 1, 2, why_verb},
    {"front", "STORE", "show the designs of a store that no other one beats", "table|json|csv", false,
     false, 1, 1, front_verb},
    {"merge", "STORE...", "add to the first store what the others have of the same space", "text|json",
     false, false, 2, INT_MAX, merge_verb},
    {"check", "PIPELINE", "check a pipeline without running it", "text|json", true, false, 1, 1,
     check_verb},
    {"explain", "PIPELINE", "show the chain as it would run, and where each setting comes from",
     "text|json|yaml", true, false, 1, 1, explain_verb},
    {"stages", "", "list the stages of all plugins", "table|json|names", false, false, 0, 0, stages_verb},
    {"describe", "STAGE", "describe a stage: settings, context keys, documentation", "md|json", false,
     false, 1, 1, describe_verb},
    {"show", "ARCHIVE [RESULT]...", "print or convert the results that a run saved, or some of them",
     "table|json|csv|mapping", false, false, 1, INT_MAX, show_verb},
    {"network", "MODEL", "show what zz understands of an ONNX file: shapes, types, layers", "table|json",
     false, false, 1, 1, network_verb},
    {"cost", "COMPONENT",
     "say what a memory, an operation, a converter or a wire costs: value, range and source", "table|json",
     false, false, 1, 1, cost_verb},
    {"serve", "",
     "answer the requests of a program or an assistant: JSON-RPC and MCP over stdin and stdout", "", false,
     false, 0, 0, serve_verb},
    {"plugins", "", "list the plugin files; with -v also those that are not used, and why", "text|json",
     false, false, 0, 0, plugins_verb},
    {"check-plugin", "FILE...", "check plugin files against the rules of the stage ABI", "text|json", false,
     false, 1, INT_MAX, check_plugin_verb},
    {"new-plugin", "NAME", "write a plugin to start from: a stage with its tests and build files",
     "text|json", false, false, 1, 1, new_plugin_verb},
    {"completion", "SHELL", "print the completion script of a shell: bash, zsh or fish", "text|json", false,
     false, 1, 1, completion_verb},
    {"schema", "", "print the JSON Schema of pipeline files, with all stages known here", "json", false,
     false, 0, 0, schema_verb},
    {"version", "", "print the version; with -v also the build", "text|json", false, false, 0, 0,
     version_verb},
    {"help", "[VERB]", "explain the command line", "text|json", false, false, 0, 1, help_verb},
    {"manual", "PAGE", "print a manual page in Markdown with the verbs and options filled in", "", false,
     true, 1, 1, manual_verb},
};

}  // namespace

std::span<const Verb> verbs() { return table; }

const Verb* find_verb(const std::string& name) {
  for (const Verb& verb : table) {
    if (name == verb.name) return &verb;
  }
  return nullptr;
}

}  // namespace zz::host
