#include "plugins/explore/space_forms.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <string_view>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/search/methods/objective.hpp"

namespace zz::plugins {
namespace {

using Names = std::vector<std::string>;

template <class List>
bool has(const List& names, const std::string& name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

void tell(std::string& wrong, const std::string& text) { wrong += (wrong.empty() ? "" : "\n") + text; }

/// Names become columns of the store, whose databases may take capitals for small letters.
void refuse_clashes(const Names& axes, const Names& known, const Names& metrics, const Names& searched,
                    std::string& wrong) {
  core::StoredSpace space;
  space.axes = axes;
  space.metrics = metrics;
  space.figures = known;
  for (const std::string& figure : searched)
    if (!has(known, figure)) space.figures.push_back(figure);
  for (const core::NameClash& clash : core::name_clashes(space)) {
    const char* setting = has(metrics, clash.name) ? "metrics"
                          : has(axes, clash.name)  ? "axes"
                                                   : "objectives";
    if (clash.name == clash.earlier)
      tell(wrong, fmt::format("'{}': '{}' has that name already; call {} something else", setting,
                              clash.name, has(metrics, clash.name) ? "the metric" : "it"));
    else
      tell(wrong,
           fmt::format("'{}': '{}' differs from '{}' by case only, which databases take for one name; "
                       "call {} something else",
                       setting, clash.name, clash.earlier, has(metrics, clash.name) ? "the metric" : "it"));
  }
}

}  // namespace

std::vector<ClosedForm> closed_forms(const Value& map, const char* setting, std::string& wrong) {
  std::vector<ClosedForm> forms;
  if (map.is_null()) return forms;
  if (map.kind() != ZZ_MAP) {
    tell(wrong, fmt::format("'{}' must be a map of names and closed forms, found {}", setting,
                            core::shown_text(map.json())));
    return forms;
  }
  for (uint32_t i = 0; i < map.size(); ++i) {
    const Ref written = map.at(i);
    const std::string name(map.key(i));
    const bool number = written.kind() == ZZ_I64 || written.kind() == ZZ_F64;
    if (!number && written.kind() != ZZ_STR) {
      tell(wrong, fmt::format("'{}': '{}' must have a closed form, as \"2 * memories.l1.size\", found {}",
                              setting, name, core::shown_text(written.json())));
      continue;
    }
    try {
      forms.push_back({name, core::Expression(number ? written.json() : std::string(written.str()))});
    } catch (const core::InputError& problem) {
      tell(wrong, fmt::format("'{}': '{}': {}", setting, name, problem.what()));
    }
  }
  return forms;
}

SpaceForms space_forms(const core::DesignSpace& space, const Value& linked, const Value& metrics,
                       const Names& constraints, const Names& objectives, std::string& wrong) {
  SpaceForms forms;
  forms.linked = closed_forms(linked, "linked", wrong);
  forms.metrics = closed_forms(metrics, "metrics", wrong);
  for (const std::string& text : constraints) {
    try {
      forms.constraints.emplace_back(text);
    } catch (const core::InputError& problem) {
      tell(wrong, problem.what());
    }
  }
  const Names axes = space.names();
  Names known(core::objective_words().begin(), core::objective_words().end()), own;
  for (const ClosedForm& metric : forms.metrics) own.push_back(metric.name);
  const Names figures = known;
  known.insert(known.end(), own.begin(), own.end());

  forms.figures = {"energy", "latency"};
  const auto add_figure = [&](const std::string& name) {
    if (!has(own, name) && !has(forms.figures, name)) forms.figures.push_back(name);
  };
  if (objectives.empty()) tell(wrong, "'objectives' must name two or three figures");
  Names distinct;
  for (const std::string& objective : objectives) {
    if (!has(known, objective) && (objective.find_first_of(".[ ") != std::string::npos ||
                                   !core::nearest_name(objective, known).empty()))
      tell(wrong, fmt::format("'objectives': '{}' is no figure or metric; {}", objective,
                              core::suggestion(objective, known)));
    if (has(distinct, objective)) tell(wrong, fmt::format("'objectives' names '{}' twice", objective));
    distinct.push_back(objective);
    add_figure(objective);
  }
  refuse_clashes(axes, figures, own, forms.figures, wrong);
  for (const core::Constraint& constraint : forms.constraints)
    if (has(constraint.names(), "edp")) add_figure("edp");
  for (const ClosedForm& metric : forms.metrics)
    if (has(metric.expression.names(), "edp")) add_figure("edp");
  return forms;
}

Names varied_names(const core::DesignSpace& space, const SpaceForms& forms) {
  Names names = space.names();
  for (const ClosedForm& field : forms.linked) names.push_back(field.name);
  return names;
}

std::map<std::uint64_t, std::vector<core::StoredFigure>> given_figures(const Value& given,
                                                                       const SpaceForms& forms) {
  std::map<std::uint64_t, std::vector<core::StoredFigure>> all;
  if (given.is_null()) return all;
  const auto expected = [&] {
    return Error(ZZ_E_INVALID, fmt::format("'given': expected {{number: {{figure: value}}}}, found {}",
                                           core::shown_text(given.json())));
  };
  if (given.kind() != ZZ_MAP) throw expected();
  for (uint32_t i = 0; i < given.size(); ++i) {
    const std::string_view key = given.key(i);
    const Ref written = given.at(i);
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(key.data(), key.data() + key.size(), number);
    if (problem != std::errc{} || end != key.data() + key.size() || written.kind() != ZZ_MAP)
      throw expected();
    for (uint32_t j = 0; j < written.size(); ++j)
      if (const std::string name(written.key(j)); !has(forms.figures, name))
        throw Error(ZZ_E_INVALID, fmt::format("'given': '{}' of point {} is no figure of this space; {}",
                                              name, number, core::suggestion(name, forms.figures)));
    std::vector<core::StoredFigure>& figures = all[number];
    for (const std::string& name : forms.figures) {
      const Ref value = written[std::string_view(name)];
      if (!value.exists())
        throw Error(ZZ_E_INVALID, fmt::format("'given': point {} needs '{}' too", number, name));
      figures.push_back({value.num(), std::numeric_limits<double>::quiet_NaN()});
    }
  }
  return all;
}

}  // namespace zz::plugins
