#include "plugins/explore/design_points.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "plugins/explore/point_settings.hpp"

namespace zz::plugins {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double number_of_json(const nlohmann::json& value, int element) {
  const nlohmann::json* one = &value;
  if (element >= 0) {
    if (!value.is_array() || static_cast<std::size_t>(element) >= value.size()) return unknown;
    one = &value[static_cast<std::size_t>(element)];
  }
  return one->is_number() ? one->get<double>() : unknown;
}

}  // namespace

Value value_of_number(double number) {
  const bool whole = std::abs(number) < 9e15 && std::floor(number) == number;
  return whole ? make(static_cast<std::int64_t>(number)) : make(number);
}

DesignPoints::DesignPoints(const Value& ctx, const core::DesignSpace& space, const core::SpaceForms& forms,
                           const std::vector<std::string>& settings)
    : space_(space), forms_(forms), names_(space.names()) {
  if (!ctx["accelerator"_n].is_null()) accelerator_ = ctx.hold(ctx["accelerator"_n]);
  for (const core::DesignAxis& axis : space_.axes()) {
    auto& steps = values_.emplace_back();
    for (const std::vector<nlohmann::json>& step : axis.steps) {
      core::end_if_interrupted();
      auto& values = steps.emplace_back();
      for (const nlohmann::json& value : step) values.push_back(value_of_json(value));
    }
  }
  check_names(settings);
  if (wrong_.empty()) {
    for (std::size_t i = 0; i < forms_.linked.size(); ++i)
      uses_.push_back(resolve(forms_.linked[i].expression.names(), i, 0,
                              fmt::format("the expression for '{}'", forms_.linked[i].name)));
    for (std::size_t i = 0; i < forms_.metrics.size(); ++i)
      uses_.push_back(resolve(forms_.metrics[i].expression.names(), forms_.linked.size(), i,
                              fmt::format("the metric '{}'", forms_.metrics[i].name)));
    for (const core::Constraint& constraint : forms_.constraints)
      uses_.push_back(resolve(constraint.names(), forms_.linked.size(), forms_.metrics.size(),
                              fmt::format("the constraint '{}'", constraint.text())));
    for (std::size_t i = 0; i < forms_.linked.size(); ++i) {
      const auto known = std::find_if(quantities_.begin(), quantities_.end(), [&](const Quantity& one) {
        return one.kind == Quantity::linked && one.index == i;
      });
      linked_quantity_.push_back(static_cast<std::size_t>(known - quantities_.begin()));
      if (known == quantities_.end()) quantities_.push_back({Quantity::linked, forms_.linked[i].name, i});
    }
    for (const core::ClosedForm& metric : forms_.metrics)
      metric_quantity_.push_back(quantity(metric.name, forms_.linked.size(), forms_.metrics.size()));
    for (const std::string& figure : forms_.figures) quantity(figure, 0, 0);
  }
  if (!wrong_.empty()) throw Error(ZZ_E_INVALID, wrong_);
}

/// Fields of the accelerator are tried with the kinds of their values. Other names must be settings of
/// stages below, whose values the host has checked.
void DesignPoints::check_names(const std::vector<std::string>& settings) {
  for (std::size_t i = 0, axis = 0, part = 0; i < names_.size(); ++i) {
    const std::string& name = names_[i];
    std::string why = "no stage above hands down an accelerator";
    bool field = false;
    if (accelerator_) {
      try {
        try_path(accelerator_, name);
        field = true;
      } catch (const Error& failure) {
        why = failure.what();
      }
    }
    is_field_.push_back(field);
    const bool setting = std::find(settings.begin(), settings.end(), name) != settings.end();
    if (!field && (settings.empty() || name.find_first_of(".[") != std::string::npos))
      tell(fmt::format("'{}' is no field of the accelerator that can be set: {}", name, why));
    else if (!field && !setting)
      tell(fmt::format("'{}' is neither a field of the accelerator nor a setting of a stage below; {}",
                       name, core::suggestion(name, settings)));
    std::size_t elements = 0;
    std::vector<PointSetting> edits;  // of a step that the field can have: others are infeasible points
    for (std::size_t step = 0; step < values_[axis].size(); ++step) {
      const PointSetting setting{name, values_[axis][step][part]};
      if (setting.second.kind() == ZZ_LIST) elements = setting.second.size();
      if (!field) continue;
      if (const std::string wrong = wrong_kind(accelerator_, setting); !wrong.empty()) tell(wrong);
      try {
        if (edits.empty()) edits = edits_for(accelerator_, setting);
      } catch (const Error&) {
      }
    }
    for (std::size_t k = 0; k < edits.size() && wrong_.empty(); ++k) {
      const std::string unique = unique_path(accelerator_, edits[k].first);
      const int element = edits.size() > 1 || elements > 0 ? static_cast<int>(k) : -1;
      if (const auto [known, is_new] = varied_.emplace(unique, std::pair(i, element)); !is_new)
        tell(fmt::format("'{}' and '{}' are the same field", names_[known->second.first], name));
    }
    if (++part == space_.axes()[axis].names.size()) {
      part = 0;
      ++axis;
    }
  }
  for (std::size_t i = 0; i < forms_.linked.size(); ++i) {
    const std::string& name = forms_.linked[i].name;
    try {
      if (!accelerator_) throw Error(ZZ_E_MISSING, "no stage above hands down an accelerator");
      try_path(accelerator_, name);
      const std::string unique = unique_path(accelerator_, object_path(accelerator_, name));
      if (const auto varied = varied_.find(unique); varied != varied_.end())
        tell(fmt::format("'{}' is linked, and varied as '{}'", name, names_[varied->second.first]));
      if (!linked_paths_.emplace(unique, i).second) tell(fmt::format("'{}' is linked twice", name));
    } catch (const Error& failure) {
      tell(fmt::format("'{}' is no field of the accelerator that can be set: {}", name, failure.what()));
    }
  }
}

