#include "plugins/onnx/onnx_reading_settings.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/text.hpp"
#include "core/input/zigzag/number_type_yaml.hpp"
#include "core/mapping/layer_mapping.hpp"

namespace zz::plugins {
namespace {

using core::onnx_import::OperatorAnswer;
using core::onnx_import::OperatorNode;
using core::onnx_import::Product;
using core::onnx_import::ProductOperand;
using core::onnx_import::Tensor;

Value attributes_of(const OperatorNode& node) {
  const auto all = node.attributes().all();
  std::vector<Value> values;
  for (const auto& attribute : all) {
    values.push_back(std::visit(
        [](const auto& content) -> Value {
          if constexpr (std::is_same_v<std::decay_t<decltype(content)>, std::monostate>)
            return {};
          else
            return make(content);
        },
        attribute.second));
  }
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < all.size(); ++i) entries.emplace_back(all[i].first, values[i]);
  return make(nullptr, std::span<const Entry>(entries));
}

Value input_of(const Tensor& tensor) {
  const Value shape = tensor.shape ? make(*tensor.shape) : Value();
  Value values;
  if (tensor.values) values = std::visit([](const auto& list) { return make(list); }, *tensor.values);
  return make(nullptr, {{"name", tensor.name},
                        {"type", std::string(core::onnx_import::name_of(tensor.type))},
                        {"bits", tensor.stored_bits},
                        {"shape", shape},
                        {"constant", tensor.constant},
                        {"values", values}});
}

Value question(const std::string& name, const std::string& op_type, const OperatorNode& node) {
  std::vector<Value> inputs;
  for (std::size_t i = 0; i < node.input_count(); ++i)
    inputs.push_back(node.has_input(i) ? input_of(node.input(i)) : Value());
  return make(nullptr, {{"name", name},
                        {"type", op_type},
                        {"operator_set", node.operator_set()},
                        {"attributes", attributes_of(node)},
                        {"inputs", make_list(inputs)},
                        {"output_count", static_cast<int64_t>(node.output_count())}});
}

std::vector<std::string> texts(Ref list) {
  std::vector<std::string> all;
  for (const Ref item : list) all.emplace_back(item.str());
  return all;
}

OperatorAnswer::Output output_of(Ref given) {
  OperatorAnswer::Output output;
  output.type = core::onnx_import::element_type_named(given["type"].str());
  if (output.type == core::onnx_import::ElementType::unknown)
    throw Error(ZZ_E_INVALID,
                fmt::format("an output has the type '{}'; known are float32, float16, int8, ...",
                            given["type"].str()));
  if (!given["shape"].is_null()) {
    output.shape.emplace();
    for (const Ref length : given["shape"])
      output.shape->push_back(length.is_null() ? core::onnx_import::unknown_length : length.i64());
  }
  return output;
}

ProductOperand operand_of(Ref given) {
  ProductOperand operand;
  operand.dimensions = texts(given["dimensions"]);
  operand.input = static_cast<int>(given["input"].i64(-1));
  operand.product = static_cast<int>(given["product"].i64(-1));
  operand.bits = given["bits"].i64(0);
  return operand;
}

Product product_of(Ref given) {
  Product product;
  product.suffix = given["suffix"].str("");
  for (uint32_t i = 0; i < given["loops"].size(); ++i)
    product.loops.push_back({std::string(given["loops"].key(i)), given["loops"].at(i).i64()});
  product.output_dimensions = texts(given["O"]["dimensions"]);
  product.output = static_cast<int>(given["O"]["output"].i64(-1));
  product.weight = operand_of(given["W"]);
  product.input = operand_of(given["I"]);
  return product;
}

OperatorAnswer answer_of(Ref given) {
  OperatorAnswer answer;
  for (const Ref output : given["outputs"]) answer.outputs.push_back(output_of(output));
  if (!given["products"].is_null())
    for (const Ref product : given["products"]) answer.products.push_back(product_of(product));
  return answer;
}

}  // namespace

