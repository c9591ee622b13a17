#include "tools/check_plugin/stage_setup.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <system_error>

#include "core/input/yaml/document.hpp"
#include "core/value/edit.hpp"
#include "core/value/read.hpp"
#include "host/values/setting_value.hpp"
#include "host/values/stage_table.hpp"

#include "tools/check_plugin/sample_values.hpp"

namespace zz::host {
namespace {

/// The text that was assigned to a name of the stage, or nothing; the last assignment counts.
std::optional<std::string> assigned_text(const Assignments& assigned, const zz_stage_desc& stage,
                                         const std::string& name) {
  std::optional<std::string> text;
  for (const std::string& assignment : assigned) {
    const auto equals = assignment.find('=');
    const std::string key = assignment.substr(0, equals);
    if (equals != std::string::npos && (key == name || key == std::string(stage.name) + "." + name))
      text = assignment.substr(equals + 1);
  }
  return text;
}

core::yaml::Node node_of(const std::string& text) {
  core::Diagnostics diagnostics;
  core::yaml::Node node;
  if (!text.empty()) return core::yaml::load_text(text, "command line", diagnostics);
  node.kind = core::yaml::Node::Kind::scalar;
  node.quoted = true;
  return node;
}

/// The lower bound of "[1, 64]", the first of "a|b|c"; `otherwise` without either.
std::string least_allowed(const char* allowed, const std::string& otherwise) {
  if (allowed == nullptr || *allowed == '\0') return otherwise;
  const std::string text = allowed;
  const auto comma = text.find(',');
  if ((text.front() != '[' && text.front() != '(') || comma == std::string::npos)
    return split_names(allowed).front();
  const std::string low = text.substr(1, comma - 1);
  return low.find("inf") != std::string::npos || text.front() == '(' ? otherwise : low;
}

core::Value simplest(std::int32_t kind, const char* allowed) {
  const auto scalar = [&](const char* otherwise) {
    return value_of(node_of(least_allowed(allowed, otherwise)));
  };
  switch (kind) {
    case ZZ_BOOL:
      return core::Value::boolean(true);
    case ZZ_I64:
    case ZZ_F64:
      return scalar("1");
    case ZZ_STR:
      return core::Value::text(least_allowed(allowed, "made-up"));
    case ZZ_LIST:
      return core::Value::list({});
    case ZZ_MAP:
      return core::Value::map({});
    default:
      return {};
  }
}

/// The file that the user gave for the setting, or nothing; one with its name counts before one without.
std::optional<std::string> given_file(const GivenValues& given, const zz_stage_desc& stage,
                                      const zz_param& parameter) {
  std::optional<std::string> path;
  if ((parameter.flags & ZZ_INPUT_PATH) == 0 || assigned_text(given.assigned, stage, parameter.name))
    return path;
  bool named = false;
  for (const InputFile& input : given.inputs) {
    const bool names_it =
        input.name == parameter.name || input.name == std::string(stage.name) + "." + parameter.name;
    if (names_it || (input.name.empty() && !named)) path = input.path;
    named = named || names_it;
  }
  return path;
}

core::Value file_setting(const zz_param& parameter, const std::string& path) {
  core::Value text = core::Value::text(path);
  return parameter.kind == ZZ_LIST ? core::Value::list({std::move(text)}) : text;
}

core::Value setting_of(const zz_param& parameter, const zz_stage_desc& stage, const Assignments& assigned) {
  core::Diagnostics diagnostics;
  if (const auto text = assigned_text(assigned, stage, parameter.name)) {
    const core::Value value = setting_value(node_of(*text), parameter, stage.name, diagnostics);
    diagnostics.throw_if_errors();
    return value;
  }
  if ((parameter.flags & ZZ_REQUIRED) != 0) return simplest(parameter.kind, parameter.allowed);
  try {
    return default_value(parameter, stage.name, diagnostics);
  } catch (const std::exception&) {
    return {};  // the check of the tables tells
  }
}

void add_key(const zz_port& port, const zz_stage_desc& stage, const Assignments& assigned,
             StageSetup& setup) {
  const std::string_view key = port.key;
  if (key == "*") return;
  if (const auto text = assigned_text(assigned, stage, port.key)) {
    setup.context.emplace_back(core::intern(key), value_of(node_of(*text)));
    return;
  }
  if (port.kind != ZZ_OBJECT) {
    setup.context.emplace_back(core::intern(key), simplest(port.kind, nullptr));
    return;
  }
  const auto object = port.type != nullptr ? sample_object(port.type) : std::nullopt;
  if (object) {
    setup.context.emplace_back(core::intern(key), *object);
  } else if ((port.flags & ZZ_OPTIONAL) == 0) {
    setup.lacking = fmt::format("it takes '{}', a {}, of which no example is built in", port.key,
                                text_or_empty(port.type));
  }
}

}  // namespace

InputFile input_file(const std::string& text) {
  std::error_code none;
  const auto equals = text.find('=');
  const bool named = equals != std::string::npos && !std::filesystem::exists(text, none);
  const std::string path = named ? text.substr(equals + 1) : text;
  if (!std::filesystem::is_regular_file(path, none))
    throw core::InputError(fmt::format("--input {}: there is no file '{}'", text, path));
  return {named ? text.substr(0, equals) : "", std::filesystem::absolute(path).string()};
}

std::string StageSetup::path_of(std::size_t setting) const {
  core::Ref value = settings[setting].value.ref();
  if (core::kind_of(value) == core::Kind::list) value = core::part_at(value, 0);
  std::string_view path;
  core::read_text(value, path);
  return std::string(path);
}

core::Value StageSetup::settings_with(std::size_t setting, const std::string& path) const {
  std::vector<std::pair<std::string, core::Value>> entries;
  for (std::size_t i = 0; i < settings.size(); ++i)
    entries.emplace_back(settings[i].parameter->name,
                         i == setting ? file_setting(*settings[i].parameter, path) : settings[i].value);
  return core::Value::map(std::move(entries));
}

StageSetup set_up(const zz_stage_desc& stage, const GivenValues& given) {
  const Assignments& assigned = given.assigned;
  StageSetup setup;
  std::vector<std::pair<std::string, core::Value>> entries;
  for (const zz_param& parameter : parameters_of(stage)) {
    const std::optional<std::string> file = given_file(given, stage, parameter);
    if (file) setup.inputs.push_back(setup.settings.size());
    const bool unknown = (parameter.flags & ZZ_REQUIRED) != 0 && parameter.kind == ZZ_NULL && !file &&
                         !assigned_text(assigned, stage, parameter.name);
    if (unknown)
      setup.lacking =
          fmt::format("it needs the setting '{}': --set {}=VALUE", parameter.name, parameter.name);
    core::Value value = file ? file_setting(parameter, *file) : setting_of(parameter, stage, assigned);
    entries.emplace_back(parameter.name, value);
    setup.settings.push_back({&parameter, std::move(value), Origin::fallback, {}, true});
  }
  setup.settings_map = core::Value::map(std::move(entries));
  for (const zz_port& port : consumed_by(stage)) add_key(port, stage, assigned, setup);
  return setup;
}

}  // namespace zz::host
