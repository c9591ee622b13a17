#include "core/text/number_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <memory>

namespace zz::core {
namespace {

/// Of two decimals of up to 15 digits no two are read as the same double.
constexpr double most_digits = 1e15;

/// Writes a decimal of so many places, of which those at the end that are zero are left out.
template <int places, std::int64_t scale>
char* put_decimal(char* place, std::int64_t scaled) {
  place = put_integer(place, scaled / scale);
  *place = '.';
  std::int64_t rest = scaled % scale;
  for (int digit = places; digit > 0; --digit, rest /= 10)
    place[digit] = static_cast<char>('0' + rest % 10);
  char* last = place + places;
  while (*last == '0') --last;
  return last + 1;
}

/// Whether the number is what is read for a decimal of so many places, which is then its shortest text.
template <std::int64_t scale>
bool is_decimal(double magnitude, std::int64_t& scaled) {
  const double product = magnitude * static_cast<double>(scale);
  if (!(product < most_digits)) return false;
  scaled = static_cast<std::int64_t>(product + 0.5);
  return static_cast<double>(scaled) / static_cast<double>(scale) == magnitude;
}

char* put_shortest(char* place, double number) {
  char* const begin = place;
  place = fmt::format_to(begin, FMT_COMPILE("{}"), number);
  if (std::none_of(begin, place, [](char letter) { return letter == '.' || letter == 'e'; })) {
    *place++ = '.';
    *place++ = '0';
  }
  return place;
}

/// Texts that took long to find. Layers that are equal have equal figures, and each of them goes to several
/// files.
struct KnownText {
  double number = 0;
  std::size_t size = 0;
  std::array<char, longest_number> text{};
};
constexpr int known_texts_bits = 10;
using KnownTexts = std::array<KnownText, std::size_t{1} << known_texts_bits>;

char* put_known(char* place, double number) {
  thread_local std::unique_ptr<KnownTexts> known_texts;
  if (known_texts == nullptr) known_texts = std::make_unique<KnownTexts>();
  constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15;
  const std::size_t bucket = std::bit_cast<std::uint64_t>(number) * golden_ratio >> (64 - known_texts_bits);
  KnownText& known = (*known_texts)[bucket];
  // No number that comes here is zero.
  if (known.number != number) {
    known.size = static_cast<std::size_t>(put_shortest(known.text.data(), number) - known.text.data());
    known.number = number;
  }
  std::memcpy(place, known.text.data(), known.text.size());
  return place + known.size;
}

}  // namespace

char* put_integer(char* place, std::int64_t number) {
  if (static_cast<std::uint64_t>(number) < 10) {
    *place = static_cast<char>('0' + number);
    return place + 1;
  }
  const fmt::format_int digits(number);
  std::memcpy(place, digits.data(), digits.size());
  return place + digits.size();
}

char* put_factor(char* place, double number) {
  if (std::fabs(number) < most_digits && number == std::trunc(number))
    return put_integer(place, static_cast<std::int64_t>(number));
  return fmt::format_to(place, FMT_COMPILE("{}"), number);
}

char* put_number(char* place, double number) {
  const double magnitude = std::fabs(number);
  if (magnitude < most_digits) {
    const auto whole = static_cast<std::int64_t>(magnitude);
    std::int64_t scaled = 0;
    if (static_cast<double>(whole) == magnitude) {
      if (std::signbit(number)) *place++ = '-';
      place = put_integer(place, whole);
      *place++ = '.';
      *place++ = '0';
      return place;
    }
    // Smaller ones are written with an exponent, sooner or later.
    if (magnitude >= 1e-3 && is_decimal<1000000>(magnitude, scaled)) {
      if (std::signbit(number)) *place++ = '-';
      return put_decimal<6, 1000000>(place, scaled);
    }
  }
  return put_known(place, number);
}

}  // namespace zz::core
