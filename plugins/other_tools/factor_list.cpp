#include "plugins/other_tools/factor_list.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fmt/format.h>
#include <system_error>

#include "core/base/text.hpp"

namespace zz::plugins {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = text.find_first_not_of(" ,\t"); begin != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(" ,\t", begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(" ,\t", end);
  }
  return words;
}

/// The words of a text, or of all texts of a list.
std::vector<std::string> words_of(const core::yaml::Node& node) {
  if (node.is_scalar()) return words_of(node.text);
  std::vector<std::string> words;
  for (const core::yaml::Node& item : node.items)
    for (std::string& word : words_of(item.text)) words.push_back(std::move(word));
  return words;
}

}  // namespace

std::vector<LoopFactor> read_factor_list(const core::yaml::Node& node, core::Diagnostics& problems) {
  std::vector<LoopFactor> made;
  for (const std::string& word : words_of(node)) {
    const std::size_t equal = word.find('=');
    const std::size_t name_end = equal == std::string::npos ? word.find_first_of("0123456789") : equal;
    const std::size_t number = equal == std::string::npos ? name_end : equal + 1;
    LoopFactor factor;
    bool whole = name_end != std::string::npos && name_end > 0 && number < word.size();
    if (whole) {
      factor.loop = core::upper_case(word.substr(0, name_end));
      const char* const end = word.data() + word.size();
      const auto [stop, failure] = std::from_chars(word.data() + number, end, factor.size);
      whole = failure == std::errc() && stop == end && factor.size >= 0 &&
              factor.loop.find_first_of("<>") == std::string::npos;
    }
    if (whole)
      made.push_back(std::move(factor));
    else
      problems.error(node.mark, fmt::format("'{}' is no factor", core::shown_text(word)),
                     "a loop and a number, as 'R=3', are expected");
  }
  return made;
}

}  // namespace zz::plugins
