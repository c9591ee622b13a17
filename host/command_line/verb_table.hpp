#pragma once
#include <span>
#include <string>

namespace zz::host {

struct Options;

/// A verb of the command line.
struct Verb {
  const char* name;
  const char* operands;  ///< as in the synopsis: "PIPELINE"
  const char* summary;
  const char* formats;  ///< "table|json", the first being the default; "" when it has none
  bool runs;            ///< takes the options of a run
  bool hidden;          ///< only for the build
  int least, most;      ///< number of operands
  int (*run)(const Options&);
};

std::span<const Verb> verbs();
const Verb* find_verb(const std::string& name);

// In pipeline_verbs.cpp, plugin_verbs.cpp, text_verbs.cpp, and files named like the verb. The result is the
// exit code.
int run_verb(const Options& options);
int map_verb(const Options& options);
int fused_verb(const Options& options);
int compare_verb(const Options& options);
int why_verb(const Options& options);
int front_verb(const Options& options);
int merge_verb(const Options& options);
int check_verb(const Options& options);
int explain_verb(const Options& options);
int stages_verb(const Options& options);
int describe_verb(const Options& options);
int show_verb(const Options& options);
int network_verb(const Options& options);
int cost_verb(const Options& options);
int serve_verb(const Options& options);
int plugins_verb(const Options& options);
int check_plugin_verb(const Options& options);
int new_plugin_verb(const Options& options);
int completion_verb(const Options& options);
int schema_verb(const Options& options);
int version_verb(const Options& options);
int help_verb(const Options& options);
int manual_verb(const Options& options);

}  // namespace zz::host
