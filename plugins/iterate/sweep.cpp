#include "plugins/iterate/sweep.hpp"

#include <fmt/format.h>
#include <span>

#include "core/base/diagnostics.hpp"
#include "plugins/internal/json_values.hpp"

namespace zz::plugins {
namespace {

std::string value_text(Ref value) {
  return value.kind() == ZZ_STR ? std::string(value.str()) : value.json();
}

}  // namespace

Sweep::Sweep(const Value& map, const std::string& setting) {
  if (map.is_null()) return;
  try {
    space_ = core::DesignSpace(nlohmann::ordered_json::parse(map.json()), setting);
  } catch (const core::InputError& wrong) {
    throw Error(ZZ_E_INVALID, wrong.what());
  }
  for (uint32_t i = 0; i < map.size(); ++i) {
    const core::DesignAxis& axis = space_.axes()[i];
    const Ref written = map.at(i);
    auto& steps = steps_.emplace_back();
    for (uint32_t k = 0; k < axis.steps.size(); ++k) {
      auto& step = steps.emplace_back();
      for (uint32_t part = 0; part < axis.names.size(); ++part) {
        // A listed value stays what it is: JSON has no infinite numbers.
        const bool listed = written.kind() == ZZ_LIST, alone = axis.names.size() == 1;
        step.emplace_back(axis.names[part], listed
                                                ? map.hold(alone ? written.at(k) : written.at(k).at(part))
                                                : value_of_json(axis.steps[k][part]));
      }
    }
  }
}

std::vector<PointSetting> Sweep::settings() const {
  std::vector<PointSetting> settings;
  for (const auto& steps : steps_)
    for (const auto& step : steps) settings.insert(settings.end(), step.begin(), step.end());
  return settings;
}

std::vector<PointSetting> Sweep::point(uint32_t number) const {
  std::vector<PointSetting> settings;
  const core::DesignSpace::Steps at = space_.steps_of(number);
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    const auto& step = steps_[axis][at[axis]];
    settings.insert(settings.end(), step.begin(), step.end());
  }
  return settings;
}

std::string to_string(const std::vector<PointSetting>& settings) {
  std::string text;
  for (const auto& [name, value] : settings)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value_text(value));
  return text;
}

Value as_list(const std::vector<PointSetting>& settings) {
  std::vector<Value> pairs;
  for (const auto& [name, value] : settings) pairs.push_back(make(nullptr, list({name, value})));
  return make_list(pairs);
}

Value as_map(const std::vector<PointSetting>& settings) {
  std::vector<Entry> entries;
  for (const auto& [name, value] : settings) entries.emplace_back(name, value);
  return make(nullptr, Literal(std::span<const Entry>(entries)));
}

}  // namespace zz::plugins
