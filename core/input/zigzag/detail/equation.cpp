#include "core/input/zigzag/detail/equation.hpp"

#include <charconv>
#include <tuple>
#include <utility>

#include "core/base/text.hpp"

namespace zz::core {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

/// Reads a text from left to right; blanks between the parts do not count.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  [[noreturn]] void fail(const std::string& expected) const {
    const std::string found = at_ < text_.size() ? "'" + std::string(text_.substr(at_)) + "'" : "the end";
    throw EquationError{"expected " + expected + ", but found " + found, static_cast<int>(at_)};
  }
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c, const std::string& what) {
    if (!accept(c)) fail(what);
  }
  /// A letter, then letters and digits.
  std::string_view name(const std::string& what) {
    if (!is_letter(peek())) fail(what);
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  std::int64_t number() {
    peek();
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (problem != std::errc{}) fail("a coefficient that fits into 64 bits");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }
  void expect_end() {
    if (peek() != '\0') fail("the end");
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

/// "W[k][c]"; appends it to the normalised text.
Equation::Operand read_operand(Scanner& scanner, std::string& text) {
  Equation::Operand operand;
  operand.name = scanner.name("the name of an operand, as O, W or I");
  text += operand.name;
  if (scanner.peek() != '[') scanner.fail("'[' and a dimension after " + operand.name);
  while (scanner.accept('[')) {
    if (scanner.accept(']')) {
      text += "[]";
      continue;
    }
    const std::string_view dimension = scanner.name("a dimension");
    scanner.expect(']', "']'");
    text += '[';
    text += dimension;
    text += ']';
    operand.dimensions.push_back(upper_case(dimension));
  }
  return operand;
}

/// "2*ox" or "ox".
std::pair<std::int64_t, std::string> read_term(Scanner& scanner) {
  std::int64_t coefficient = 1;
  if (is_digit(scanner.peek())) {
    coefficient = scanner.number();
    scanner.expect('*', "'*'");
  }
  return {coefficient, upper_case(scanner.name("a loop dimension"))};
}

}  // namespace

Equation parse_equation(std::string_view text) {
  Scanner scanner(text);
  Equation equation;
  equation.operands.push_back(read_operand(scanner, equation.text));
  if (equation.operands[0].name != "O") throw EquationError{"the output (left of '=') must be called O", 0};
  scanner.accept('+');
  scanner.expect('=', "'=' or '+='");
  equation.text += " = ";
  equation.operands.push_back(read_operand(scanner, equation.text));
  if (scanner.peek() == '\0') return equation;
  if (scanner.accept('*')) {
    equation.text += " * ";
  } else {
    scanner.expect('+', "'*' or '+' and a second input, or the end");
    scanner.accept('+');
    equation.text += " + ";
  }
  equation.operands.push_back(read_operand(scanner, equation.text));
  scanner.expect_end();
  return equation;
}

DimensionRelation parse_dimension_relation(std::string_view text) {
  Scanner scanner(text);
  DimensionRelation relation;
  relation.data = upper_case(scanner.name("a data dimension, as IX"));
  scanner.expect('=', "'='");
  std::tie(relation.stride, relation.output_loop) = read_term(scanner);
  scanner.expect('+', "'+' and a second loop dimension");
  std::tie(relation.dilation, relation.filter_loop) = read_term(scanner);
  scanner.expect_end();
  return relation;
}

}  // namespace zz::core
