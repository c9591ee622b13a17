// zz/testing/scalar.hpp - what a text of YAML is: a truth value, a number or a text, by the rules of the
// host
// ("yes" is true, "010" is 8, "1e3" is a text and "1.0e+3" a number) but for numbers with '_' or ':'.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "zz/testing/yaml.hpp"

#pragma GCC visibility push(hidden)
namespace zz {
namespace testing {

inline bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words)
    if (text == word) return true;
  return false;
}

inline std::optional<bool> as_bool(const YamlNode& node) {
  if (node.kind != YamlNode::scalar || node.quoted) return {};
  if (one_of(node.text, {"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})) return true;
  if (one_of(node.text, {"no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})) return false;
  return {};
}

inline std::optional<int64_t> as_int(const YamlNode& node) {
  if (node.kind != YamlNode::scalar || node.quoted) return {};
  std::string_view digits = node.text;
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.remove_prefix(1);
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    base = digits[1] == 'x' ? 16 : digits[1] == 'b' ? 2 : 8;
    digits.remove_prefix(base == 8 ? 1 : 2);
  }
  const std::string_view all = "0123456789abcdef";
  if (digits.empty()) return {};
  uint64_t value = 0;
  for (const char c : digits) {
    const std::size_t digit = all.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
    if (digit >= static_cast<std::size_t>(base)) return {};
    if (value >
        (static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) - digit) / static_cast<uint64_t>(base))
      return {};
    value = value * static_cast<uint64_t>(base) + digit;
  }
  return node.text[0] == '-' ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
}

inline std::optional<double> as_double(const YamlNode& node) {
  if (const auto integer = as_int(node)) return static_cast<double>(*integer);
  if (node.kind != YamlNode::scalar || node.quoted) return {};
  std::string_view text = node.text;
  if (one_of(text, {".nan", ".NaN", ".NAN"})) return std::numeric_limits<double>::quiet_NaN();
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (one_of(text, {".inf", ".Inf", ".INF"})) return negative ? -infinity : infinity;
  constexpr std::string_view digits = "0123456789";
  const std::size_t point = text.find_first_not_of(digits);
  if (point == std::string_view::npos || text[point] != '.') return {};
  const std::size_t exponent = text.find_first_not_of(digits, point + 1);
  if (point == 0 && (exponent == 1 || text.size() == 1)) return {};
  if (exponent != std::string_view::npos) {
    if (text[exponent] != 'e' && text[exponent] != 'E') return {};
    const std::string_view power = text.substr(exponent + 1);
    if (power.size() < 2 || (power[0] != '-' && power[0] != '+') ||
        power.find_first_not_of(digits, 1) != std::string_view::npos)
      return {};
  }
  return std::strtod(node.text.c_str(), nullptr);
}

// "a list", "the text 'abc'", "the number 3": for messages.
inline std::string describe(const YamlNode& node) {
  if (node.kind == YamlNode::null) return "nothing";
  if (node.kind == YamlNode::list) return node.items.empty() ? "an empty list" : "a list";
  if (node.kind == YamlNode::map) return node.items.empty() ? "an empty map" : "a map";
  if (const auto truth = as_bool(node)) {
    const std::string word = *truth ? "true" : "false";
    return "the truth value " + word + (node.text == word ? "" : " ('" + node.text + "')");
  }
  return (as_double(node) ? "the number " + node.text : "the text '" + node.text + "'");
}

}  // namespace testing
}  // namespace zz
#pragma GCC visibility pop
