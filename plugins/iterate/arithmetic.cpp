#include "plugins/iterate/arithmetic.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"

namespace zz::core {
namespace {

/// A recursive descent: sum -> product -> factor.
class Expression {
 public:
  Expression(const std::string& text, const NumberByName& number_of) : text_(text), number_of_(number_of) {}

  double value() {
    const double result = sum();
    skip_blanks();
    if (at_ < text_.size()) fail("an operator is expected");
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError("expression '" + text_ + "', character " + std::to_string(at_ + 1) + ": " + what);
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  double sum() {
    double result = product();
    for (;;) {
      if (take('+'))
        result += product();
      else if (take('-'))
        result -= product();
      else
        return result;
    }
  }

  double product() {
    double result = factor();
    for (;;) {
      if (take('*')) {
        result *= factor();
      } else if (take('/')) {
        const double divisor = factor();
        if (divisor == 0) fail("division by zero");
        result /= divisor;
      } else {
        return result;
      }
    }
  }

  double factor() {
    if (take('-')) return -factor();
    if (take('(')) {
      const double result = sum();
      if (!take(')')) fail("')' is expected");
      return result;
    }
    skip_blanks();
    if (at_ == text_.size()) fail("a number or a name is expected");
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (std::isdigit(c) || c == '.') return number();
    if (std::isalpha(c) || c == '_') return named();
    fail(std::string("'") + text_[at_] + "' is not expected here");
  }

  double number() {
    char* end = nullptr;
    const double result = std::strtod(text_.c_str() + at_, &end);
    if (end == text_.c_str() + at_) fail("a number is expected");
    at_ = static_cast<std::size_t>(end - text_.c_str());
    return result;
  }

  double named() {
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
    if (!take('(')) return number_of_(name);
    std::vector<double> arguments{sum()};
    while (take(',')) arguments.push_back(sum());
    if (!take(')')) fail("')' is expected");
    return apply(name, arguments);
  }

  double apply(const std::string& function, const std::vector<double>& arguments) const {
    if (function == "min") return *std::min_element(arguments.begin(), arguments.end());
    if (function == "max") return *std::max_element(arguments.begin(), arguments.end());
    static const std::array<std::string, 5> known{"floor", "ceil", "round", "min", "max"};
    if (std::find(known.begin(), known.end(), function) == known.end())
      fail("unknown function '" + function + "'; " + suggestion(function, known));
    if (arguments.size() != 1) fail("'" + function + "' takes one number");
    if (function == "floor") return std::floor(arguments.front());
    if (function == "ceil") return std::ceil(arguments.front());
    return std::round(arguments.front());
  }

  const std::string& text_;
  const NumberByName& number_of_;
  std::size_t at_ = 0;
};

}  // namespace

double evaluate_expression(const std::string& text, const NumberByName& number_of) {
  return Expression(text, number_of).value();
}

}  // namespace zz::core
