#include "core/input/onnx/detail/length_expression.hpp"

#include <cctype>
#include <charconv>
#include <cstddef>
#include <fmt/format.h>
#include <numeric>
#include <string_view>
#include <system_error>

#include "core/base/text.hpp"
#include "core/input/onnx/operator_node.hpp"

namespace zz::core::onnx_import {
namespace {

// docs/limits.md names it.
constexpr int deepest_brackets = 100;

[[noreturn]] void too_large() { throw NodeProblem("goes beyond the numbers of 63 bits"); }

std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) too_large();
  return product;
}

/// Lengths are exact between the steps of an expression: "3 / 2 * 4" is 6.
struct Fraction {
  std::int64_t over = 0, under = 1;  ///< `under` is above 0, and has no factor in common with `over`
};

Fraction reduced(std::int64_t over, std::int64_t under) {
  const std::int64_t common = std::gcd(over, under);
  return {over / common, under / common};
}

Fraction product(Fraction a, Fraction b) {
  const Fraction first = reduced(a.over, b.under), second = reduced(b.over, a.under);
  return {times(first.over, second.over), times(first.under, second.under)};
}

Fraction sum(Fraction a, Fraction b) {
  std::int64_t over = 0;
  if (__builtin_add_overflow(times(a.over, b.under), times(b.over, a.under), &over)) too_large();
  return reduced(over, times(a.under, b.under));
}

Fraction negative(Fraction a) { return {times(a.over, -1), a.under}; }

Fraction quotient(Fraction a, Fraction b) {
  if (b.over == 0) throw NodeProblem("divides by zero");
  const std::int64_t sign = b.over < 0 ? -1 : 1;
  return product(a, {times(b.under, sign), times(b.over, sign)});
}

Fraction rounded_down(Fraction a) { return {a.over / a.under - (a.over % a.under < 0 ? 1 : 0), 1}; }

bool is_in_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.' ||
         letter == ':';
}

class Reading {
 public:
  Reading(std::string_view text, const std::function<std::int64_t(const std::string&)>& length_of)
      : rest_(text), length_of_(length_of) {}

  Fraction whole() {
    const Fraction value = terms();
    if (!at_end()) expected("an operator");
    return value;
  }

 private:
  void skip_spaces() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  bool at_end() {
    skip_spaces();
    return rest_.empty();
  }
  bool take(char sign) {
    skip_spaces();
    if (rest_.empty() || rest_.front() != sign) return false;
    rest_.remove_prefix(1);
    return true;
  }
  [[noreturn]] void expected(const char* what) {
    throw NodeProblem(
        fmt::format("has {} where {} must stand",
                    at_end() ? "nothing" : fmt::format("'{}'", shown_text(std::string(rest_))), what),
        "an expression has whole numbers, names, + - * /, brackets, ceil(...) and floor(...); a name with "
        "other signs stands in quotes");
  }

  Fraction terms() {
    Fraction value = factors();
    for (;;) {
      if (take('+'))
        value = sum(value, factors());
      else if (take('-'))
        value = sum(value, negative(factors()));
      else
        return value;
    }
  }

  Fraction factors() {
    Fraction value = factor();
    for (;;) {
      if (take('*'))
        value = product(value, factor());
      else if (take('/'))
        value = quotient(value, factor());
      else
        return value;
    }
  }

  Fraction factor() {
    if (++depth_ > deepest_brackets)
      throw NodeProblem(fmt::format("has more than {} brackets within each other", deepest_brackets));
    const Fraction value = one_factor();
    --depth_;
    return value;
  }

  Fraction one_factor() {
    if (take('-')) return negative(factor());
    if (take('(')) return bracketed();
    for (const char quote : {'\'', '"'})
      if (take(quote)) return quoted(quote);
    skip_spaces();
    std::size_t size = 0;
    while (size < rest_.size() && is_in_name(rest_[size])) ++size;
    const std::string_view word = rest_.substr(0, size);
    if (word.empty()) expected("a number or a name");
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool is_number = end == word.data() + word.size();
    if (is_number && problem == std::errc::result_out_of_range) too_large();
    rest_.remove_prefix(size);
    if (is_number) return {number, 1};
    if (word == "ceil" && take('(')) return negative(rounded_down(negative(bracketed())));
    if (word == "floor" && take('(')) return rounded_down(bracketed());
    return {length_of_(std::string(word)), 1};
  }

  Fraction bracketed() {
    const Fraction value = terms();
    if (!take(')')) expected("')'");
    return value;
  }

  Fraction quoted(char quote) {
    const std::size_t size = rest_.find(quote);
    if (size == std::string_view::npos) {
      rest_ = {};
      expected("the other quote");
    }
    const std::string name(rest_.substr(0, size));
    rest_.remove_prefix(size + 1);
    return {length_of_(name), 1};
  }

  std::string_view rest_;
  const std::function<std::int64_t(const std::string&)>& length_of_;
  int depth_ = 0;
};

}  // namespace

std::int64_t length_of_expression(const std::string& expression,
                                  const std::function<std::int64_t(const std::string&)>& length_of) {
  const Fraction value = Reading(expression, length_of).whole();
  if (value.under != 1)
    throw NodeProblem(fmt::format("is {}/{}, no whole number", value.over, value.under),
                      "ceil(...) rounds up, floor(...) down");
  if (value.over < 0) throw NodeProblem(fmt::format("is {}, less than 0", value.over));
  return value.over;
}

}  // namespace zz::core::onnx_import
