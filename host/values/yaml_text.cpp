#include "host/values/yaml_text.hpp"

#include <cmath>

#include "core/value/read.hpp"

namespace zz::host {
namespace {

/// "1e-05" is text in YAML 1.1, "1.0e-05" a number; the exponent needs its sign.
std::string number_text(core::Ref value) {
  double number = 0;
  core::read_f64(value, number);
  if (std::isnan(number)) return ".nan";
  if (std::isinf(number)) return number < 0 ? "-.inf" : ".inf";
  std::string text = core::to_json(value);
  const auto exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  const char sign = text[exponent + 1];
  if (sign != '-' && sign != '+') text.insert(exponent + 1, "+");
  if (text.find('.') > exponent) text.insert(exponent, ".0");
  return text;
}

}  // namespace

std::string yaml_text(core::Ref value) {
  const core::Kind kind = core::kind_of(value);
  if (kind == core::Kind::f64) return number_text(value);
  if (kind != core::Kind::list && kind != core::Kind::map) return core::to_json(value);
  std::string text;
  for (std::uint32_t i = 0; i < core::count_of(value); ++i) {
    std::string_view key;
    const core::Ref part = core::part_at(value, i, &key);
    if (!text.empty()) text += ", ";
    if (kind == core::Kind::map) text += core::to_json(core::Value::text(std::string(key)).ref()) + ": ";
    text += yaml_text(part);
  }
  return kind == core::Kind::map ? "{" + text + "}" : "[" + text + "]";
}

}  // namespace zz::host
