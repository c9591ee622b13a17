#include "plugins/onnx/onnx_reading_settings.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "core/mapping/layer_mapping.hpp"
#include "plugins/onnx/operator_readers.hpp"

namespace zz::plugins {
namespace {

std::map<std::string, std::int64_t> numbers(const Value& given, const char* setting, const char* example) {
  std::map<std::string, std::int64_t> all;
  if (given.is_null()) return all;
  if (given.kind() != ZZ_MAP)
    throw Error(ZZ_E_INVALID,
                fmt::format("'{}' must be a map such as {}, found {}", setting, example, given.json()));
  for (uint32_t i = 0; i < given.size(); ++i) {
    const Ref value = given.at(i);
    if (value.kind() != ZZ_I64 || value.i64() < 0)
      throw Error(ZZ_E_INVALID, fmt::format("'{}': '{}' must be a whole number from 0, found {}", setting,
                                            given.key(i), value.json()));
    all[std::string(given.key(i))] = value.i64();
  }
  return all;
}

}  // namespace

core::OnnxSettings OnnxReadingSettings::onnx_settings(const Value& ctx) const {
  core::OnnxSettings settings;
  settings.dimensions = numbers(dimensions, "dimensions", "{batch: 1, sequence: 128}");
  settings.operand_precision =
      numbers(operand_precision, "operand_precision", "{W: 8, I: 8, O: 16, O_final: 8}");
  for (const auto& [operand, bits] : settings.operand_precision) {
    if (operand != "O" && operand != "W" && operand != "I" && operand != "O_final")
      throw Error(
          ZZ_E_INVALID,
          fmt::format(
              "'operand_precision' names the operand '{}'; known are O (partial sums), W, I, O_final",
              operand));
    if (bits > core::widest_number)
      throw Error(ZZ_E_INVALID, fmt::format("'operand_precision': {} bits of '{}', at most {} are possible",
                                            bits, operand, core::widest_number));
  }
  if (operators.given()) settings.read_operator = asking(operators, ctx);
  settings.allow_uncosted.insert(allow_uncosted.begin(), allow_uncosted.end());
  return settings;
}

}  // namespace zz::plugins
