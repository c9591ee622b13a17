#include "core/base/expression.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/number_text.hpp"
#include "core/base/text.hpp"
#include "core/base/text_scanner.hpp"

namespace zz::core {
namespace {

/// docs/limits.md names it.
constexpr int deepest_brackets = 100;

[[noreturn]] void fail_in_expression(const std::string& text, std::size_t at, const std::string& what) {
  throw InputError("expression '" + shown_text(text) + "', character " + std::to_string(at + 1) + ": " +
                   what);
}

constexpr double no_limit = std::numeric_limits<double>::infinity();
constexpr Interval everything{-no_limit, no_limit};

/// A result that is no number, as 0 times infinity, may be anything.
Interval proper(Interval interval) {
  if (std::isnan(interval.low)) interval.low = -no_limit;
  if (std::isnan(interval.high)) interval.high = no_limit;
  return interval;
}

Interval hull(std::span<const double> corners) {
  if (std::any_of(corners.begin(), corners.end(), [](double corner) { return std::isnan(corner); }))
    return everything;
  const auto [low, high] = std::minmax_element(corners.begin(), corners.end());
  return {*low, *high};
}

Interval product(Interval a, Interval b) {
  const std::array<double, 4> corners{a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  return hull(corners);
}

Interval quotient(Interval a, Interval b) {
  if (b.low <= 0 && b.high >= 0) return everything;
  const std::array<double, 4> corners{a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high};
  return hull(corners);
}

Interval power(Interval base, Interval exponent) {
  if (!(base.low > 0))
    return base.low == base.high && exponent.low == exponent.high
               ? Interval{std::pow(base.low, exponent.low), std::pow(base.low, exponent.low)}
               : everything;
  // Monotone in each of the two where the base is positive.
  const std::array<double, 4> corners{std::pow(base.low, exponent.low), std::pow(base.low, exponent.high),
                                      std::pow(base.high, exponent.low),
                                      std::pow(base.high, exponent.high)};
  return hull(corners);
}

/// Thrown for what one step of exact arithmetic has no room for.
struct TooLarge {};

std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw TooLarge();
  return product;
}

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
  if (__builtin_add_overflow(times(a.over, b.under), times(b.over, a.under), &over)) throw TooLarge();
  return reduced(over, times(a.under, b.under));
}

Fraction negative(Fraction a) { return {times(a.over, -1), a.under}; }

/// REQUIRES: `b` is not 0.
Fraction quotient(Fraction a, Fraction b) {
  const std::int64_t sign = b.over < 0 ? -1 : 1;
  return product(a, {times(b.under, sign), times(b.over, sign)});
}

Fraction rounded_down(Fraction a) { return {a.over / a.under - (a.over % a.under < 0 ? 1 : 0), 1}; }

bool is_less(Fraction a, Fraction b) { return sum(a, negative(b)).over < 0; }

}  // namespace

/// A recursive descent: sum -> product -> factor.
class Expression::Reader {
 public:
  explicit Reader(Expression& expression) : expression_(expression), scanner_(expression.text_) {}

  void read() {
    sum();
    if (!scanner_.at_end()) fail("an operator is expected");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    fail_in_expression(expression_.text_, scanner_.at(), what);
  }
  bool take(std::string_view sign) { return scanner_.take(sign); }
  void push(Step step) {
    step.at = scanner_.at();
    expression_.steps_.push_back(step);
  }
  void push(Operation operation) { push(Step{.operation = operation}); }

  void sum() {
    product();
    for (;;) {
      if (take("+")) {
        product();
        push(Operation::add);
      } else if (take("-")) {
        product();
        push(Operation::subtract);
      } else {
        return;
      }
    }
  }

  void product() {
    factor();
    for (;;) {
      if (take("*")) {
        factor();
        push(Operation::multiply);
      } else if (take("/")) {
        factor();
        push(Operation::divide);
      } else {
        return;
      }
    }
  }

  void factor() {
    if (++depth_ > deepest_brackets)
      fail("there are more than " + std::to_string(deepest_brackets) + " brackets within each other");
    one_factor();
    if (take("**")) {
      factor();  // powers group from the right
      push({.operation = Operation::function, .function = Function::pow, .arguments = 2});
    }
    --depth_;
  }

