#include "core/input/yaml/node.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <string>
#include <system_error>

#include "core/base/number_text.hpp"
#include "core/base/text.hpp"
#include "core/base/text_scanner.hpp"

namespace zz::core::yaml {
namespace {

bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool only(std::string_view letters, std::string_view text) {
  return text.find_first_not_of(letters) == std::string_view::npos;
}

bool take_sign(std::string_view& text) {
  if (text.empty() || (text[0] != '-' && text[0] != '+')) return false;
  const bool negative = text[0] == '-';
  text.remove_prefix(1);
  return negative;
}

std::string without_underscores(std::string_view text) {
  std::string rest;
  std::remove_copy(text.begin(), text.end(), std::back_inserter(rest), '_');
  return rest;
}

/// A text without sign, read as a whole number.
struct Whole {
  bool is_number = false;  ///< by its form
  bool fits = false;       ///< into `value`
  std::uint64_t value = 0;
};

/// Appends the groups of a number in base 60, ":59:59", each of one or two digits.
void append_base_60(std::string_view groups, Whole& number) {
  while (number.is_number && !groups.empty()) {
    const std::string_view group = groups.substr(1, groups.find(':', 1) - 1);
    number.is_number = groups[0] == ':' && (group.size() == 1 || (group.size() == 2 && group[0] <= '5')) &&
                       only("0123456789", group);
    std::uint64_t value = 0;
    std::from_chars(group.data(), group.data() + group.size(), value);
    number.fits = number.fits && !__builtin_mul_overflow(number.value, std::uint64_t{60}, &number.value) &&
                  !__builtin_add_overflow(number.value, value, &number.value);
    groups.remove_prefix(1 + group.size());
  }
}

Whole parse_digits(std::string_view text, int base) {
  const std::string digits = without_underscores(text);
  const char* const end = digits.data() + digits.size();
  Whole number;
  const auto [stop, error] = std::from_chars(digits.data(), end, number.value, base);
  number.is_number = stop == end && error != std::errc::invalid_argument;
  number.fits = error == std::errc();
  return number;
}

Whole parse_whole(std::string_view text) {
  if (text.starts_with("0b")) return parse_digits(text.substr(2), 2);
  if (text.starts_with("0x")) return parse_digits(text.substr(2), 16);
  if (text.size() > 1 && text[0] == '0') return parse_digits(text, 8);
  if (text.empty() || !is_digit(text[0])) return {};
  const std::size_t colon = std::min(text.find(':'), text.size());
  Whole number = parse_digits(text.substr(0, colon), 10);
  append_base_60(text.substr(colon), number);
  return number;
}

}  // namespace

bool is_null_text(std::string_view text) { return one_of(text, {"", "~", "null", "Null", "NULL"}); }

std::optional<bool> parse_bool(std::string_view text) {
  if (one_of(text, {"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})) return true;
  if (one_of(text, {"no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})) return false;
  return std::nullopt;
}

bool looks_like_int(std::string_view text) {
  take_sign(text);
  return parse_whole(text).is_number;
}

std::optional<std::int64_t> parse_int(std::string_view text) {
  const bool negative = take_sign(text);
  const Whole number = parse_whole(text);
  if (!number.is_number || !number.fits || number.value > std::numeric_limits<std::int64_t>::max())
    return std::nullopt;
  const auto value = static_cast<std::int64_t>(number.value);
  return negative ? -value : value;
}

std::optional<double> parse_float(std::string_view text) {
  if (one_of(text, {".nan", ".NaN", ".NAN"})) return std::nan("");
  const double sign = take_sign(text) ? -1.0 : 1.0;
  if (one_of(text, {".inf", ".Inf", ".INF"})) return sign * std::numeric_limits<double>::infinity();

  const std::size_t point = text.find('.');
  if (point == std::string_view::npos || !is_digit(text[point == 0 && text.size() > 1 ? 1 : 0]))
    return std::nullopt;
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  std::string_view whole = text.substr(0, point), exponent = text.substr(e);
  if (e < point || !only("0123456789_", text.substr(point + 1, e - point - 1))) return std::nullopt;
  if (!exponent.empty()) {
    exponent.remove_prefix(1);
    if (exponent.size() < 2 || !one_of(exponent.substr(0, 1), {"+", "-"}) ||
        !only("0123456789", exponent.substr(1)))
      return std::nullopt;
  }
  if (const std::size_t colon = whole.find(':'); colon != std::string_view::npos) {
    Whole seconds = parse_digits(whole.substr(0, colon), 10);
    append_base_60(whole.substr(colon), seconds);
    if (!seconds.is_number || !seconds.fits || e < text.size()) return std::nullopt;
    const std::string fraction = "0" + without_underscores(text.substr(point));
    return sign * (static_cast<double>(seconds.value) + number_of(fraction).value_or(0));
  }
  if (!only("0123456789_", whole)) return std::nullopt;
  return sign * number_of(without_underscores(text)).value_or(0);
}

Node::Node() = default;
Node::Node(const Node&) = default;
Node::Node(Node&&) noexcept = default;
Node& Node::operator=(const Node&) = default;
Node& Node::operator=(Node&&) noexcept = default;
Node::~Node() = default;

const Node* Node::find(std::string_view key) const {
  for (const auto& [name, value] : entries) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::optional<bool> Node::as_bool() const {
  if (!is_scalar() || quoted) return std::nullopt;
  return parse_bool(text);
}

std::optional<std::int64_t> Node::as_int() const {
  if (!is_scalar() || quoted) return std::nullopt;
  return parse_int(text);
}

std::optional<double> Node::as_double() const {
  if (!is_scalar() || quoted) return std::nullopt;
  if (const auto integer = parse_int(text)) return static_cast<double>(*integer);
  return parse_float(text);
}

std::optional<std::string> Node::as_text() const {
  if (!is_scalar()) return std::nullopt;
  if (!quoted && (parse_bool(text) || looks_like_int(text) || parse_float(text))) return std::nullopt;
  return text;
}

std::string Node::describe() const {
  switch (kind) {
    case Kind::null:
      return "nothing";
    case Kind::list:
      return items.empty() ? "an empty list" : "a list";
    case Kind::map:
      return entries.empty() ? "an empty map" : "a map";
    case Kind::scalar:
      break;
  }
  if (!quoted) {
    if (const auto truth = parse_bool(text)) {
      return fmt::format("the truth value {}{}", *truth ? "true" : "false",
                         text == "true" || text == "false" ? "" : " ('" + text + "')");
    }
    if (looks_like_int(text) && !parse_int(text))
      return "the number " + shown_text(text) + ", which is too large";
    if (looks_like_int(text) || parse_float(text)) return "the number " + shown_text(text);
  }
  return "the text '" + shown_text(text) + "'";
}

namespace {

/// "64 kB", as bits; kilo is 1,024. None for what is no number of bytes or bits.
std::optional<double> bits_with_unit(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of(".0123456789"), text.size());
  double number = 0;
  const bool is_number = std::from_chars(text.data(), text.data() + digits, number).ec == std::errc{};
  std::string_view unit = text.substr(digits);
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  if (!is_number || unit.empty()) return std::nullopt;
  double scale = unit.back() == 'B' ? 8 : unit.back() == 'b' ? 1 : 0;
  unit.remove_suffix(1);
  if (unit.ends_with('i')) unit.remove_suffix(1);
  constexpr std::string_view prefixes = "kMG";
  if (unit == "K") unit = "k";
  if (unit.size() == 1 && prefixes.find(unit) != prefixes.npos)
    for (std::size_t i = 0; i <= prefixes.find(unit); ++i) scale *= 1024;
  else if (!unit.empty())
    scale = 0;
  return scale > 0 ? std::optional(number * scale) : std::nullopt;
}

}  // namespace

std::string number_hint(const Node& node) {
  if (!node.is_scalar()) return "";
  if (const std::optional<double> bits = bits_with_unit(node.text))
    return fmt::format("give a number without a unit; {} are {:.0f} bits", shown_text(node.text), *bits);
  if (node.quoted) return looks_like_int(node.text) || parse_float(node.text) ? "remove the quotes" : "";
  const std::size_t exponent = node.text.find_first_of("eE");
  if (exponent != std::string::npos && exponent > 0 && !parse_float(node.text) &&
      node.text.find_first_not_of("+-.0123456789eE") == std::string::npos) {
    return "YAML wants a point and a signed exponent, as in 1.0e+3";
  }
  return "";
}

}  // namespace zz::core::yaml
