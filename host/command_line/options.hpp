#pragma once
#include <any>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "host/base/progress.hpp"
#include "host/base/terminal.hpp"
#include "host/command_line/option_list.hpp"
#include "host/pipeline/default_pipeline.hpp"

namespace zz::host {

/// The command line of a verb. Options that the verb lacks keep their defaults; those that it has alone are
/// its own().
struct Options {
  std::string verb;
  std::vector<std::string> arguments;   ///< everything after the verb, as written
  std::vector<std::string> operands;    ///< the pipeline file, the stage, ...
  std::vector<std::string> set;         ///< "key=value"
  std::vector<std::string> inputs;      ///< of check-plugin: "FILE" or "SETTING=FILE"
  std::vector<std::string> dimensions;  ///< "batch=4,sequence=128"
  std::vector<std::string> values;      ///< "sr=16000"
  std::string clock, batch;             ///< of chip and network; "" when not given
  std::vector<std::string> plugins;
  std::vector<std::string> plugin_paths;
  std::vector<std::string> without;  ///< refinements of proofs (core::refinement_rows())
  std::string seed;                  ///< "" when not given
  std::string point, shard;          ///< of a design space; "" when not given
  unsigned threads = 1;
  std::int64_t max_rows = 10000;  ///< of tables of results
  ProgressMode progress = ProgressMode::automatic;
  ColourMode colour = ColourMode::automatic;
  std::string format;       ///< "" of a verb that has none
  bool allow_code = false;  ///< of a pipeline that is only looked at
  PipelineChoices choices;  ///< of a pipeline that zz makes
  bool accuracy = false;
  bool timings = false;
  bool verbose = false;
  bool quiet = false;

  /// The options of one verb, as its file declares and reads them.
  template <class Own>
  Own& own() {
    if (!own_.has_value()) own_ = std::make_shared<Own>();
    return *std::any_cast<const std::shared_ptr<Own>&>(own_);
  }
  template <class Own>
  const Own& own() const {
    return *std::any_cast<const std::shared_ptr<Own>&>(own_);
  }

 private:
  std::any own_;
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

/// Throws UsageError for a path that is no folder.
void check_folders(const std::string& option, const std::vector<std::string>& paths);

/// Reads the arguments after the program's name. Throws UsageError.
Options parse_options(const std::vector<std::string>& arguments);

/// An option of a verb, for completion and the manual page.
struct OptionInfo {
  std::string name;   ///< without the dashes
  char letter = 0;    ///< its short form, or 0
  std::string value;  ///< the name of its value: "FILE"
  std::string doc;
  bool takes_value = false, repeats = false;
  Candidates offered;  ///< for its value
};
struct Verb;
std::vector<OptionInfo> option_infos(const Verb& verb);

/// The text of `zz-host help` and `zz-host help VERB`. Throws UsageError for an unknown verb.
std::string help_text(const std::string& verb);

}  // namespace zz::host