  void one_factor() {
    if (take("-")) {
      factor();
      return push(Operation::minus);
    }
    if (take("(")) {
      sum();
      if (!take(")")) fail("')' is expected");
      return;
    }
    for (const char* quote : {"'", "\""})
      if (take(quote)) return quoted(*quote);
    if (scanner_.at_end()) fail("a number or a name is expected");
    const char c = scanner_.rest().front();
    if (is_digit(c) || c == '.') return number();
    if (is_letter(c) || c == '_') return named();
    fail(std::string("'") + c + "' is not expected here");
  }

  void number() {
    const NumberText read = number_at_begin_of(scanner_.rest());
    if (read.length == 0) fail("a number is expected");
    scanner_.go_to(scanner_.at() + read.length);
    push({.operation = Operation::number, .number = read.value});
  }

  void quoted(char quote) {
    const std::string& text = expression_.text_;
    const std::size_t begin = scanner_.at(), end = text.find(quote, begin);
    if (end == std::string::npos) fail("the other quote is missing");
    scanner_.go_to(end + 1);
    push_name(text.substr(begin, end - begin));
  }

  void push_name(const std::string& name) {
    std::vector<std::string>& names = expression_.names_;
    const auto known = std::find(names.begin(), names.end(), name);
    const auto index = static_cast<std::size_t>(known - names.begin());
    if (known == names.end()) names.push_back(name);
    push({.operation = Operation::name, .name = index});
  }

  void named() {
    int brackets = 0;
    const std::string name(scanner_.word([&](char c) {
      if (c == '[') ++brackets;
      const bool belongs = brackets > 0 || is_letter_or_digit(c) || c == '_' || c == '.' || c == ':';
      if (c == ']') --brackets;
      return belongs;
    }));
    if (!take("(")) return push_name(name);
    std::size_t arguments = 1;
    sum();
    for (; take(","); ++arguments) sum();
    if (!take(")")) fail("')' is expected");
    push({.operation = Operation::function, .function = function(name, arguments), .arguments = arguments});
  }

  Function function(const std::string& name, std::size_t arguments) const {
    // In the order of Function.
    static const std::array<std::string, 8> known{"sqrt",  "log2", "floor", "ceil",
                                                  "round", "pow",  "min",   "max"};
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) fail("unknown function '" + name + "'; " + suggestion(name, known));
    const auto function = static_cast<Function>(found - known.begin());
    if (function < Function::pow && arguments != 1) fail("'" + name + "' takes one number");
    if (function == Function::pow && arguments != 2) fail("'pow' takes two numbers");
    return function;
  }

  Expression& expression_;
  TextScanner scanner_;
  int depth_ = 0;
};

Expression::Expression(std::string text) : text_(std::move(text)) { Reader(*this).read(); }

template <>
double Expression::apply(const Step& step, std::span<const double> arguments) const {
  const double first = arguments.front();
  double result = 0;
  switch (step.operation) {
    case Operation::minus:
      return -first;
    case Operation::add:
      return first + arguments[1];
    case Operation::subtract:
      return first - arguments[1];
    case Operation::multiply:
      return first * arguments[1];
    case Operation::divide:
      if (arguments[1] == 0) fail_in_expression(text_, step.at, "division by zero");
      return first / arguments[1];
    default:
      break;
  }
  switch (step.function) {
    case Function::sqrt:
      result = std::sqrt(first);
      break;
    case Function::log2:
      result = std::log2(first);
      break;
    case Function::floor:
      return std::floor(first);
    case Function::ceil:
      return std::ceil(first);
    case Function::round:
      return std::round(first);
    case Function::pow:
      result = std::pow(first, arguments[1]);
      break;
    case Function::min:
      return *std::min_element(arguments.begin(), arguments.end());
    case Function::max:
      return *std::max_element(arguments.begin(), arguments.end());
  }
  if (!std::isfinite(result) && std::isfinite(first))
    fail_in_expression(text_, step.at, "there is no such number");
  return result;
}

