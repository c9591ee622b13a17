#include "plugins/internal/accelerator_fields.hpp"

#include <fmt/format.h>
#include <span>
#include <string_view>

#include "core/value/name.hpp"

namespace zz::plugins {
namespace {

using Steps = std::vector<std::string>;

Steps steps_in(const std::string& path) {
  Steps steps;
  for (const core::Name step : core::steps_of(core::intern(path))) steps.emplace_back(core::text_of(step));
  return steps;
}

std::string path_of(const Steps& steps) {
  std::string path;
  for (const std::string& step : steps) path += path.empty() ? step : "[" + step + "]";
  return path;
}

}  // namespace

std::string object_path(const Value& accelerator, const std::string& written) {
  constexpr std::string_view prefix = "accelerator.";
  const std::string path = written.substr(written.rfind(prefix, 0) == 0 ? prefix.size() : std::size_t{0});
  Steps steps = steps_in(path);
  if (steps.size() < 2 || steps[0] != "operational_array") return path;
  if (steps[1] == "sizes" && steps.size() == 3)
    return "operational_array.dimensions[" + steps[2] + "].size";
  const Ref imc = accelerator["operational_array.imc"_n];
  if (!imc.is_null() && imc[steps[1].c_str()].exists()) steps.insert(steps.begin() + 1, "imc");
  return path_of(steps);
}

std::string unique_path(const Value& accelerator, const std::string& path) {
  Ref here = accelerator.look();
  Steps steps = steps_in(path);
  for (std::string& step : steps) {
    const Ref part = here[step.c_str()];
    if (here.kind() == ZZ_LIST) {
      for (uint32_t i = 0; i < here.size(); ++i) {
        const zz_ref item = here.at(i).raw();
        if (item.word == part.raw().word && item.type == part.raw().type) step = std::to_string(i);
      }
    }
    here = part;
  }
  return path_of(steps);
}

std::vector<PointSetting> edits_for(const Value& accelerator, const PointSetting& setting) {
  const std::string path = object_path(accelerator, setting.first);
  if (path_of(steps_in(path)) != "operational_array[sizes]") return {{path, setting.second}};
  std::vector<PointSetting> edits;
  for (uint32_t i = 0; i < setting.second.size(); ++i) {
    edits.emplace_back(fmt::format("operational_array.dimensions[{}].size", i),
                       setting.second.hold(setting.second.at(i)));
  }
  if (edits.size() != accelerator["operational_array.dimensions"_n].size())
    throw Error(ZZ_E_INVALID, fmt::format("'{}' must be a list with a size for each dimension of the array",
                                          setting.first));
  return edits;
}

void try_path(const Value& accelerator, const std::string& written) {
  const std::string path = object_path(accelerator, written);
  if (path_of(steps_in(path)) == "operational_array[sizes]") return;
  const Ref part = accelerator[path.c_str()];
  if (part.exists()) {
    with(accelerator, {{path, part}});
  } else {
    with(accelerator, {{path, 1}});
  }
}

std::string wrong_kind(const Value& accelerator, const PointSetting& setting) {
  try {
    for (const auto& [path, value] : edits_for(accelerator, setting)) with(accelerator, {{path, value}});
  } catch (const Error& failure) {
    if (failure.code == ZZ_E_TYPE)
      return fmt::format("'{}' cannot be {}: {}", setting.first, setting.second.json(), failure.what());
  }
  return "";
}

Value accelerator_with(const Value& accelerator, const std::vector<PointSetting>& settings) {
  std::vector<PointSetting> edits;
  for (const PointSetting& setting : settings) {
    for (PointSetting& edit : edits_for(accelerator, setting)) edits.push_back(std::move(edit));
  }
  std::vector<Entry> entries;
  for (const auto& [path, value] : edits) entries.emplace_back(path, value);
  return with(accelerator, std::span<const Entry>(entries));
}

}  // namespace zz::plugins
