#pragma once
#include <boost/program_options/options_description.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/base/progress.hpp"
#include "host/base/terminal.hpp"

namespace zz::host {

/// The words that may be an operand or the value of an option, for the shell.
enum class Completes {
  nothing,
  words,
  files,
  folders,
  stages,
  settings,  ///< "loma_lpf_limit=", "LomaStage.loma_lpf_limit="
  layers     ///< after a pipeline, the names of its layers; before it, files
};

struct Candidates {
  Completes kind = Completes::nothing;
  std::vector<std::string> words = {};    ///< Completes::words
  std::vector<std::string> endings = {};  ///< Completes::files: "yaml"; empty: any
};

inline Candidates words(std::vector<std::string> all) { return {Completes::words, std::move(all)}; }
inline Candidates files(std::vector<std::string> endings = {}) {
  return {Completes::files, {}, std::move(endings)};
}
inline Candidates folders() { return {Completes::folders}; }
inline Candidates settings() { return {Completes::settings}; }

/// The options of a verb, each with the place of its value, which outlives the list. What stands there
/// before is the default. The help shows it where it is a word or a number. A name is "set" or, with its
/// letter, "jobs,j"; `value` is the name of the value: "FILE".
class OptionList {
 public:
  OptionList() : all_("Options") {}

  /// A flag.
  void add(const char* name, bool& into, const std::string& doc);
  /// A text, texts (so that it may be given several times), a number that may be left out, or auto, always
  /// or never, of which a wrong one is told when values are handed out.
  template <class T>
  void add(const char* name, const char* value, T& into, const std::string& doc, Candidates offered = {});

  const boost::program_options::options_description& all() const { return all_; }
  /// The words for the value of the option that was declared as the `index`th.
  const Candidates& offered(std::size_t index) const { return offered_[index]; }

  bool of_pipelines = false;  ///< an argument of ZigZag's in place of an option is told as such

 private:
  boost::program_options::options_description all_;
  std::vector<Candidates> offered_;
};

}  // namespace zz::host