std::vector<std::string> DesignPoints::values_without_accelerator() const {
  std::vector<std::string> told;
  for (std::size_t axis = 0, first = 0; axis < values_.size();
       first += space_.axes()[axis++].names.size()) {
    for (const std::vector<Value>& step : values_[axis]) {
      core::end_if_interrupted();
      std::vector<PointSetting> settings;
      for (std::size_t part = 0; part < step.size(); ++part)
        if (is_field_[first + part]) settings.emplace_back(names_[first + part], step[part]);
      if (settings.empty()) continue;
      try {
        accelerator_with(accelerator_, settings);
      } catch (const Error& failure) {
        told.push_back(
            fmt::format("points with {} are infeasible, while other fields are as in the file: {}",
                        to_string(settings), failure.what()));
        break;
      }
    }
  }
  return told;
}

std::vector<std::size_t> DesignPoints::resolve(const std::vector<std::string>& names,
                                               std::size_t linked_before, std::size_t metrics_before,
                                               const std::string& what) {
  std::vector<std::size_t> found;
  for (const std::string& name : names) {
    try {
      found.push_back(quantity(name, linked_before, metrics_before));
    } catch (const Error& failure) {
      tell(fmt::format("{}: {}", what, failure.what()));
    }
  }
  return found;
}

/// A name is that of a metric, of a figure, of an axis, else a field.
std::size_t DesignPoints::quantity(const std::string& name, std::size_t linked_before,
                                   std::size_t metrics_before) {
  Quantity meant{Quantity::field, name};
  std::string key;
  const auto metric = std::find_if(forms_.metrics.begin(), forms_.metrics.end(),
                                   [&](const core::ClosedForm& form) { return form.name == name; });
  const auto figure = std::find(forms_.figures.begin(), forms_.figures.end(), name);
  const auto axis = std::find(names_.begin(), names_.end(), name);
  const auto index = static_cast<std::size_t>(metric - forms_.metrics.begin());
  if (metric != forms_.metrics.end()) {
    if (index >= metrics_before)
      throw Error(ZZ_E_INVALID, fmt::format("the metric '{}' is computed later: write it before", name));
    meant = {Quantity::metric, name, index};
    key = "metric " + name;
  } else if (figure != forms_.figures.end()) {
    meant = {Quantity::figure, name, static_cast<std::size_t>(figure - forms_.figures.begin())};
    key = "figure " + name;
  } else if (axis != names_.end() && !is_field_[static_cast<std::size_t>(axis - names_.begin())]) {
    meant = {Quantity::axis, name, static_cast<std::size_t>(axis - names_.begin())};
    key = "axis " + name;
  } else {
    std::vector<std::string> known = names_;
    known.insert(known.end(), forms_.figures.begin(), forms_.figures.end());
    for (const core::ClosedForm& form : forms_.metrics) known.push_back(form.name);
    if (!accelerator_)
      throw Error(ZZ_E_INVALID, fmt::format("there is no '{}'; {}", name, core::suggestion(name, known)));
    const std::string path = object_path(accelerator_, name);
    key = unique_path(accelerator_, path);
    if (const auto varied = varied_.find(key); varied != varied_.end()) {
      meant = {Quantity::axis, name, varied->second.first, varied->second.second};
    } else if (const auto linked = linked_paths_.find(key);
               linked != linked_paths_.end() && linked->second != linked_before) {
      if (linked->second > linked_before)
        throw Error(ZZ_E_INVALID,
                    fmt::format("the linked field '{}' is computed later: write it before", name));
      meant = {Quantity::linked, name, linked->second};
    } else {
      if (linked != linked_paths_.end()) key = "given " + key;  // a form's own field is as the file has it
      try {
        meant.number = accelerator_[path.c_str()].num();
      } catch (const Error& failure) {
        const std::string near = core::nearest_name(name, known);
        throw Error(ZZ_E_INVALID,
                    fmt::format("'{}' has no number: {}{}", name, failure.what(),
                                near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
      }
    }
  }
  if (meant.kind == Quantity::axis) {
    std::size_t part = meant.index, axis_index = 0;
    while (part >= space_.axes()[axis_index].names.size()) part -= space_.axes()[axis_index++].names.size();
    for (const auto& step : space_.axes()[axis_index].steps)
      if (std::isnan(number_of_json(step[part], meant.element)))
        throw Error(ZZ_E_INVALID, fmt::format("'{}' is no number at every step: one is {}", name,
                                              core::shown_text(step[part].dump())));
  }
  const auto [known, is_new] = by_name_.emplace(key, quantities_.size());
  if (is_new) quantities_.push_back(meant);
  return known->second;
}

void DesignPoints::evaluate(std::size_t use, const core::Expression& expression, std::size_t target,
                            std::vector<double>& numbers) const {
  std::vector<double> own;
  for (const std::size_t quantity : uses_[use]) own.push_back(numbers[quantity]);
  const bool known = std::none_of(own.begin(), own.end(), [](double number) { return std::isnan(number); });
  if (known) numbers[target] = expression.value(own);
}

void DesignPoints::make(std::uint64_t number, DesignPoint& point) const {
  point = {};
  point.number = number;
  point.axes = space_.values(number);
  const core::DesignSpace::Steps steps = space_.steps_of(number);
  for (std::size_t i = 0, name = 0; i < steps.size(); ++i)
    for (const Value& value : values_[i][steps[i]]) point.settings.emplace_back(names_[name++], value);
  point.numbers.assign(quantities_.size(), unknown);
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    const Quantity& quantity = quantities_[i];
    if (quantity.kind == Quantity::axis)
      point.numbers[i] = number_of_json(point.axes[quantity.index], quantity.element);
    else if (quantity.kind == Quantity::field)
      point.numbers[i] = quantity.number;
  }
  try {
    for (std::size_t i = 0; i < forms_.linked.size(); ++i) {
      evaluate(i, forms_.linked[i].expression, linked_quantity_[i], point.numbers);
      point.settings.emplace_back(forms_.linked[i].name,
                                  value_of_number(point.numbers[linked_quantity_[i]]));
    }
    for (std::size_t i = 0; i < forms_.metrics.size(); ++i)
      evaluate(forms_.linked.size() + i, forms_.metrics[i].expression, metric_quantity_[i], point.numbers);
  } catch (const core::InputError& wrong) {
    throw Error(ZZ_E_INVALID, wrong.what());
  }
  if (!accelerator_) return;
  std::vector<PointSetting> fields;
  for (std::size_t i = 0; i < point.settings.size(); ++i)
    if (i >= names_.size() || is_field_[i]) fields.push_back(point.settings[i]);
  point.accelerator = fields.empty() ? accelerator_ : accelerator_with(accelerator_, fields);
}

Value DesignPoints::context(const Value& ctx, const DesignPoint& point) const {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (!is_field_[i]) entries.emplace_back(names_[i], point.settings[i].second);
  if (point.accelerator) entries.emplace_back("accelerator"_n, point.accelerator);
  return with(ctx, std::span<const Entry>(entries));
}

bool DesignPoints::varies_settings() const {
  return std::any_of(is_field_.begin(), is_field_.end(), [](bool field) { return !field; });
}

void DesignPoints::set_figures(std::vector<double>& numbers, std::span<const double> figures) const {
  for (std::size_t i = 0; i < quantities_.size(); ++i)
    if (quantities_[i].kind == Quantity::figure) numbers[i] = figures[quantities_[i].index];
  try {
    for (std::size_t i = 0; i < forms_.metrics.size(); ++i)
      evaluate(forms_.linked.size() + i, forms_.metrics[i].expression, metric_quantity_[i], numbers);
  } catch (const core::InputError& wrong) {
    throw Error(ZZ_E_INVALID, wrong.what());
  }
}

std::optional<std::size_t> DesignPoints::find_quantity(const std::string& name) const {
  for (const char* const kind : {"metric ", "figure "})
    if (const auto found = by_name_.find(kind + name); found != by_name_.end()) return found->second;
  return std::nullopt;
}

double DesignPoints::number_of(const std::vector<double>& numbers, const std::string& name) const {
  const auto quantity = find_quantity(name);
  return quantity ? numbers[*quantity] : unknown;
}

std::optional<DesignPoints::Broken> DesignPoints::broken(const std::vector<double>& numbers) const {
  std::optional<Broken> worst;
  for (std::size_t i = 0; i < forms_.constraints.size(); ++i) {
    const core::Constraint& constraint = forms_.constraints[i];
    std::vector<double> own;
    for (const std::size_t quantity : uses_of_constraint(i)) own.push_back(numbers[quantity]);
    if (std::any_of(own.begin(), own.end(), [](double number) { return std::isnan(number); })) continue;
    const double excess = constraint.excess(own);
    if (excess > 0 && (!worst || excess > worst->excess)) worst = Broken{i, excess};
  }
  return worst;
}

}  // namespace zz::plugins
