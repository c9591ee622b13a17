#include "host/chain/chain_description.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/sha256.hpp"
#include "core/value/read.hpp"
#include "host/base/run.hpp"
#include "host/chain/stage_call.hpp"
#include "host/chain/third_party_checks.hpp"
#include "host/values/context.hpp"
#include "host/values/handles.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

using Entries = std::vector<std::pair<std::string, core::Value>>;

/// The file, or each file of a list, with a digest of its contents. The stage reports files that are not
/// readable.
core::Value input_file(const core::Value& path) {
  if (core::kind_of(path.ref()) == core::Kind::list) {
    std::vector<core::Value> files;
    for (std::uint32_t i = 0; i < core::count_of(path.ref()); ++i)
      files.push_back(input_file(core::held_part(path, core::part_at(path.ref(), i))));
    return core::Value::list(std::move(files));
  }
  std::string_view name;
  if (!core::read_text(path.ref(), name) || name.empty()) return path;
  std::string bytes;
  try {
    bytes = current_run().files.read(std::string(name), std::numeric_limits<std::int64_t>::max(), "a file");
  } catch (const core::InputError&) {
    bytes.clear();
  }
  return core::Value::map({{"file", core::Value::text(lasting_name(name))},
                           {"sha256", core::Value::text(core::sha256(bytes))}});
}

core::Value settings(const zz_place& place, const core::Value& context) {
  Entries entries;
  const std::vector<core::Value> values = settings_over(place, context);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const zz_param& parameter = *place.settings[i].parameter;
    if ((parameter.flags & ZZ_STAGES) != 0) continue;
    const bool is_file = (parameter.flags & ZZ_INPUT_PATH) != 0;
    entries.emplace_back(parameter.name, is_file ? input_file(values[i]) : values[i]);
  }
  return core::Value::map(std::move(entries));
}

core::Value chains(const zz_place& place, const core::Value& context) {
  Entries entries;
  for (const zz_place::Nested& nested : place.nested)
    entries.emplace_back(core::text_of(nested.setting), describe_chain(nested.above->below, context));
  return core::Value::map(std::move(entries));
}

/// The keys of the objects that the stage says it reads; of a stage of a third party, which may read more,
/// nothing.
core::Value objects(const zz_place& place) {
  if (is_third_party(place)) return {};
  std::vector<core::Value> keys;
  for (const zz_port& port : consumed_by(*place.description)) {
    if (std::string_view(port.key) == "*") return {};
    if (port.kind == ZZ_OBJECT || port.kind == ZZ_NULL) keys.push_back(core::Value::text(port.key));
  }
  return core::Value::list(std::move(keys));
}

/// The pipeline's changes in the objects that the stage hands down.
core::Value changes(const zz_place& place) {
  Entries entries;
  for (const core::Edit& change : place.changes)
    entries.emplace_back(core::text_of(change.at), change.value.value_or(core::Value()));
  return core::Value::map(std::move(entries));
}

core::Value plain_keys(const zz_place& place, const core::Value& context) {
  Entries entries;
  for (const zz_port& port : consumed_by(*place.description)) {
    const core::Value* value = find_in_context(context, core::intern(port.key));
    if (value != nullptr && core::kind_of(value->ref()) != core::Kind::object)
      entries.emplace_back(port.key, *value);
  }
  return core::Value::map(std::move(entries));
}

}  // namespace

core::Value describe_chain(const zz_place* first, const core::Value& context) {
  std::vector<core::Value> stages;
  for (const zz_place* place = first; place != nullptr; place = place->below) {
    const std::string plugin = std::string(place->plugin->id) + " " + place->plugin->version;
    Entries stage{{"stage", core::Value::text(place->description->id)},
                  {"plugin", core::Value::text(plugin)},
                  {"settings", settings(*place, context)},
                  {"chains", chains(*place, context)},
                  {"reads", plain_keys(*place, context)},
                  {"objects", objects(*place)}};
    if (!place->changes.empty()) stage.emplace_back("changes", changes(*place));
    stages.push_back(core::Value::map(std::move(stage)));
  }
  return core::Value::list(std::move(stages));
}

namespace {

/// Null where the stage says nothing, or cannot be made with these settings: then opening it says why.
core::Value made_by(zz_place& place, zz_value* context) {
  StageCall call{&place, nullptr};
  const Entered entered(call);
  zz_error unused;
  std::shared_ptr<Instance> instance = place.instance;
  if (context != nullptr && instance_for(place, context, instance, &unused) != ZZ_OK) return {};
  if (instance == nullptr || place.description->get_extension == nullptr) return {};
  const auto* ability =
      static_cast<const zz_stage_makes*>(place.description->get_extension(instance->stage, ZZ_STAGE_MAKES));
  if (ability == nullptr || !ZZ_HAS(ability, makes)) return {};
  const Handle told = Handle::take(ability->makes(instance->stage, &unused));
  const bool usable = told && core::kind_of(told.get()->value.ref()) == core::Kind::map;
  return usable ? told.get()->value : core::Value();
}

}  // namespace

core::Value what_chain_makes(zz_place* first, zz_value* context) {
  std::vector<core::Value> stages;
  for (zz_place* place = first; place != nullptr; place = place->below)
    stages.push_back(made_by(*place, context));
  return core::Value::list(std::move(stages));
}

std::string what_stage_makes(zz_place& place) {
  const core::Value told = made_by(place, nullptr);
  std::string_view word;
  core::read_text(core::part(told.ref(), core::intern("makes")), word);
  return std::string(word);
}

}  // namespace zz::host
