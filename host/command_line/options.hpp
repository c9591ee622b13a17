#pragma once
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "host/base/log.hpp"
#include "host/base/progress.hpp"
#include "host/base/terminal.hpp"
#include "host/pipeline/default_pipeline.hpp"

namespace zz::host {

/// The command line of a verb. Options that the verb lacks keep their defaults.
struct Options {
  std::string verb;
  std::vector<std::string> arguments;   ///< everything after the verb, as written
  std::vector<std::string> operands;    ///< the pipeline file, the stage, ...
  std::vector<std::string> set;         ///< "key=value"
  std::vector<std::string> inputs;      ///< of check-plugin: "FILE" or "SETTING=FILE"
  std::vector<std::string> dimensions;  ///< of network, map and fused: "batch=4,sequence=128"
  std::vector<std::string> values;      ///< of network, map and fused: "sr=16000"
  std::vector<std::string> plugins;
  std::vector<std::string> plugin_paths;
  std::string seed;          ///< "" when not given
  std::string point, shard;  ///< of run: of a design space; "" when not given
  unsigned threads = 1;
  ProgressMode progress = ProgressMode::automatic;
  ColourMode colour = ColourMode::automatic;
  std::string format;                            ///< "" when not given
  std::string folder;                            ///< of new-plugin and serve; "" when not given
  std::string language;                          ///< of new-plugin
  bool allow_code = false;                       ///< of check and explain
  std::vector<std::string> code_folders;         ///< of serve
  PipelineChoices choices;                       ///< of map and fused
  bool print_pipeline = false;                   ///< of map and fused
  std::map<std::string, std::string> fused;      ///< of fused: settings of the search, by name
  std::string with;                              ///< of compare: a value of `compat`; "" when not given
  bool by_rule = false;                          ///< of compare
  std::string picture;                           ///< of compare: a file; "" when not given
  std::string page;                              ///< of front: a file; "" when not given
  bool energy = false;                           ///< of why
  bool search = false;                           ///< of why
  std::int64_t factor = 2;                       ///< of why
  bool accuracy = false;                         ///< of run and map
  std::map<std::string, std::string> component;  ///< of cost: what is asked for, by name
  bool timings = false;
  bool verbose = false;
  bool quiet = false;
};

/// The command line is wrong; what() says why, without the name of the program.
class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& message, std::string hint = "")
      : std::runtime_error(message), hint_(std::move(hint)) {}
  /// The word to write instead; "" when that is not known.
  const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

/// Reads the arguments after the program's name. Throws UsageError.
Options parse_options(const std::vector<std::string>& arguments);

/// An option of a verb, for completion and the manual page.
struct OptionInfo {
  std::string name;   ///< without the dashes
  char letter = 0;    ///< its short form, or 0
  std::string value;  ///< the name of its value: "FILE"
  std::string doc;
  bool takes_value = false, repeats = false;
};
struct Verb;
std::vector<OptionInfo> option_list(const Verb& verb);

/// The text of `zz-host help` and `zz-host help VERB`. Throws UsageError for an unknown verb.
std::string help_text(const std::string& verb);

}  // namespace zz::host
