#include "core/components/component_question.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/components/arithmetic_cost.hpp"
#include "core/components/detail/fitted_forms.hpp"
#include "core/components/memory_cost.hpp"
#include "core/components/technology.hpp"

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

/// An analogue-to-digital converter: energy of a conversion and area, by forms fitted to published chips of
/// forty years (B. Murmann's survey). They say what is typical: half of the chips are within a factor of 3.
struct ConverterComponent {
  double bits = 8;    ///< effective ones, 2 to 18
  double rate = 1e8;  ///< samples a second, 1e3 to 1e11
  double node = 22;   ///< nm
};

/// Leakage and access time are not known.
ComponentCost converter_cost(const ConverterComponent& question) {
  check_node(question.node);
  if (!(question.bits >= 2 && question.bits <= 18))
    throw InputError(
        fmt::format("a converter of {} bits is out of range: it must have 2 to 18 bits", question.bits));
  if (!(question.rate >= 1e3 && question.rate <= 1e11))
    throw InputError(fmt::format(
        "a converter of {} samples a second is out of range: it must make 1e3 to 1e11", question.rate));
  const double b = question.bits, r = std::log(question.rate / 1e8), n = std::log(question.node / 45);
  const auto answer = [&](const fitted::ConverterForm& form, double unit) {
    const auto& t = form.terms;
    return estimate(
        unit * std::exp(t[0] + t[1] * b + t[2] * b * b + t[3] * r + t[4] * r * r + t[5] * b * r + t[6] * n),
        form.spread);
  };
  ComponentCost cost;
  cost.energy = answer(fitted::converter_energy, 1);
  cost.area = answer(fitted::converter_area, 1e-6);
  cost.standing = Standing::fitted;
  cost.source = "B. Murmann's survey of converters, fitted to 116 chips";
  return cost;
}

/// One bit moved over a wire on the chip, `length` in mm. Only its energy is known.
ComponentCost wire_cost(double length, double node) {
  check_node(node);
  if (!(length > 0 && length <= 100))
    throw InputError(
        fmt::format("the length of a wire is {} mm; it must be above 0 and 100 mm at most", length));
  // 0.24 pJ a bit and mm at 40 nm, 0.1 at 14 nm, and a power of the node through both. The third point,
  // 0.115 at 10 nm, is 1.52 times that.
  constexpr double at_40 = 0.24, power = 0.834, spread = 1.6;
  ComponentCost cost;
  cost.energy = estimate(at_40 * std::pow(node / 40, power) * length, spread);
  cost.standing = node == 40 || node == 14 ? Standing::tabulated : Standing::interpolated;
  cost.is_extrapolated = node < 14 || node > 40;
  cost.source = "Keckler et al., IEEE Micro 2011 (40 and 10 nm); Dally et al., CACM 2020 (14 nm)";
  return cost;
}

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

  MemoryComponent memory() const { return {number(size), number(width), number(node)}; }

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
  const std::vector<std::string>& interfaces = dram_interfaces();
  if (std::find(interfaces.begin(), interfaces.end(), name) != interfaces.end())
    throw InputError({{Severity::error,
                       {},
                       fmt::format("there is no component '{}': it is an interface of DRAM", name),
                       fmt::format("ask for 'dram' with the interface {}", name)}});
  throw InputError(wrong_name(fmt::format("there is no component '{}'", name), name, known));
}

ComponentCost component_cost(const std::string& name, const std::map<std::string, std::string>& given) {
  const Component& component = component_called(name);
  const Answers ask(component, given);
  if (name == "sram") {
    MemoryComponent question = ask.memory();
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
