#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

namespace zz::core {

/// A number at the beginning of a text, and how many bytes it takes there.
struct NumberText {
  double value = 0;
  std::size_t length = 0;  ///< 0: the text begins with no number
};

/// Reads as C does in its own locale, whatever that of the process is: "-1.5e3", "+.5", "inf", "nan". What
/// is too large is infinite, and what is too small is 0. No blanks before it, and no numbers in base 16.
NumberText number_at_begin_of(std::string_view text);

/// The text as a number; nothing where it is more or less than one.
std::optional<double> number_of(std::string_view text);

}  // namespace zz::core
