#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/components/component_question.hpp"

namespace zz::host {

/// A question for the cost of a component, in words, and its answer.
struct ComponentReport {
  std::string component;
  std::map<std::string, std::string> given;
  core::components::ComponentCost cost;
};

/// Asks the library. Throws core::InputError.
ComponentReport report_component(const std::string& component,
                                 const std::map<std::string, std::string>& given);

/// A table of the figures with their ranges; below it how they follow from whose points.
std::string component_as_table(const ComponentReport& report);

/// {component, given, energy: {value, low, high, unit}, ..., standing, source}; null for what nobody knows.
nlohmann::ordered_json component_as_json(const ComponentReport& report);

}  // namespace zz::host
