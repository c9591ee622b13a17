#include "plugins/iterate/sweep.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "core/value/key_list.hpp"

namespace zz::plugins {
namespace {

std::string value_text(Ref value) {
  return value.kind() == ZZ_STR ? std::string(value.str()) : value.json();
}

}  // namespace

Sweep::Sweep(const Value& map, const std::string& setting) {
  if (map.is_null()) return;
  if (map.kind() != ZZ_MAP || map.size() == 0) {
    throw Error(
        ZZ_E_INVALID,
        fmt::format("'{}' must be a map of names and lists of values, such as {{loma_lpf_limit: [3, "
                    "6]}}; found {}",
                    setting, map.json()));
  }
  std::string wrong;
  const auto tell = [&](const std::string& text) { wrong += (wrong.empty() ? "" : "\n") + text; };
  std::vector<std::string> seen;
  uint64_t size = 1;
  for (uint32_t i = 0; i < map.size(); ++i) {
    const std::string key(map.key(i));
    const Ref values = map.at(i);
    Axis axis;
    axis.names = core::names_in_key(key);
    for (const std::string& name : axis.names) {
      if (name.empty()) tell(fmt::format("'{}': the key '{}' has an empty name", setting, key));
      if (std::find(seen.begin(), seen.end(), name) != seen.end())
        tell(fmt::format("'{}' varies '{}' twice", setting, name));
      seen.push_back(name);
    }
    if (values.kind() != ZZ_LIST || values.size() == 0) {
      tell(fmt::format("'{}': '{}' must have a list of at least one value, but has {}", setting, key,
                       values.json()));
      continue;
    }
    for (Ref step : values) {
      if (axis.names.size() == 1) {
        axis.steps.push_back({map.hold(step)});
        continue;
      }
      if (step.kind() != ZZ_LIST || step.size() != axis.names.size()) {
        tell(fmt::format("'{}': each value of '{}' must be a list of {}, one for each name, but one is {}",
                         setting, key, axis.names.size(), step.json()));
        continue;
      }
      std::vector<Value> together;
      for (Ref value : step) together.push_back(map.hold(value));
      axis.steps.push_back(std::move(together));
    }
    size = std::min<uint64_t>(size * values.size(), uint64_t{1} << 32);
    axes_.push_back(std::move(axis));
  }
  if (size > std::numeric_limits<uint32_t>::max())
    tell(fmt::format("'{}' has more than {} points", setting, std::numeric_limits<uint32_t>::max()));
  if (!wrong.empty()) throw Error(ZZ_E_INVALID, wrong);
  size_ = static_cast<uint32_t>(size);
}

std::vector<std::string> Sweep::names() const {
  std::vector<std::string> names;
  for (const Axis& axis : axes_) names.insert(names.end(), axis.names.begin(), axis.names.end());
  return names;
}

std::vector<PointSetting> Sweep::settings() const {
  std::vector<PointSetting> settings;
  for (const Axis& axis : axes_) {
    for (const std::vector<Value>& step : axis.steps) {
      for (std::size_t i = 0; i < axis.names.size(); ++i) settings.emplace_back(axis.names[i], step[i]);
    }
  }
  return settings;
}

std::vector<PointSetting> Sweep::point(uint32_t number) const {
  std::vector<PointSetting> settings;
  uint64_t below = size_;  // points for one step of the axis
  for (const Axis& axis : axes_) {
    below /= axis.steps.size();
    const std::vector<Value>& step = axis.steps[number / below % axis.steps.size()];
    for (std::size_t i = 0; i < step.size(); ++i) settings.emplace_back(axis.names[i], step[i]);
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