core::onnx_import::ReadOperator asking(const Chain& readers, Value ctx) {
  return [&readers, ctx = std::move(ctx)](const std::string& name, const std::string& op_type,
                                          const OperatorNode& node) -> std::optional<OperatorAnswer> {
    const Value below = with(ctx, {{"operator"_n, question(name, op_type, node)}});
    try {
      for (const Result& result : readers.substage(below)) {
        try {
          return answer_of(result.extra["operator"]);
        } catch (const Error& problem) {
          throw Error(
              ZZ_E_INVALID,
              fmt::format("node '{}' ({}): what the chain `operators` says about it cannot be read: {}",
                          name, op_type, problem.what()));
        }
      }
    } catch (const Below& failure) {
      if (failure.code != ZZ_E_NO_RESULT) throw;
    }
    return std::nullopt;
  };
}

namespace {

/// Calls `entry` for each name and value of a setting that is a map.
template <class Read>
void for_each_entry(const Value& given, const char* setting, const char* example, Read entry) {
  if (given.is_null()) return;
  if (given.kind() != ZZ_MAP)
    throw Error(ZZ_E_INVALID, fmt::format("'{}' must be a map such as {}, found {}", setting, example,
                                          core::shown_text(given.json())));
  for (uint32_t i = 0; i < given.size(); ++i) entry(std::string(given.key(i)), given.at(i));
}

std::int64_t number_of(const char* setting, const std::string& name, const Ref& value,
                       const char* expected = "a whole number from 0") {
  if (value.kind() == ZZ_I64 && value.i64() >= 0) return value.i64();
  throw Error(ZZ_E_INVALID, fmt::format("'{}': '{}' must be {}, found {}", setting, name, expected,
                                        core::shown_text(value.json())));
}

core::onnx_import::Dimensions lengths_of(const Value& given) {
  core::onnx_import::Dimensions lengths;
  for_each_entry(
      given, "dimensions", "{batch: 1, sequence: 128}", [&](const std::string& name, const Ref& value) {
        if (value.kind() == ZZ_STR)
          lengths[name] = std::string(value.str());
        else
          lengths[name] =
              number_of("dimensions", name, value, "a whole number from 0 or an expression of lengths");
      });
  return lengths;
}

/// The elements that a number, a truth value or a list of such means.
core::onnx_import::InputValues input_values_of(const Value& given) {
  core::onnx_import::InputValues all;
  for_each_entry(given, "values", "{sr: 16000}", [&](const std::string& name, const Ref& value) {
    std::vector<std::int64_t> integers;
    std::vector<double> numbers;
    const auto add = [&](const Ref& item) {
      if (item.kind() == ZZ_BOOL) integers.push_back(item.boolean() ? 1 : 0);
      if (item.kind() == ZZ_I64) integers.push_back(item.i64());
      if (item.kind() != ZZ_BOOL && item.kind() != ZZ_I64 && item.kind() != ZZ_F64)
        throw Error(ZZ_E_INVALID,
                    fmt::format("'values': '{}' must be a number or a list of numbers, found {}", name,
                                core::shown_text(value.json())));
      numbers.push_back(item.kind() == ZZ_BOOL ? static_cast<double>(integers.back()) : item.num());
    };
    if (value.kind() == ZZ_LIST)
      for (const Ref item : value) add(item);
    else
      add(value);
    if (integers.size() == numbers.size())
      all[name] = std::move(integers);
    else
      all[name] = std::move(numbers);
  });
  return all;
}

}  // namespace

core::OnnxSettings OnnxReadingSettings::onnx_settings(const Value& ctx) const {
  core::OnnxSettings settings;
  settings.dimensions = lengths_of(dimensions);
  settings.values = input_values_of(values);
  for_each_entry(operand_precision, "operand_precision", "{W: 8, I: 8, O: 16, O_final: 8}",
                 [&](const std::string& name, const Ref& value) {
                   settings.operand_precision[name] = core::number_type_of(
                       value.kind() == ZZ_STR ? std::string(value.str()) : value.json(),
                       fmt::format("'operand_precision': '{}'", name));
                 });
  for (const auto& [operand, type] : settings.operand_precision) {
    if (operand != "O" && operand != "W" && operand != "I" && operand != "O_final")
      throw Error(
          ZZ_E_INVALID,
          fmt::format(
              "'operand_precision' names the operand '{}'; known are O (partial sums), W, I, O_final",
              operand));
  }
  if (operators.given()) settings.read_operator = asking(operators, ctx);
  settings.allow_uncosted.insert(allow_uncosted.begin(), allow_uncosted.end());
  return settings;
}

}  // namespace zz::plugins
