#include "core/exploration/expression.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"

namespace zz::core {
namespace {

[[noreturn]] void fail_in_expression(const std::string& text, std::size_t at, const std::string& what) {
  throw InputError("expression '" + text + "', character " + std::to_string(at + 1) + ": " + what);
}

constexpr double no_limit = std::numeric_limits<double>::infinity();
constexpr Interval everything{-no_limit, no_limit};

/// What is no number, as 0 times infinity, may be anything.
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

}  // namespace

/// A recursive descent: sum -> product -> factor.
class Expression::Reader {
 public:
  explicit Reader(Expression& expression) : expression_(expression), text_(expression.text_) {}

  void read() {
    sum();
    skip_blanks();
    if (at_ < text_.size()) fail("an operator is expected");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { fail_in_expression(text_, at_, what); }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void push(Step step) {
    step.at = at_;
    expression_.steps_.push_back(step);
  }
  void push(Operation operation) { push(Step{.operation = operation}); }

  void sum() {
    product();
    for (;;) {
      if (take('+')) {
        product();
        push(Operation::add);
      } else if (take('-')) {
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
      if (take('*')) {
        factor();
        push(Operation::multiply);
      } else if (take('/')) {
        factor();
        push(Operation::divide);
      } else {
        return;
      }
    }
  }

  void factor() {
    if (take('-')) {
      factor();
      return push(Operation::minus);
    }
    if (take('(')) {
      sum();
      if (!take(')')) fail("')' is expected");
      return;
    }
    skip_blanks();
    if (at_ == text_.size()) fail("a number or a name is expected");
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (std::isdigit(c) || c == '.') return number();
    if (std::isalpha(c) || c == '_') return named();
    fail(std::string("'") + text_[at_] + "' is not expected here");
  }

  void number() {
    char* end = nullptr;
    const double result = std::strtod(text_.c_str() + at_, &end);
    if (end == text_.c_str() + at_) fail("a number is expected");
    at_ = static_cast<std::size_t>(end - text_.c_str());
    push({.operation = Operation::number, .number = result});
  }

  void named() {
    const std::size_t begin = at_;
    int brackets = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '[') ++brackets;
      const bool part = brackets > 0 || std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
      if (c == ']') --brackets;
      if (!part) break;
    }
    const std::string name = text_.substr(begin, at_ - begin);
    if (!take('(')) {
      std::vector<std::string>& names = expression_.names_;
      const auto known = std::find(names.begin(), names.end(), name);
      const auto index = static_cast<std::size_t>(known - names.begin());
      if (known == names.end()) names.push_back(name);
      return push({.operation = Operation::name, .name = index});
    }
    std::size_t arguments = 1;
    sum();
    for (; take(','); ++arguments) sum();
    if (!take(')')) fail("')' is expected");
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
  const std::string& text_;
  std::size_t at_ = 0;
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

template <class Number>
Number Expression::evaluate(std::span<const Number> numbers) const {
  std::vector<Number> stack;
  stack.reserve(steps_.size());
  for (const Step& step : steps_) {
    if (step.operation == Operation::number) {
      if constexpr (std::is_same_v<Number, double>)
        stack.push_back(step.number);
      else
        stack.push_back({step.number, step.number});
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

double evaluate_expression(const std::string& text, const NumberByName& number_of) {
  const Expression expression(text);
  std::vector<double> numbers;
  for (const std::string& name : expression.names()) numbers.push_back(number_of(name));
  return expression.value(numbers);
}

}  // namespace zz::core
