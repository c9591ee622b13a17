#include "core/base/expression.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"

namespace {

using zz::core::evaluate_expression;

double value_of(const std::string& text) {
  return evaluate_expression(text, [](const std::string& name) {
    if (name == "memories[l1].size") return 64.0;
    if (name == "a") return 3.0;
    throw zz::core::InputError("there is no '" + name + "'");
  });
}

}  // namespace

TEST_CASE("expressions follow the usual order of operations") {
  CHECK(value_of("1 + 2 * 3") == 7);
  CHECK(value_of("(1 + 2) * 3") == 9);
  CHECK(value_of("8 / 2 / 2 - 1 - 1") == 0);
  CHECK(value_of("-a * -2") == 6);
  CHECK(value_of(" 1.5e1 ") == 15);
}

TEST_CASE("expressions read names with brackets, and functions") {
  CHECK(value_of("memories[l1].size/8+a") == 11);
  CHECK(value_of("floor(7 / 2) + ceil(7 / 2) + round(2.5)") == 10);
  CHECK(value_of("max(a, 2, 7) - min(a, 2)") == 5);
}

TEST_CASE("a wrong expression is told with the place") {
  const auto message = [](const std::string& text) {
    try {
      value_of(text);
    } catch (const zz::core::InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(message("2 * * 3").find("character 5: '*' is not expected here") != std::string::npos);
  CHECK(message("2 3").find("character 3: an operator is expected") != std::string::npos);
  CHECK(message("(2").find("')' is expected") != std::string::npos);
  CHECK(message("").find("a number or a name is expected") != std::string::npos);
  CHECK(message("1 / (a - 3)").find("division by zero") != std::string::npos);
  CHECK(message("flor(2)").find("did you mean 'floor'?") != std::string::npos);
  CHECK(message("floor(2, 3)").find("takes one number") != std::string::npos);
  CHECK(message("b").find("there is no 'b'") != std::string::npos);
}

TEST_CASE("expressions know roots, powers and logarithms") {
  CHECK(value_of("sqrt(memories[l1].size)") == 8);
  CHECK(value_of("pow(2, 10) + log2(8)") == 1027);
  CHECK(value_of("10**3 * 2 ** 3") == 8000);
  CHECK(value_of("-2 ** 2 ** 3") == -256);
  CHECK(value_of("2 ** -1") == 0.5);
  CHECK_THROWS_AS(value_of("sqrt(0 - 1)"), zz::core::InputError);
  CHECK_THROWS_AS(value_of("log2(0)"), zz::core::InputError);
  CHECK_THROWS_AS(value_of("pow(2)"), zz::core::InputError);
}

TEST_CASE("a range of an expression holds the value of all numbers inside") {
  using zz::core::Expression;
  using zz::core::Interval;
  const std::vector<std::string> texts = {"x * y - x",         "x / (y + 3)",           "sqrt(x) + log2(x)",
                                          "pow(x, y)",         "max(x, y) - min(x, y)", "-x * (2-y)",
                                          "floor(x / 3) + -y", "round(x) * ceil(y/2)",  "(x - 2) * (y - 2)",
                                          "x / (y - 1)"};
  for (const std::string& text : texts) {
    const Expression expression(text);
    for (double low = 1; low < 4; low += 0.5) {
      const std::vector<Interval> box{{low, low + 2}, {0.25, low}};
      const Interval range = expression.range(box);
      for (double x = low; x <= low + 2; x += 0.25) {
        for (double y = 0.25; y <= low; y += 0.25) {
          if (text == "x / (y - 1)" && y == 1) continue;
          const double value = expression.value(std::vector<double>{x, y});
          CHECK_MESSAGE(range.low <= value, text);
          CHECK_MESSAGE(value <= range.high, text);
        }
      }
    }
  }
}

TEST_CASE("a range of single numbers is their value") {
  const zz::core::Expression expression("0.1 * sqrt(x) + pow(x, 2) / 3");
  const zz::core::Interval range = expression.range(std::vector<zz::core::Interval>{{7, 7}});
  const double value = expression.value(std::vector<double>{7});
  CHECK(range.low == value);
  CHECK(range.high == value);
}

TEST_CASE("expressions have exact values, and say where they have none") {
  using zz::core::Expression;
  using zz::core::Fraction;
  const auto exact = [](const std::string& text, std::vector<Fraction> numbers = {}) {
    const Fraction value = Expression(text).exact(numbers);
    return std::to_string(value.over) + "/" + std::to_string(value.under);
  };
  CHECK(exact("tokens / 49 * 49", {{10, 1}}) == "10/1");
  CHECK(exact("1 / 3 - 1 / 2") == "-1/6");
  CHECK(exact("round(5 / 2) + round(-5 / 2) + floor(-5 / 2) + ceil(5 / 2)") == "0/1");
  CHECK(exact("max(1 / 3, 2 / 7, 'past + new')", {{3, 10}}) == "1/3");
  CHECK_THROWS_WITH_AS(exact("1 / 0"), doctest::Contains("division by zero"), zz::core::InputError);
  CHECK_THROWS_WITH_AS(exact("1.5"), doctest::Contains("whole number"), zz::core::InputError);
  CHECK_THROWS_WITH_AS(exact("sqrt(4)"), doctest::Contains("no exact value"), zz::core::InputError);
  CHECK_THROWS_WITH_AS(exact("a * a", {{4000000000, 1}}), doctest::Contains("63 bits"),
                       zz::core::InputError);
}

TEST_CASE("expressions have a limit of brackets, however they open") {
  for (const std::string open : {"(", "-", "floor("}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += open;
    CHECK_THROWS_WITH_AS(zz::core::Expression{text}, doctest::Contains("more than 100 brackets"),
                         zz::core::InputError);
  }
}
