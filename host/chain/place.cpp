#include "host/chain/place.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/value/read.hpp"
#include "host/chain/stage_call.hpp"
#include "host/values/context.hpp"
#include "host/values/handles.hpp"
#include "host/values/setting_value.hpp"

namespace zz::host {
namespace {

/// Openings that run at the same time may have settings of their own each.
constexpr std::size_t most_overrides = 16;

bool equal(const core::Value& a, const core::Value& b) {
  const core::Ref x = a.ref(), y = b.ref();
  if (x.word == y.word && x.type == y.type) return true;
  const auto kind = core::kind_of(x);
  // Objects are compared by identity: two that are equal but apart only cost a fresh instance.
  if (kind != core::kind_of(y) || kind == core::Kind::object) return false;
  return core::to_json(x) == core::to_json(y);
}

bool equal(const std::vector<core::Value>& a, const std::vector<core::Value>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!equal(a[i], b[i])) return false;
  }
  return a.size() == b.size();
}

bool as_written(const zz_place& place, const std::vector<core::Value>& values) {
  return std::all_of(place.overridable.begin(), place.overridable.end(), [&](const Overridable& candidate) {
    return equal(values[candidate.setting], place.settings[candidate.setting].value);
  });
}

/// True when the value may stand for the setting: a key of that name with another type (the workload as
/// an object, where the setting is a path) is something else.
bool may_replace(const core::Value& value, const zz_param& parameter) {
  const auto kind = static_cast<std::int32_t>(core::kind_of(value.ref()));
  if (kind == parameter.kind || (kind == ZZ_I64 && parameter.kind == ZZ_F64)) return true;
  return parameter.kind == ZZ_NULL && kind != ZZ_OBJECT;
}

/// The problem of the values that stages above hand down for settings at `place`; nullptr: none. With
/// `ranges`, values that are not allowed are one, too. An object under the name of a setting is something
/// else, and no value keeps what is written.
FailurePointer wrong_settings(const zz_place& place, const core::Value& context, bool ranges) {
  for (const Overridable& candidate : place.overridable) {
    const core::Value* given = find_in_context(context, candidate.key);
    if (given == nullptr || context_layer_of(context, candidate.key) == 0) continue;
    const zz_param& parameter = *place.settings[candidate.setting].parameter;
    const core::Kind kind = core::kind_of(given->ref());
    if (kind == core::Kind::null || kind == core::Kind::object ||
        (may_replace(*given, parameter) && !ranges))
      continue;
    const std::string wrong = why_no_setting(*given, parameter);
    if (!wrong.empty())
      return make_failure(
          ZZ_E_INVALID,
          fmt::format("'{}', which {} hands down, {}", parameter.name, candidate.provider, wrong),
          place.label);
  }
  return nullptr;
}

}  // namespace

Instance::~Instance() {
  if (stage == nullptr) return;
  StageCall call{place, nullptr};
  const Entered entered(call);
  description->destroy(stage);
}

std::string let_through_none(const zz_place& first) {
  std::string found;
  for (const zz_place* place = &first; place != nullptr; place = place->below)
    // A reducer hands up nothing where a later layer has failed.
    if (place->handed_up == 0 && (place->description->flags & ZZ_STAGE_REDUCES) == 0 &&
        place->below != nullptr && place->below->handed_up > 0)
      found = fmt::format("{} let through 0 of {} results", place->label, place->below->handed_up.load());
  return found;
}

zz_status make_instance(zz_place& place, const std::vector<core::Value>& values,
                        std::shared_ptr<Instance>& out, zz_error* error) {
  std::vector<std::pair<std::string, core::Value>> entries;
  for (std::size_t i = 0; i < values.size(); ++i)
    entries.emplace_back(place.settings[i].parameter->name, values[i]);
  const core::Value settings = core::Value::map(std::move(entries));

  auto instance = std::make_shared<Instance>();
  instance->description = place.description;
  instance->place = &place;
  StageCall call{&place, nullptr};
  zz_error sink;
  zz_status status = ZZ_OK;
  {
    const Entered entered(call);
    status = place.description->create(place.host, to_abi(settings.ref()), &place, &instance->stage, &sink);
  }
  if (status != ZZ_OK) {
    instance->stage = nullptr;
    return tell_caller(conclude(call, status, sink), error);
  }
  if (instance->stage == nullptr) {
    return tell_caller(
        make_rule_failure("reported success of `create` and gave no stage", "S1", place.label), error);
  }
  out = std::move(instance);
  return ZZ_OK;
}

std::vector<core::Value> settings_over(const zz_place& place, const core::Value& context) {
  std::vector<core::Value> values;
  for (const ResolvedSetting& setting : place.settings) values.push_back(setting.value);
  for (const Overridable& candidate : place.overridable) {
    const core::Value* given = find_in_context(context, candidate.key);
    if (given != nullptr && may_replace(*given, *place.settings[candidate.setting].parameter))
      values[candidate.setting] = *given;
  }
  return values;
}

zz_status instance_for(zz_place& place, zz_value* context, std::shared_ptr<Instance>& out,
                       zz_error* error) {
  if (place.overridable.empty()) {
    out = place.instance;
    return ZZ_OK;
  }
  if (const FailurePointer wrong = wrong_settings(place, context->value, false); wrong != nullptr)
    return tell_caller(wrong, error);
  std::vector<core::Value> values = settings_over(place, context->value);
  if (place.instance != nullptr && as_written(place, values)) {
    out = place.instance;
    return ZZ_OK;
  }
  const std::lock_guard lock(place.override_mutex);
  auto& known = place.overrides;
  const auto found = std::find_if(known.rbegin(), known.rend(),
                                  [&](const zz_place::Override& one) { return equal(one.values, values); });
  if (found != known.rend()) {
    std::rotate(found.base() - 1, found.base(), known.end());
  } else {
    if (const FailurePointer wrong = wrong_settings(place, context->value, true); wrong != nullptr)
      return tell_caller(wrong, error);
    std::shared_ptr<Instance> fresh;
    if (const zz_status status = make_instance(place, values, fresh, error); status != ZZ_OK) return status;
    if (known.size() == most_overrides) known.erase(known.begin());
    known.push_back({std::move(values), std::move(fresh)});
  }
  out = known.back().instance;
  return ZZ_OK;
}

}  // namespace zz::host
