#include "core/base/number_text.hpp"

#include <charconv>
#include <limits>
#include <system_error>

namespace zz::core {
namespace {

/// True if digits that no double can have are above 1: such a number is too large, not too small.
bool is_above_one(std::string_view digits) {
  constexpr long long far = 1'000'000'000;
  long long magnitude = 0;  // of the first digit that is not 0, by powers of 10
  bool point = false, found = false;
  std::size_t at = 0;
  for (; at < digits.size() && digits[at] != 'e' && digits[at] != 'E'; ++at) {
    if (digits[at] == '.') {
      point = true;
      continue;
    }
    found = found || digits[at] != '0';
    if (point ? !found : found) magnitude += point ? -1 : 1;
  }
  if (at == digits.size()) return magnitude > 0;
  std::string_view exponent = digits.substr(at + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  long long given = 0;
  const auto read = std::from_chars(exponent.data(), exponent.data() + exponent.size(), given);
  if (read.ec != std::errc() || given > far || given < -far) return !exponent.starts_with('-');
  return magnitude + given > 0;
}

}  // namespace

NumberText number_at_begin_of(std::string_view text) {
  std::string_view rest = text;
  const bool plus = rest.starts_with('+');
  if (plus) rest.remove_prefix(1);
  if (plus && rest.starts_with('-')) return {};
  NumberText number;
  const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), number.value);
  if (problem == std::errc::invalid_argument) return {};
  number.length = static_cast<std::size_t>(end - text.data());
  if (problem == std::errc::result_out_of_range) {
    const bool negative = rest.starts_with('-');
    const std::string_view digits =
        rest.substr(negative ? 1 : 0, static_cast<std::size_t>(end - rest.data()) - (negative ? 1 : 0));
    number.value = is_above_one(digits) ? std::numeric_limits<double>::infinity() : 0.0;
    if (negative) number.value = -number.value;
  }
  return number;
}

std::optional<double> number_of(std::string_view text) {
  const NumberText number = number_at_begin_of(text);
  if (number.length == 0 || number.length != text.size()) return std::nullopt;
  return number.value;
}

}  // namespace zz::core
