#pragma once
#include <span>
#include <string>
#include <vector>

#include "host/command_line/option_list.hpp"
#include "host/command_line/options.hpp"

namespace zz::host {

/// A verb of the command line. Its words, its options and what it does stand in one file; help, completion
/// and the manual follow from here.
struct Verb {
  constexpr Verb(const char* name, const char* operands, const char* summary, const char* formats,
                 int least, int most, int (*run)(const Options&),
                 void (*declare)(OptionList&, Options&) = nullptr, void (*check)(Options&) = nullptr,
                 Candidates (*offered)() = nullptr, bool hidden = false)
      : name(name),
        operands(operands),
        summary(summary),
        formats(formats),
        least(least),
        most(most),
        run(run),
        declare(declare),
        check(check),
        offered(offered),
        hidden(hidden) {}

  const char* name;
  const char* operands;  ///< as in the synopsis: "PIPELINE"
  const char* summary;
  const char* formats;         ///< "table|json", the first being the default; "" when it has none
  int least, most;             ///< number of operands
  int (*run)(const Options&);  ///< gives the exit code
  void (*declare)(OptionList&, Options&);  ///< the options that not every verb has; may be null
  void (*check)(Options&);                 ///< all that was given, together: throws UsageError; may be null
  Candidates (*offered)();                 ///< for operands; may be null
  bool hidden;                             ///< only for the build
};

extern const Verb run_verb, map_verb, fused_verb, profile_verb, compare_verb, why_verb, front_verb,
    merge_verb, check_verb, explain_verb, stages_verb, describe_verb, show_verb, network_verb, cost_verb,
    calibrate_verb, serve_verb, plugins_verb, check_plugin_verb, new_plugin_verb, completion_verb,
    schema_verb, version_verb, help_verb, manual_verb;

/// Those that are not hidden, in the order of the help.
std::vector<const Verb*> visible_verbs();
const Verb* find_verb(const std::string& name);

// Parts of `declare` and `offered` that several verbs have.

/// Options of verbs that run a pipeline, which not all of them have.
struct RunOptions {
  bool points = false;   ///< of a design space
  bool results = false;  ///< options of their tables
  bool timings = true;
};
void declare_run_options(OptionList& list, Options& given, RunOptions which = {});
/// --dimensions and --values, of ONNX files.
void declare_inputs(OptionList& list, Options& given);
Candidates pipeline_files();
Candidates network_files();

}  // namespace zz::host
