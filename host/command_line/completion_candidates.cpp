#include "host/command_line/completion.hpp"
#include "host/plugins/stage_table.hpp"

namespace zz::host {

std::vector<const Verb*> visible_verbs() {
  std::vector<const Verb*> visible;
  for (const Verb& verb : verbs()) {
    if (!verb.hidden) visible.push_back(&verb);
  }
  return visible;
}

Candidates operand_candidates(const Verb& verb) {
  const std::string_view operands = verb.operands;
  const auto starts = [&](std::string_view word) { return operands.substr(0, word.size()) == word; };
  if (starts("PIPELINE")) return {Completes::files, {}, {"yaml", "yml"}};
  if (starts("STAGE")) return {Completes::stages, {}, {}};
  if (starts("FILE")) return {Completes::files, {}, {"so"}};
  if (starts("ARCHIVE")) return {Completes::files, {}, {}};
  if (starts("SHELL")) return {Completes::words, {"bash", "zsh", "fish"}, {}};
  if (starts("[VERB]")) {
    Candidates candidates{Completes::words, {}, {}};
    for (const Verb* one : visible_verbs()) candidates.words.emplace_back(one->name);
    return candidates;
  }
  return {};
}

Candidates value_candidates(const Verb& verb, std::string_view option) {
  if (option == "format") return {Completes::words, split_names(verb.formats), {}};
  if (option == "color" || option == "progress") return {Completes::words, {"auto", "always", "never"}, {}};
  if (option == "language") return {Completes::words, {"c++", "c"}, {}};
  if (option == "plugin") return {Completes::files, {}, {"so"}};
  if (option == "plugin-path" || option == "folder") return {Completes::folders, {}, {}};
  return {};
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

}  // namespace zz::host
