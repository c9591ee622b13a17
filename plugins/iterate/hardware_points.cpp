#include "plugins/iterate/hardware_points.hpp"

#include <cmath>
#include <fmt/format.h>
#include <map>

#include "core/base/expression.hpp"
#include "core/output/csv_text.hpp"

namespace zz::plugins {

HardwarePoints::HardwarePoints(Value accelerator, const Sweep& sweep,
                               const std::vector<LinkedField>& linked)
    : accelerator_(std::move(accelerator)), sweep_(sweep), linked_(linked) {
  std::vector<std::string> paths = sweep.names();
  for (const LinkedField& field : linked) paths.push_back(field.path);
  std::string wrong;
  for (const std::string& path : paths) {
    try {
      try_path(accelerator_, path);
    } catch (const Error& failure) {
      wrong += fmt::format("{}'{}' is no field of the accelerator that can be set: {}",
                           wrong.empty() ? "" : "\n", path, failure.what());
    }
  }
  if (wrong.empty()) {
    for (const PointSetting& setting : sweep_.settings()) {
      const std::string why = wrong_kind(accelerator_, setting);
      if (!why.empty()) wrong += (wrong.empty() ? "" : "\n") + why;
    }
  }
  for (const LinkedField& field : linked) {
    double unlike = 1;  // different numbers, so that no difference of fields happens to be zero
    try {
      core::evaluate_expression(field.expression, [&](const std::string& name) {
        accelerator_[object_path(accelerator_, name).c_str()].num();
        return unlike *= 1.37;
      });
    } catch (const std::exception& failure) {
      wrong += fmt::format("{}the expression for '{}': {}", wrong.empty() ? "" : "\n", field.path,
                           failure.what());
    }
  }
  if (!wrong.empty()) throw Error(ZZ_E_INVALID, wrong);
}

std::vector<PointSetting> HardwarePoints::settings(uint32_t number) const {
  std::vector<PointSetting> settings = sweep_.point(number);
  std::map<std::string, Value> changed;
  for (const PointSetting& setting : settings) {
    for (const auto& [path, value] : edits_for(accelerator_, setting))
      changed[unique_path(accelerator_, path)] = value;
  }
  for (const LinkedField& field : linked_) {
    const double number_of_field =
        core::evaluate_expression(field.expression, [&](const std::string& name) {
          const std::string path = object_path(accelerator_, name);
          const auto found = changed.find(unique_path(accelerator_, path));
          try {
            return found != changed.end() ? found->second.num() : accelerator_[path.c_str()].num();
          } catch (const Error& failure) {
            throw Error(ZZ_E_INVALID, fmt::format("in the expression '{}' for '{}': '{}' has no number: {}",
                                                  field.expression, field.path, name, failure.what()));
          }
        });
    const bool whole = std::abs(number_of_field) < 9e15 && std::floor(number_of_field) == number_of_field;
    const Value value = whole ? make(nullptr, Literal(static_cast<int64_t>(number_of_field)))
                              : make(nullptr, Literal(number_of_field));
    changed[unique_path(accelerator_, object_path(accelerator_, field.path))] = value;
    settings.emplace_back(field.path, value);
  }
  return settings;
}

Value HardwarePoints::accelerator(const std::vector<PointSetting>& settings) const {
  return accelerator_with(accelerator_, settings);
}

namespace {

bool is_standard(const std::string& metric) {
  return metric == "energy_total" || metric == "latency_total2" || metric == "edp";
}

/// The shortest text that reads back as the same number; empty where there is no value.
std::string cell(Ref value) {
  if (value.is_null()) return "";
  return value.kind() == ZZ_STR ? std::string(value.str()) : value.json();
}
std::string cell(double number) {
  const std::string text = make(nullptr, Literal(number)).json();
  return text == "null" ? "" : text;
}

Value figure(const PointOutcome& point, double number) {
  return point.feasible ? make(nullptr, Literal(number)) : Value();
}

}  // namespace

std::string PointsTable::csv() const {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string>& title = rows.emplace_back();
  title.emplace_back("point");
  // A point whose linked fields have no value knows only the fields before them.
  const PointOutcome* longest = &points.front();
  for (const PointOutcome& point : points)
    if (point.settings.size() > longest->settings.size()) longest = &point;
  for (const auto& setting : longest->settings) title.push_back(setting.first);
  for (const char* name : {"energy_total", "latency_total2", "edp"}) title.emplace_back(name);
  if (!is_standard(metric)) title.push_back(metric);
  for (const char* name : {"best", "reason"}) title.emplace_back(name);

  for (std::size_t i = 0; i < points.size(); ++i) {
    const PointOutcome& point = points[i];
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(std::to_string(i));
    for (std::size_t k = 0; k < longest->settings.size(); ++k)
      row.push_back(k < point.settings.size() ? cell(point.settings[k].second.look()) : "");
    row.push_back(cell(figure(point, point.energy).look()));
    row.push_back(cell(figure(point, point.latency).look()));
    row.push_back(cell(figure(point, point.energy * point.latency).look()));
    if (!is_standard(metric)) row.push_back(point.feasible ? cell(point.figures.front()) : "");
    row.emplace_back(best == i ? "yes" : "");
    row.push_back(point.reason);
  }
  return core::csv_text(rows);
}

Value PointsTable::value() const {
  std::vector<Value> all;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PointOutcome& point = points[i];
    const Value settings = as_map(point.settings);
    const Value energy = figure(point, point.energy), latency = figure(point, point.latency);
    const Value product = figure(point, point.energy * point.latency);
    const Value reason = point.feasible ? Value() : make(nullptr, Literal(point.reason));
    std::vector<Entry> entries{{"point", i},
                               {"settings", settings},
                               {"feasible", point.feasible},
                               {"energy_total", energy},
                               {"latency_total2", latency},
                               {"edp", product},
                               {"reason", reason}};
    Value own;
    if (!is_standard(metric)) {
      own = point.feasible ? figure(point, point.figures.front()) : Value();
      entries.emplace_back(metric, own);
    }
    all.push_back(make(nullptr, Literal(std::span<const Entry>(entries))));
  }
  const Value list_of_points = make_list(all);
  const Value number = best ? make(nullptr, Literal(*best)) : Value();
  return make(nullptr, {{"metric", metric}, {"best", number}, {"points", list_of_points}});
}

}  // namespace zz::plugins
