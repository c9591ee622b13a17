#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace zz::core {

/// All numbers from `low` to `high`.
struct Interval {
  double low = 0, high = 0;
};

/// A number that is exact. `under` is above 0, and has no factor in common with `over`.
struct Fraction {
  std::int64_t over = 0, under = 1;
};

/// An arithmetic expression such as "memories[l1].size / 8 + 2": numbers, names, + - * / ** and
/// parentheses, and the functions sqrt, log2, floor, ceil and round of one number, pow of two, min and max
/// of any. A name begins with a letter or '_' and goes on with letters, digits, '_', '.' and ':', with any
/// text between square brackets; another one stands in quotes: "'past + new' - 1". It is read once and
/// evaluated often. [any]
class Expression {
 public:
  /// Throws InputError saying where in the text something is wrong.
  explicit Expression(std::string text);

  const std::string& text() const { return text_; }
  /// Each name once, in the order in which they come first.
  const std::vector<std::string>& names() const { return names_; }

  /// `numbers`: of the names, in their order. Throws InputError saying where in the text there is no value:
  /// a division by zero, a root or a logarithm of what has none.
  double value(std::span<const double> numbers) const;
  /// An interval that holds the value of all numbers in these intervals. It may be larger than it must be
  /// where a name occurs several times. Unbounded where there is no value for some of them.
  Interval range(std::span<const Interval> numbers) const;
  /// The value without rounding: "3 / 2 * 4" is 6. Throws as value(), and for sqrt, log2, pow, numbers that
  /// are not whole, and what goes beyond 63 bits.
  Fraction exact(std::span<const Fraction> numbers) const;

 private:
  enum class Operation { number, name, minus, add, subtract, multiply, divide, function };
  enum class Function { sqrt, log2, floor, ceil, round, pow, min, max };
  struct Step {
    Operation operation;
    double number = 0;
    std::size_t name = 0;
    Function function = Function::min;
    std::size_t arguments = 0;
    std::size_t at = 0;  ///< in the text, for messages
  };
  class Reader;
  template <class Number>
  Number evaluate(std::span<const Number> numbers) const;
  template <class Number>
  Number literal(const Step& step) const;
  template <class Number>
  Number apply(const Step& step, std::span<const Number> arguments) const;

  std::string text_;
  std::vector<std::string> names_;
  std::vector<Step> steps_;  ///< operands before their operation
};

/// Gives the number that a name of an expression stands for. Throws when there is none.
using NumberByName = std::function<double(const std::string&)>;

/// The value of an expression that is needed once. Throws InputError as Expression does.
double evaluate_expression(const std::string& text, const NumberByName& number_of);

}  // namespace zz::core
