#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "host/command_line/verb_table.hpp"

/// Completion scripts, made from the tables of verbs and options so that they cannot fall behind. They are
/// static: only the names of stages are asked for when somebody presses the tab key.
namespace zz::host {

std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

/// The words that may be an operand or the value of an option.
enum class Completes { nothing, words, files, folders, stages };

struct Candidates {
  Completes kind = Completes::nothing;
  std::vector<std::string> words;    ///< Completes::words
  std::vector<std::string> endings;  ///< Completes::files: "yaml"; empty: any
};

/// The words for the operand of a verb: "PIPELINE", "STAGE", ...
Candidates operand_candidates(const Verb& verb);
/// The words for the value of an option.
Candidates value_candidates(const Verb& verb, std::string_view option);

/// The verbs that are not hidden.
std::vector<const Verb*> visible_verbs();

/// "a b c"
std::string joined(const std::vector<std::string>& words, std::string_view between = " ");

}  // namespace zz::host
