#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/expression.hpp"
#include "core/exploration/constraint.hpp"
#include "core/exploration/design_space.hpp"
#include "core/store/result_store.hpp"

namespace zz::core {

/// A name and the closed form that gives its number.
struct ClosedForm {
  std::string name;
  Expression expression;
};

/// Everything that a user says of a space, besides its axes.
struct SpaceForms {
  std::vector<ClosedForm> linked;   ///< fields of the accelerator, in the order in which they are computed
  std::vector<ClosedForm> metrics;  ///< figures of their own; a form may name those before it
  std::vector<Constraint> constraints;
  std::vector<std::string> figures;  ///< that the chain gives: energy, latency, ...
};

// Readers of settings add what is wrong to `wrong`, a line each.

/// The closed forms of the map that a setting is.
std::vector<ClosedForm> closed_forms(const nlohmann::ordered_json& map, const char* setting,
                                     std::string& wrong);

/// The form of that map.
yaml::Form closed_forms_form();

/// All forms of a space, and the figures that they and the objectives need.
SpaceForms space_forms(const DesignSpace& space, const nlohmann::ordered_json& linked,
                       const nlohmann::ordered_json& metrics, const std::vector<std::string>& constraints,
                       const std::vector<std::string>& objectives, std::string& wrong);

/// The names of the axes, then of the linked fields.
std::vector<std::string> varied_names(const DesignSpace& space, const SpaceForms& forms);

/// Figures of points that were found elsewhere, by SpaceForms::figures. Throws InputError for what
/// is no {number: {figure: value}} with all figures of the space.
std::map<std::uint64_t, std::vector<StoredFigure>> given_figures(const nlohmann::ordered_json& given,
                                                                 const SpaceForms& forms);

}  // namespace zz::core
