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

/// The words that may stand for an operand or for an option's value.
enum class Completes { nothing, words, files, folders, stages };

struct Candidates {
  Completes kind = Completes::nothing;
  std::vector<std::string> words;    ///< Completes::words
  std::vector<std::string> endings;  ///< Completes::files: "yaml"; empty: any
};

/// Of a verb's operand: "PIPELINE", "STAGE", ...
Candidates operand_candidates(const Verb& verb);
/// Of the value of one of its options.
Candidates value_candidates(const Verb& verb, std::string_view option);

/// Verbs that are for people.
std::vector<const Verb*> visible_verbs();

/// "a b c"
std::string joined(const std::vector<std::string>& words, std::string_view between = " ");

}  // namespace zz::host
