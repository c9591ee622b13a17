#include "plugins/explore/point_settings.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <span>

#include "core/base/diagnostics.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/schema/width_costs.hpp"
#include "plugins/internal/json_values.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {

core::DesignSpace space_of(const Value& axes, const std::string& setting) {
  if (axes.is_null()) return {};
  try {
    return core::DesignSpace(json_of_value(axes), setting);
  } catch (const core::InputError& wrong) {
    throw Error(ZZ_E_INVALID, wrong.what());
  }
}

std::vector<PointSetting> settings_of(const core::DesignSpace& space, std::uint64_t number) {
  std::vector<PointSetting> settings;
  const std::vector<nlohmann::json> values = space.values(number);
  for (const std::string& name : space.names())
    settings.emplace_back(name, value_of_json(values[settings.size()]));
  return settings;
}

std::string to_string(const std::vector<PointSetting>& settings) {
  std::string text;
  for (const auto& [name, value] : settings)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name,
                        value.kind() == ZZ_STR ? std::string(value.str()) : value.json());
  return text;
}

Value as_list(const std::vector<PointSetting>& settings) {
  std::vector<Value> pairs;
  for (const auto& [name, value] : settings) pairs.push_back(make(nullptr, list({name, value})));
  return make_list(pairs);
}

Value as_map(const std::vector<PointSetting>& settings) {
  const std::vector<Entry> entries = entries_of(settings);
  return make(Literal(std::span<const Entry>(entries)));
}

std::vector<Entry> entries_of(const std::vector<PointSetting>& settings) {
  std::vector<Entry> entries;
  for (const auto& [name, value] : settings) entries.emplace_back(name, value);
  return entries;
}

Value in_folder_of_point(const Value& ctx, const std::optional<std::string>& dump_folder,
                         std::uint64_t number) {
  if (!dump_folder) return ctx;
  const auto folder = std::filesystem::path(*dump_folder) / fmt::format("point_{}", number);
  return with(ctx, {{"dump_folder"_n, folder.string()}});
}

void warn_of_width_without_cost(const Stage& stage, const std::vector<std::string>& names,
                                const Value& ctx) {
  const Ref above = ctx["accelerator"_n];
  const auto accelerator = above.is_null() ? nullptr : object_or_null<core::Accelerator>(ctx.hold(above));
  const std::string warning = core::warning_of_width_without_cost(names, accelerator.get());
  if (!warning.empty()) stage.log(Level::warning, warning);
}

}  // namespace zz::plugins
