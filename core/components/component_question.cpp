#include "core/components/component_question.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/components/arithmetic_cost.hpp"
#include "core/components/converter_cost.hpp"
#include "core/components/memory_cost.hpp"
#include "core/components/technology.hpp"
#include "core/components/wire_cost.hpp"

namespace zz::core::components {
namespace {

constexpr Argument size = {"size", "bit", "", "capacity of a memory"};
constexpr Argument width = {"width", "bit", "", "width of an access of a memory"};
constexpr Argument node = {"node", "nm", "22", "technology node, 7 to 90"};
constexpr Argument transistors = {"transistors", "", "high_performance",
                                  "of an SRAM: high_performance or low_standby_power"};
constexpr Argument interface = {"interface", "", "", "of a DRAM: ddr3, ddr4, lpddr3, lpddr4 or hbm2"};
constexpr Argument type = {"type", "", "", "of numbers: int1 to int64, fp8, fp16, bf16 or fp32"};
constexpr Argument bits = {"bits", "bit", "", "effective bits of a converter"};
constexpr Argument rate = {"rate", "1/s", "", "conversions a second"};
constexpr Argument length = {"length", "mm", "1", "of a wire"};

std::vector<Diagnostic> wrong_name(const std::string& message, const std::string& name,
                                   const std::vector<std::string>& known) {
  return {{Severity::error, {}, message, suggestion(name, known)}};
}

class Answers {
 public:
  Answers(const Component& component, const std::map<std::string, std::string>& given)
      : component_(component), given_(given) {
    std::vector<std::string> known;
    for (const Argument* argument : component.arguments) known.emplace_back(argument->name);
    for (const auto& [name, value] : given) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      throw InputError(wrong_name(fmt::format("'{}' has no '{}'", component.name, name), name, known));
    }
  }

  std::string text(const Argument& argument) const {
    if (const auto found = given_.find(argument.name); found != given_.end()) return found->second;
    if (*argument.fallback == '\0')
      throw InputError(fmt::format("'{}' needs '{}': {}", component_.name, argument.name, argument.doc));
    return argument.fallback;
  }

  double number(const Argument& argument) const {
    const std::string text = this->text(argument);
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
      throw InputError(fmt::format("'{}' must be a number, but found '{}'", argument.name, text));
    return value;
  }

  MemoryQuestion memory() const { return {number(size), number(width), number(node)}; }

 private:
  const Component& component_;
  const std::map<std::string, std::string>& given_;
};

}  // namespace

const std::vector<Component>& all_components() {
  static const std::vector<Component> all = {
      {"sram", "static memory", "of a read", {&size, &width, &node, &transistors}},
      {"rf", "register file", "of a read", {&size, &width, &node}},
      {"dram", "memory off the chip", "of a read", {&interface, &width}},
      {"multiplier", "one multiplication", "of an operation", {&type, &node}},
      {"adder", "one addition", "of an operation", {&type, &node}},
      {"mac", "multiplier and adder", "of an operation", {&type, &node}},
      {"adc", "analogue-to-digital converter", "of a conversion", {&bits, &rate, &node}},
      {"wire", "wire on the chip", "of a bit", {&length, &node}}};
  return all;
}

const std::vector<const Argument*>& all_arguments() {
  static const std::vector<const Argument*> all = {&size, &width, &node, &transistors, &interface,
                                                   &type, &bits,  &rate, &length};
  return all;
}

const Component& component_called(const std::string& name) {
  std::vector<std::string> known;
  for (const Component& component : all_components()) {
    if (component.name == name) return component;
    known.emplace_back(component.name);
  }
  throw InputError(wrong_name(fmt::format("there is no component '{}'", name), name, known));
}

ComponentCost component_cost(const std::string& name, const std::map<std::string, std::string>& given) {
  const Component& component = component_called(name);
  const Answers ask(component, given);
  if (name == "sram") {
    MemoryQuestion question = ask.memory();
    question.transistors = transistors_of(ask.text(transistors));
    return sram_cost(question);
  }
  if (name == "rf") return register_file_cost(ask.memory());
  if (name == "dram") return dram_cost(ask.text(interface), ask.number(width));
  if (name == "adc") return converter_cost({ask.number(bits), ask.number(rate), ask.number(node)});
  if (name == "wire") return wire_cost(ask.number(length), ask.number(node));
  const Format format = format_of(ask.text(type));
  if (name == "multiplier") return multiplier_cost(format, ask.number(node));
  if (name == "adder") return adder_cost(format, ask.number(node));
  return multiply_accumulate_cost(format, ask.number(node));
}

}  // namespace zz::core::components
