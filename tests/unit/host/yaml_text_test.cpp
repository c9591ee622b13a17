#include "host/values/yaml_text.hpp"

#include <doctest/doctest.h>
#include <limits>

#include "core/base/diagnostics.hpp"
#include "core/input/yaml/document.hpp"
#include "core/value/read.hpp"
#include "host/values/setting_value.hpp"

namespace {

using namespace zz;
using core::Value;

Value read_back(const std::string& text) {
  core::Diagnostics diagnostics;
  return host::value_of(
      core::yaml::load_text("value: " + text, "test", diagnostics).entries.front().second);
}

TEST_CASE("yaml text: values read back as what they were") {
  const Value values[] = {Value(),
                          Value::boolean(true),
                          Value::integer(-7),
                          Value::number(2),
                          Value::number(1e-5),
                          Value::number(3e300),
                          Value::number(0.1),
                          Value::text("yes"),
                          Value::text("1e3"),
                          Value::text("a: \"b\" # c\n"),
                          Value::text(""),
                          Value::list({Value::integer(1), Value::list({}), Value::text("x, y")}),
                          Value::map({{"loops[OX], size", Value::integer(3)}, {"empty", Value::map({})}})};
  for (const Value& value : values) {
    const std::string text = host::yaml_text(value.ref());
    CAPTURE(text);
    const Value back = read_back(text);
    CHECK(core::kind_of(back.ref()) == core::kind_of(value.ref()));
    CHECK(core::to_json(back.ref()) == core::to_json(value.ref()));
  }
}

TEST_CASE("yaml text: numbers keep what makes them numbers") {
  CHECK(host::yaml_text(Value::number(1e-5).ref()) == "1.0e-05");
  CHECK(host::yaml_text(Value::number(1e22).ref()) == "1.0e+22");
  CHECK(host::yaml_text(Value::number(std::numeric_limits<double>::infinity()).ref()) == ".inf");
}

}  // namespace
