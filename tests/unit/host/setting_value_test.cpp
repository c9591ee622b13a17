#include "host/values/setting_value.hpp"

#include <cmath>
#include <doctest/doctest.h>

#include "core/value/read.hpp"

namespace {

using namespace zz;

core::yaml::Node node(const std::string& text) {
  core::Diagnostics diagnostics;
  return core::yaml::load_text("value: " + text, "test", diagnostics).entries.front().second;
}

zz_param parameter(std::int32_t kind, const char* allowed = nullptr) {
  return {"keep", kind, 0, nullptr, allowed, nullptr, "what", nullptr, nullptr};
}

std::string read(const std::string& text, const zz_param& parameter) {
  core::Diagnostics diagnostics;
  const core::Value value = host::setting_value(node(text), parameter, "Stage", diagnostics);
  return diagnostics.has_errors() ? diagnostics.all().front().message : core::to_json(value.ref());
}

}  // namespace

TEST_CASE("settings are read as the kind that the stage declares") {
  CHECK(read("3", parameter(ZZ_I64)) == "3");
  CHECK(read("3", parameter(ZZ_F64)) == "3.0");
  CHECK(read("3.8", parameter(ZZ_STR)) == "\"3.8\"");
  CHECK(read("yes", parameter(ZZ_BOOL)) == "true");
  CHECK(read("[1, a]", parameter(ZZ_LIST)) == "[1, \"a\"]");
  CHECK(read("many", parameter(ZZ_I64)).find("'keep' of Stage must be a whole number") == 0);
}

TEST_CASE("settings outside of what is allowed are refused") {
  CHECK(read("5", parameter(ZZ_I64, "[1, 4]")).find("must lie in [1, 4]") != std::string::npos);
  CHECK(read("4", parameter(ZZ_I64, "[1, 4]")) == "4");
  CHECK(read("0", parameter(ZZ_F64, "(0, 1]")).find("must lie in") != std::string::npos);
  CHECK(read("[1, 9]", parameter(ZZ_LIST, "[1, 4]")) ==
        "item 2 of 'keep' of Stage must lie in [1, 4], but found the number 9");
  CHECK(read("1000000", parameter(ZZ_I64, "[1, inf]")) == "1000000");
  CHECK(read("even", parameter(ZZ_STR, "even|uneven")) == "\"even\"");
  CHECK(read("odd", parameter(ZZ_STR, "even|uneven")).find("must be one of even, uneven") !=
        std::string::npos);
  CHECK(read("''", parameter(ZZ_STR, "|zigzag")) == "\"\"");
}

TEST_CASE("a setting may be left empty unless it is required") {
  zz_param required = parameter(ZZ_I64);
  CHECK(read("null", required) == "null");
  required.flags = ZZ_REQUIRED;
  CHECK(read("null", required).find("must not be empty") != std::string::npos);
}

TEST_CASE("a default that is not of its own kind is the stage's fault") {
  zz_param wrong = parameter(ZZ_I64);
  wrong.def = "several";
  core::Diagnostics diagnostics;
  host::default_value(wrong, "Stage", diagnostics);
  REQUIRE(diagnostics.has_errors());
  CHECK(diagnostics.all().front().message.find("this is a bug in Stage") != std::string::npos);
}

TEST_CASE("numbers are written as in YAML or as in C, in settings and in defaults") {
  for (const char* text : {"1e9", "1e+09", "1E9", "1.0e+9", "1000000000", "1.e9"}) {
    CAPTURE(text);
    CHECK(read(text, parameter(ZZ_F64, "(0, 1e10]")) == "1000000000.0");
    zz_param setting = parameter(ZZ_F64);
    setting.def = text;
    core::Diagnostics diagnostics;
    CHECK(core::to_json(host::default_value(setting, "Stage", diagnostics).ref()) == "1000000000.0");
    CHECK_FALSE(diagnostics.has_errors());
  }
  zz_param list = parameter(ZZ_LIST);
  list.def = "[1e16, 1e-05, -2e300, 1e9x, '1e9']";
  core::Diagnostics diagnostics;
  CHECK(core::to_json(host::default_value(list, "Stage", diagnostics).ref()) ==
        R"([1e+16, 1e-05, -2e+300, "1e9x", "1e9"])");
  CHECK(read("e9", parameter(ZZ_F64)).find("must be a number") != std::string::npos);
  CHECK(read("1e9", parameter(ZZ_STR)) == "\"1e9\"");
}

TEST_CASE("a default is infinite as C writes it, and one that is not allowed is the stage's fault") {
  for (const char* text : {"inf", "INFINITY", ".inf", "+inf"}) {
    zz_param limit = parameter(ZZ_F64, "[0, inf]");
    limit.def = text;
    core::Diagnostics diagnostics;
    const core::Value value = host::default_value(limit, "Stage", diagnostics);
    double number = 0;
    REQUIRE(core::read_f64(value.ref(), number));
    CHECK(std::isinf(number));
    CHECK_FALSE(diagnostics.has_errors());
  }
  zz_param below = parameter(ZZ_F64, "[0, inf]");
  below.def = "-5";
  core::Diagnostics diagnostics;
  host::default_value(below, "Stage", diagnostics);
  REQUIRE(diagnostics.all().size() == 1);
  zz_param several = parameter(ZZ_LIST, "[0, inf]");
  several.def = "[1, -5]";
  host::default_value(several, "Stage", diagnostics);
  CHECK(diagnostics.all().size() == 2);
  CHECK(diagnostics.all()[0].message.find("is -5, and must lie in [0, inf]: this is a bug in Stage") !=
        std::string::npos);
}

TEST_CASE("what a stage hands down for a setting is held to what a file is") {
  const zz_param limit = parameter(ZZ_I64, "[1, 9]");
  CHECK(host::why_no_setting(core::Value::integer(3), limit) == "");
  CHECK(host::why_no_setting(core::Value::integer(12), limit) ==
        "must lie in [1, 9], but found the number 12");
  CHECK(host::why_no_setting(core::Value::text("3"), limit) ==
        "must be a whole number, but found the text '3'");
  CHECK(host::why_no_setting(core::Value::number(1e300), parameter(ZZ_F64, "(0, inf]")) == "");
}

TEST_CASE("a text that only YAML does not take for a number is told how to become one") {
  core::Diagnostics diagnostics;
  host::setting_value(node("1e3"), parameter(ZZ_I64), "Stage", diagnostics);
  host::setting_value(node("'5'"), parameter(ZZ_I64), "Stage", diagnostics);
  REQUIRE(diagnostics.all().size() == 2);
  CHECK(diagnostics.all()[0].hint == "YAML wants a point and a signed exponent, as in 1.0e+3");
  CHECK(diagnostics.all()[1].hint == "remove the quotes");
}
