#include "host/command_line/network_options.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <fmt/format.h>
#include <memory>
#include <string_view>

namespace zz::host {
namespace {

std::vector<std::string> assignments_of(const std::string& setting, const std::string& list) {
  std::vector<std::string> all{setting + "."};
  int brackets = 0;
  for (const char letter : list) {
    brackets += letter == '[' ? 1 : letter == ']' ? -1 : 0;
    if (letter == ',' && brackets <= 0)
      all.push_back(setting + ".");
    else
      all.back() += letter;
  }
  return all;
}

/// `"x:0": LENGTH, "y:0": LENGTH` as an argument that a shell takes.
std::string argument_of(std::string list) {
  const auto replace = [&](std::string_view old, std::string_view by) {
    for (std::size_t at = list.find(old); at != std::string::npos; at = list.find(old, at + by.size()))
      list.replace(at, old.size(), by);
  };
  replace("\": ", "=");
  replace(", \"", ",");
  replace("\"", "");
  const bool plain = std::all_of(list.begin(), list.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 ||
           std::string_view("_-./:,=#").find(static_cast<char>(letter)) != std::string_view::npos;
  });
  return plain ? list : "\"" + list + "\"";
}

}  // namespace

std::vector<std::string> assignments_of(const Options& options) {
  std::vector<std::string> all = options.set;
  const auto add = [&](const char* setting, const std::vector<std::string>& lists) {
    for (const std::string& list : lists)
      for (std::string& assignment : assignments_of(setting, list)) all.push_back(std::move(assignment));
  };
  add("dimensions", options.dimensions);
  add("values", options.values);
  if (!options.clock.empty()) all.push_back("clock=" + options.clock);
  if (!options.batch.empty()) all.push_back("batch=" + options.batch);
  return all;
}

std::string in_words_of_options(std::string text) {
  constexpr std::string_view begin = "`dimensions: {", end = "}`";
  for (std::size_t from = text.find(begin); from != std::string::npos; from = text.find(begin, from + 1)) {
    const std::size_t to = text.find(end, from);
    if (to == std::string::npos) return text;
    const std::string list = text.substr(from + begin.size(), to - from - begin.size());
    text.replace(from, to + end.size() - from, fmt::format("`--dimensions {}`", argument_of(list)));
  }
  return text;
}

FailurePointer in_words_of_options(const Failure& failure) {
  Failure made = failure;
  made.message = in_words_of_options(made.message);
  for (core::Diagnostic& problem : made.problems) problem.hint = in_words_of_options(problem.hint);
  if (made.cause != nullptr) made.cause = in_words_of_options(*made.cause);
  return std::make_shared<const Failure>(std::move(made));
}

}  // namespace zz::host
