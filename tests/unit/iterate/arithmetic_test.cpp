#include "plugins/iterate/arithmetic.hpp"

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
