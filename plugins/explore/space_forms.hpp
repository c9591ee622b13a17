#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/expression.hpp"
#include "core/exploration/constraint.hpp"
#include "core/exploration/design_space.hpp"
#include "core/store/result_store.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// A name and the closed form that gives its number.
struct ClosedForm {
  std::string name;
  core::Expression expression;
};

/// What a user says of a space, besides its axes.
struct SpaceForms {
  std::vector<ClosedForm> linked;   ///< fields of the accelerator, in the order in which they are computed
  std::vector<ClosedForm> metrics;  ///< figures of their own; a form may name those before it
  std::vector<core::Constraint> constraints;
  std::vector<std::string> figures;  ///< that the chain gives: energy, latency, ...
};

// Readers of settings add what is wrong to `wrong`, a line each.

/// The closed forms of the map that a setting is.
std::vector<ClosedForm> closed_forms(const Value& map, const char* setting, std::string& wrong);

/// All forms of a space, and the figures that they and the objectives need.
SpaceForms space_forms(const core::DesignSpace& space, const Value& linked, const Value& metrics,
                       const std::vector<std::string>& constraints,
                       const std::vector<std::string>& objectives, std::string& wrong);

/// The names of the axes, then of the linked fields.
std::vector<std::string> varied_names(const core::DesignSpace& space, const SpaceForms& forms);

/// Figures of points that were found elsewhere, by SpaceForms::figures. Throws Error(ZZ_E_INVALID) for what
/// is no {number: {figure: value}} with all figures of the space.
std::map<std::uint64_t, std::vector<core::StoredFigure>> given_figures(const Value& given,
                                                                       const SpaceForms& forms);

}  // namespace zz::plugins