template <>
Interval Expression::apply(const Step& step, std::span<const Interval> arguments) const {
  const Interval first = arguments.front();
  switch (step.operation) {
    case Operation::minus:
      return {-first.high, -first.low};
    case Operation::add:
      return proper({first.low + arguments[1].low, first.high + arguments[1].high});
    case Operation::subtract:
      return proper({first.low - arguments[1].high, first.high - arguments[1].low});
    case Operation::multiply:
      return product(first, arguments[1]);
    case Operation::divide:
      return quotient(first, arguments[1]);
    default:
      break;
  }
  Interval result = first;
  switch (step.function) {
    case Function::sqrt:
      return first.low < 0 ? everything : Interval{std::sqrt(first.low), std::sqrt(first.high)};
    case Function::log2:
      return first.low > 0 ? Interval{std::log2(first.low), std::log2(first.high)} : everything;
    case Function::floor:
      return {std::floor(first.low), std::floor(first.high)};
    case Function::ceil:
      return {std::ceil(first.low), std::ceil(first.high)};
    case Function::round:
      return {std::round(first.low), std::round(first.high)};
    case Function::pow:
      return power(first, arguments[1]);
    case Function::min:
      for (const Interval& one : arguments)
        result = {std::min(result.low, one.low), std::min(result.high, one.high)};
      return result;
    case Function::max:
      for (const Interval& one : arguments)
        result = {std::max(result.low, one.low), std::max(result.high, one.high)};
      return result;
  }
  return everything;
}

template <>
Fraction Expression::apply(const Step& step, std::span<const Fraction> arguments) const {
  const Fraction first = arguments.front();
  switch (step.operation) {
    case Operation::minus:
      return negative(first);
    case Operation::add:
      return sum(first, arguments[1]);
    case Operation::subtract:
      return sum(first, negative(arguments[1]));
    case Operation::multiply:
      return zz::core::product(first, arguments[1]);
    case Operation::divide:
      if (arguments[1].over == 0) fail_in_expression(text_, step.at, "division by zero");
      return zz::core::quotient(first, arguments[1]);
    default:
      break;
  }
  switch (step.function) {
    case Function::floor:
      return rounded_down(first);
    case Function::ceil:
      return negative(rounded_down(negative(first)));
    case Function::round: {  // halves away from zero, as that of other numbers
      const Fraction half = first.over < 0 ? Fraction{-1, 2} : Fraction{1, 2};
      const Fraction up = sum(first, half);
      return first.over < 0 ? negative(rounded_down(negative(up))) : rounded_down(up);
    }
    case Function::min:
      return *std::min_element(arguments.begin(), arguments.end(), is_less);
    case Function::max:
      return *std::max_element(arguments.begin(), arguments.end(), is_less);
    default:
      fail_in_expression(text_, step.at, "sqrt, log2 and pow have no exact value");
  }
}

template <>
double Expression::literal(const Step& step) const {
  return step.number;
}
template <>
Interval Expression::literal(const Step& step) const {
  return {step.number, step.number};
}
template <>
Fraction Expression::literal(const Step& step) const {
  constexpr double largest_exact = 9007199254740992;  // 2^53
  if (step.number != std::floor(step.number) || step.number > largest_exact)
    fail_in_expression(text_, step.at, "a whole number up to 2^53 is expected");
  return {static_cast<std::int64_t>(step.number), 1};
}

template <class Number>
Number Expression::evaluate(std::span<const Number> numbers) const {
  std::vector<Number> stack;
  stack.reserve(steps_.size());
  for (const Step& step : steps_) {
    if (step.operation == Operation::number) {
      stack.push_back(literal<Number>(step));
    } else if (step.operation == Operation::name) {
      stack.push_back(numbers[step.name]);
    } else {
      const bool one = step.operation == Operation::minus;
      const std::size_t count = step.operation == Operation::function ? step.arguments : one ? 1 : 2;
      const auto arguments = std::span<const Number>(stack).last(count);
      const Number result = apply<Number>(step, arguments);
      stack.resize(stack.size() - count);
      stack.push_back(result);
    }
  }
  return stack.back();
}

double Expression::value(std::span<const double> numbers) const { return evaluate<double>(numbers); }
Interval Expression::range(std::span<const Interval> numbers) const { return evaluate<Interval>(numbers); }
Fraction Expression::exact(std::span<const Fraction> numbers) const {
  try {
    return evaluate<Fraction>(numbers);
  } catch (const TooLarge&) {
    throw InputError("expression '" + shown_text(text_) + "' goes beyond the numbers of 63 bits");
  }
}

double evaluate_expression(const std::string& text, const NumberByName& number_of) {
  const Expression expression(text);
  std::vector<double> numbers;
  for (const std::string& name : expression.names()) numbers.push_back(number_of(name));
  return expression.value(numbers);
}

}  // namespace zz::core
