#include "core/input/yaml/scalar.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

namespace zz::core::yaml {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  for (std::string_view word : words) {
    if (text == word) return true;
  }
  return false;
}

/// Value of a digit in bases up to 16, or -1.
int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool take_sign(std::string_view& text) {
  if (text.empty() || (text[0] != '-' && text[0] != '+')) return false;
  const bool negative = text[0] == '-';
  text.remove_prefix(1);
  return negative;
}

/// Digits of a base with underscores between them; at least one character.
bool only_digits(std::string_view text, int base) {
  if (text.empty()) return false;
  for (char c : text) {
    const int value = digit_value(c);
    if (c != '_' && (value < 0 || value >= base)) return false;
  }
  return true;
}

/// ":59" groups after the first number of a base-60 one; at least one, each of one or two digits.
bool only_sexagesimal_groups(std::string_view text) {
  if (text.empty()) return false;
  while (!text.empty()) {
    if (text[0] != ':') return false;
    text.remove_prefix(1);
    std::size_t count = 0;
    while (count < text.size() && is_digit(text[count])) ++count;
    if (count == 0 || count > 2 || (count == 2 && text[0] > '5')) return false;
    text.remove_prefix(count);
  }
  return true;
}

enum class IntForm { none, binary, octal, decimal, hexadecimal, sexagesimal };

/// `text` without its sign.
IntForm int_form(std::string_view text) {
  if (text == "0") return IntForm::decimal;
  if (text.starts_with("0b") && only_digits(text.substr(2), 2)) return IntForm::binary;
  if (text.starts_with("0x") && only_digits(text.substr(2), 16)) return IntForm::hexadecimal;
  if (text.size() > 1 && text[0] == '0' && only_digits(text.substr(1), 8)) return IntForm::octal;
  if (text.empty() || text[0] < '1' || text[0] > '9') return IntForm::none;
  if (only_digits(text, 10)) return IntForm::decimal;
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos && only_digits(text.substr(0, colon), 10) &&
      only_sexagesimal_groups(text.substr(colon))) {
    return IntForm::sexagesimal;
  }
  return IntForm::none;
}

/// Appends digits to a number; false when it does not fit.
bool accumulate(std::string_view digits, int base, std::uint64_t& value) {
  for (char c : digits) {
    if (c == '_') continue;
    if (__builtin_mul_overflow(value, static_cast<std::uint64_t>(base), &value) ||
        __builtin_add_overflow(value, static_cast<std::uint64_t>(digit_value(c)), &value)) {
      return false;
    }
  }
  return true;
}

bool accumulate_sexagesimal(std::string_view text, std::uint64_t& value) {
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    std::uint64_t group = 0;
    if (!accumulate(text.substr(0, colon), 10, group)) return false;
    if (__builtin_mul_overflow(value, std::uint64_t{60}, &value) ||
        __builtin_add_overflow(value, group, &value)) {
      return false;
    }
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
  }
  return true;
}

}  // namespace

bool is_null_text(std::string_view text) {
  return text.empty() || one_of(text, {"~", "null", "Null", "NULL"});
}

std::optional<bool> parse_bool(std::string_view text) {
  if (one_of(text, {"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})) return true;
  if (one_of(text, {"no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})) return false;
  return std::nullopt;
}

bool looks_like_int(std::string_view text) {
  take_sign(text);
  return int_form(text) != IntForm::none;
}

std::optional<std::int64_t> parse_int(std::string_view text) {
  const bool negative = take_sign(text);
  std::uint64_t magnitude = 0;
  bool fits = false;
  switch (int_form(text)) {
    case IntForm::none:
      return std::nullopt;
    case IntForm::binary:
      fits = accumulate(text.substr(2), 2, magnitude);
      break;
    case IntForm::octal:
      fits = accumulate(text.substr(1), 8, magnitude);
      break;
    case IntForm::decimal:
      fits = accumulate(text, 10, magnitude);
      break;
    case IntForm::hexadecimal:
      fits = accumulate(text.substr(2), 16, magnitude);
      break;
    case IntForm::sexagesimal:
      fits = accumulate_sexagesimal(text, magnitude);
      break;
  }
  if (!fits || magnitude > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  const auto value = static_cast<std::int64_t>(magnitude);
  return negative ? -value : value;
}

std::optional<double> parse_float(std::string_view text) {
  if (one_of(text, {".nan", ".NaN", ".NAN"})) return std::nan("");
  const bool negative = take_sign(text);
  const double sign = negative ? -1.0 : 1.0;
  if (one_of(text, {".inf", ".Inf", ".INF"})) return sign * std::numeric_limits<double>::infinity();

  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return std::nullopt;
  const std::string_view whole = text.substr(0, point);
  std::string_view fraction = text.substr(point + 1);
  std::string_view exponent;
  if (const std::size_t e = fraction.find_first_of("eE"); e != std::string_view::npos) {
    exponent = fraction.substr(e + 1);
    fraction = fraction.substr(0, e);
    if (exponent.size() < 2 || (exponent[0] != '-' && exponent[0] != '+') ||
        exponent.substr(1).find_first_not_of("0123456789") != std::string_view::npos) {
      return std::nullopt;
    }
  }
  if (!fraction.empty() && !only_digits(fraction, 10)) return std::nullopt;
  if (whole.empty() && (fraction.empty() || !is_digit(fraction[0]))) return std::nullopt;
  if (const std::size_t colon = whole.find(':'); colon != std::string_view::npos) {
    if (!is_digit(whole[0]) || !only_digits(whole.substr(0, colon), 10) ||
        !only_sexagesimal_groups(whole.substr(colon)) || !exponent.empty()) {
      return std::nullopt;
    }
    std::uint64_t seconds = 0;
    if (!accumulate_sexagesimal(whole, seconds)) return std::nullopt;
    std::string digits = "0.";
    for (char c : fraction) {
      if (c != '_') digits += c;
    }
    return sign * (static_cast<double>(seconds) + std::strtod(digits.c_str(), nullptr));
  }
  if (!whole.empty() && (!is_digit(whole[0]) || !only_digits(whole, 10))) return std::nullopt;

  std::string plain;
  for (char c : text) {
    if (c != '_') plain += c;
  }
  return sign * std::strtod(plain.c_str(), nullptr);
}

}  // namespace zz::core::yaml
