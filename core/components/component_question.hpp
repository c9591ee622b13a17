#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/components/component_cost.hpp"

namespace zz::core::components {

/// An argument of a component, in words.
struct Argument {
  const char* name;
  const char* unit;      ///< "" for words
  const char* fallback;  ///< its value when it is not given; "" when it must be
  const char* doc;
};

/// A component that questions in words name.
struct Component {
  const char* name;
  const char* doc;
  const char* energy;  ///< the event that takes its energy: "of a read"
  std::vector<const Argument*> arguments;
};

/// sram, rf, dram, multiplier, adder, mac, adc, wire.
const std::vector<Component>& all_components();
/// All arguments that some component has.
const std::vector<const Argument*>& all_arguments();
/// Throws InputError with the nearest name.
const Component& component_called(const std::string& name);

/// The costs of a component, by words: ("sram", {{"size", "65536"}, {"width", "128"}, {"node", "28"}}).
/// Throws InputError for what is missing, unknown, or no number. [any thread]
ComponentCost component_cost(const std::string& name, const std::map<std::string, std::string>& given);

}  // namespace zz::core::components
