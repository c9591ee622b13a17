#include "core/input/zigzag/detail/sparsity_yaml.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/input/yaml/map_reader.hpp"

namespace zz::core {

using namespace yaml;

namespace {

const std::vector<std::string> sparse_operands = {"O", "W", "I"}, skipped_operands = {"W", "I"};
const std::vector<std::string> stored_formats(stored_format_words.begin(), stored_format_words.end());
const std::vector<std::string> on_zero_does(on_zero_words.begin(), on_zero_words.end());

const KeyTable& zeros_keys() {
  static const KeyTable table{
      "sparsity of an operand",
      {{"density", Need::optional, number(0, 1), "share of the elements that are not zero"},
       {"pattern", Need::optional, text_like("^[0-9]+:[0-9]+$"), "2:4: two of each four are not zero"},
       {"along", Need::optional, text_like("^[A-Za-z]+[0-9]*$"),
        "loop along which four follow each other"}},
      {{"density", "pattern"}},
      {{"pattern", "along"}, {"along", "pattern"}}};
  return table;
}

Form by_names(const std::vector<std::string>& names, Form value) {
  std::string pattern;
  for (const std::string& name : names) pattern += (pattern.empty() ? "^(" : "|") + name;
  return entries_of(pattern + ")$", std::move(value));
}

/// "unknown operand 'X' in ...", or nothing.
bool check_operand(const std::string& operand, const SourceMark& mark, const std::string& what,
                   const std::vector<std::string>& known, Diagnostics& diagnostics) {
  if (std::find(known.begin(), known.end(), operand) != known.end()) return true;
  diagnostics.error(mark, fmt::format("unknown operand '{}' in {}", operand, what),
                    suggestion(operand, known));
  return false;
}

/// Zeros of one operand; false after reporting what is wrong.
bool read_zeros(const Node& node, const std::string& what, OperandSparsity& zeros,
                Diagnostics& diagnostics) {
  MapReader map(node, what, zeros_keys(), diagnostics);
  if (!node.is_map()) return false;
  const bool has_density = map.find("density", zeros.density);
  const bool has_pattern = map.find("pattern", zeros.pattern), has_along = map.find("along", zeros.along);
  map.finish();
  const auto wrong = [&](const char* key, const std::string& message, const std::string& hint) {
    const Node* const value = node.find(key);
    diagnostics.error(value == nullptr ? node.mark : value->mark, message, hint);
    return false;
  };
  if (node.find("density") != nullptr && node.find("pattern") != nullptr)
    return wrong("pattern", what + " has a density and a pattern",
                 "the density of a pattern follows from it, as 0.5 of 2:4: leave it out");
  if (node.find("density") == nullptr && node.find("pattern") == nullptr)
    return wrong("", what + " has neither density nor pattern",
                 "{density: 0.4}, or {pattern: \"2:4\", along: C}");
  if (has_density && !(zeros.density >= 0 && zeros.density <= 1))
    return wrong("density",
                 fmt::format("{} is {}; it must be from 0 to 1", map.what("density"), zeros.density),
                 "it is the share of the elements that are not zero");
  if (has_along && !has_pattern && node.find("pattern") == nullptr)
    return wrong("along", map.what("along") + " is of a pattern, which is not there",
                 "add pattern: \"2:4\"");
  if (!has_pattern) return has_density;
  if (pattern_of(zeros.pattern).of == 0)
    return wrong(
        "pattern", fmt::format("{} is '{}'", map.what("pattern"), zeros.pattern),
        fmt::format(
            "expected N:M, where N of each M elements are not zero, as \"2:4\": N from 1 to M, M to {}",
            longest_pattern));
  if (node.find("along") == nullptr)
    return wrong("pattern",
                 fmt::format("{} says not along which loop {} elements follow each other",
                             map.what("pattern"), pattern_of(zeros.pattern).of),
                 "add along: C");
  zeros.along = upper_case(zeros.along);
  return has_along;
}

/// The word of an entry by its place in `words`; -1 after reporting another.
int read_word(const Node& value, const std::string& what, std::span<const std::string> words,
              Diagnostics& diagnostics) {
  std::string word;
  if (!read(value, what, word, diagnostics)) return -1;
  const auto known = std::find(words.begin(), words.end(), word);
  if (known != words.end()) return static_cast<int>(known - words.begin());
  diagnostics.error(value.mark, fmt::format("{} is '{}'", what, word), suggestion(word, words));
  return -1;
}

template <class One, class Enum>
std::vector<One> read_words(const Node& node, const std::string& what,
                            const std::vector<std::string>& operands, std::span<const std::string> words,
                            Enum One::*member, Diagnostics& diagnostics) {
  std::vector<One> all;
  if (!expect_short_map(node, what, diagnostics)) return all;
  for (std::size_t i = 0; i < node.entries.size(); ++i) {
    const auto& [operand, value] = node.entries[i];
    if (!check_operand(operand, node.key_marks[i], what, operands, diagnostics)) continue;
    const int word = read_word(value, fmt::format("'{}' in {}", operand, what), words, diagnostics);
    if (word < 0) continue;
    One& one = all.emplace_back();
    one.operand = operand;
    one.*member = static_cast<Enum>(word);
  }
  return all;
}

}  // namespace

Form sparsity_form() { return by_names(sparse_operands, map_of(zeros_keys())); }
Form workload_sparsity_form() { return entries_of(".", map_of(zeros_keys())); }
Form formats_form() { return by_names(sparse_operands, word_of(stored_formats)); }
Form on_zero_form() { return by_names(skipped_operands, word_of(on_zero_does)); }

std::vector<OperandSparsity> read_sparsity(const Node& node, const std::string& what,
                                           Diagnostics& diagnostics) {
  std::vector<OperandSparsity> all;
  if (!expect_short_map(node, what, diagnostics)) return all;
  for (std::size_t i = 0; i < node.entries.size(); ++i) {
    const auto& [operand, value] = node.entries[i];
    if (!check_operand(operand, node.key_marks[i], what, sparse_operands, diagnostics)) continue;
    OperandSparsity zeros{operand};
    if (read_zeros(value, fmt::format("'{}' in {}", operand, what), zeros, diagnostics))
      all.push_back(std::move(zeros));
  }
  return all;
}

std::vector<OperandSparsity> read_workload_sparsity(const Node& node, const std::string& what,
                                                    Diagnostics& diagnostics) {
  std::vector<OperandSparsity> all;
  if (!expect_short_map(node, what, diagnostics)) return all;
  for (std::size_t i = 0; i < node.entries.size(); ++i) {
    const auto& [tensor, value] = node.entries[i];
    const std::string last = tensor.substr(tensor.rfind('.') + 1);
    if (last != "*" && !check_operand(last, node.key_marks[i], fmt::format("'{}' in {}", tensor, what),
                                      sparse_operands, diagnostics))
      continue;
    OperandSparsity zeros{tensor};
    if (read_zeros(value, fmt::format("'{}' in {}", tensor, what), zeros, diagnostics))
      all.push_back(std::move(zeros));
  }
  return all;
}

std::vector<OperandFormat> read_formats(const Node& node, const std::string& what,
                                        Diagnostics& diagnostics) {
  return read_words(node, what, sparse_operands, stored_formats, &OperandFormat::format, diagnostics);
}

std::vector<OperandOnZero> read_on_zero(const Node& node, const std::string& what,
                                        Diagnostics& diagnostics) {
  return read_words(node, what, skipped_operands, on_zero_does, &OperandOnZero::does, diagnostics);
}

}  // namespace zz::core
