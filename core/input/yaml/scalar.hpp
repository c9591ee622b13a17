#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace zz::core::yaml {

// The meaning of an unquoted scalar by the rules of YAML 1.1 as PyYAML applies them (yaml/resolver.py).
// yaml-cpp differs: it takes "1e3" for a number and "y" for true. Each function returns nothing when the
// text is of another type, or when the number does not fit.

bool is_null_text(std::string_view text);
std::optional<bool> parse_bool(std::string_view text);
/// Decimal, 0b..., 0x..., 0... (octal) and base 60 ("1:30"), with underscores.
std::optional<std::int64_t> parse_int(std::string_view text);
/// Needs a point, and a sign in the exponent: "1e3" is text.
std::optional<double> parse_float(std::string_view text);
/// True when the text is an integer by its form, whether or not it fits.
bool looks_like_int(std::string_view text);

}  // namespace zz::core::yaml
