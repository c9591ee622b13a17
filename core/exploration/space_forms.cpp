#include "core/exploration/space_forms.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <string_view>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/cost/rates.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/schema/types.hpp"
#include "core/search/methods/objective.hpp"
#include "core/value/name.hpp"
#include "core/value/type.hpp"

namespace zz::core {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::vector<std::string>;

template <class List>
bool has(const List& names, const std::string& name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

void tell(std::string& wrong, const std::string& text) { wrong += (wrong.empty() ? "" : "\n") + text; }

/// Names become columns of the store, whose databases may take capitals for small letters.
void refuse_clashes(const Names& axes, const Names& known, const Names& metrics, const Names& searched,
                    std::string& wrong) {
  StoredSpace space;
  space.axes = axes;
  space.metrics = metrics;
  space.figures = known;
  for (const std::string& figure : searched)
    if (!has(known, figure)) space.figures.push_back(figure);
  for (const NameClash& clash : name_clashes(space)) {
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

std::vector<ClosedForm> closed_forms(const Json& map, const char* setting, std::string& wrong) {
  std::vector<ClosedForm> forms;
  if (map.is_null()) return forms;
  if (!map.is_object()) {
    tell(wrong, fmt::format("'{}' must be a map of names and closed forms, found {}", setting,
                            shown_text(map.dump())));
    return forms;
  }
  for (const auto& [name, written] : map.items()) {
    if (!written.is_number() && !written.is_string()) {
      tell(wrong, fmt::format("'{}': '{}' must have a closed form, as \"2 * memories.l1.size\", found {}",
                              setting, name, shown_text(written.dump())));
      continue;
    }
    try {
      forms.push_back(
          {name, Expression(written.is_string() ? written.get<std::string>() : written.dump())});
    } catch (const InputError& problem) {
      tell(wrong, fmt::format("'{}': '{}': {}", setting, name, problem.what()));
    }
  }
  return forms;
}

yaml::Form closed_forms_form() {
  return yaml::entries_of("", yaml::either({yaml::number(), yaml::text()}));
}

SpaceForms space_forms(const DesignSpace& space, const Json& linked, const Json& metrics,
                       const Names& constraints, const Names& objectives, std::string& wrong) {
  SpaceForms forms;
  forms.linked = closed_forms(linked, "linked", wrong);
  forms.metrics = closed_forms(metrics, "metrics", wrong);
  for (const std::string& text : constraints) {
    try {
      forms.constraints.emplace_back(text);
    } catch (const InputError& problem) {
      tell(wrong, problem.what());
    }
  }
  const Names axes = space.names();
  Names known(objective_words().begin(), objective_words().end()), own;
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
    if (!has(known, objective) && rate_row(objective) == nullptr &&
        (objective.find_first_of(".[ ") != std::string::npos || !nearest_name(objective, known).empty()))
      tell(wrong, fmt::format("'objectives': '{}' is no figure or metric; {}", objective,
                              suggestion(objective, known)));
    if (const RateRow* rate = rate_row(objective);
        rate != nullptr && !rate->low.empty() && !has(own, objective))
      tell(wrong,
           fmt::format("'objectives': '{}' is to be high, and objectives are made low; write {} there, and "
                       "what it must be at least as a constraint, as \"{} >= 30\"",
                       objective, rate->low, objective));
    if (has(distinct, objective)) tell(wrong, fmt::format("'objectives' names '{}' twice", objective));
    distinct.push_back(objective);
    add_figure(objective);
  }
  // Other names without a path are those of a figure, whose misspellings are told as such, or of the chip.
  const auto add_named = [&](const Names& names) {
    for (const std::string& name : names)
      if (has(figures, name) || (rate_row(name) != nullptr && !has(axes, name)) ||
          (!has(axes, name) && name.find_first_of(".[") == std::string::npos &&
           nearest_name(name, known).empty() &&
           find_field(*type_of<Accelerator>(), intern(name)) == nullptr))
        add_figure(name);
  };
  for (const Constraint& constraint : forms.constraints) add_named(constraint.names());
  for (const ClosedForm& metric : forms.metrics) add_named(metric.expression.names());
  refuse_clashes(axes, figures, own, forms.figures, wrong);
  return forms;
}

Names varied_names(const DesignSpace& space, const SpaceForms& forms) {
  Names names = space.names();
  for (const ClosedForm& field : forms.linked) names.push_back(field.name);
  return names;
}

std::map<std::uint64_t, std::vector<StoredFigure>> given_figures(const Json& given,
                                                                 const SpaceForms& forms) {
  std::map<std::uint64_t, std::vector<StoredFigure>> all;
  if (given.is_null()) return all;
  const auto expected = [&] {
    return InputError(
        fmt::format("'given': expected {{number: {{figure: value}}}}, found {}", shown_text(given.dump())));
  };
  if (!given.is_object()) throw expected();
  for (const auto& [key, written] : given.items()) {
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(key.data(), key.data() + key.size(), number);
    if (problem != std::errc{} || end != key.data() + key.size() || !written.is_object()) throw expected();
    for (const auto& [name, value] : written.items())
      if (!has(forms.figures, name))
        throw InputError(fmt::format("'given': '{}' of point {} is no figure of this space; {}", name,
                                     number, suggestion(name, forms.figures)));
    std::vector<StoredFigure>& figures = all[number];
    for (const std::string& name : forms.figures) {
      if (!written.contains(name))
        throw InputError(fmt::format("'given': point {} needs '{}' too", number, name));
      if (!written[name].is_number()) throw expected();
      figures.push_back({written[name].get<double>(), std::numeric_limits<double>::quiet_NaN()});
    }
  }
  return all;
}

}  // namespace zz::core
