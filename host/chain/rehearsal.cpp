#include "host/chain/rehearsal.hpp"

#include <algorithm>

#include "host/chain/guard.hpp"
#include "host/chain/stage_call.hpp"
#include "host/chain/third_party_checks.hpp"
#include "host/values/handles.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

bool hands_down_objects(const zz_stage_desc& stage) {
  const auto given = provided_by(stage);
  return std::any_of(given.begin(), given.end(),
                     [](const zz_port& port) { return port.kind == ZZ_OBJECT; });
}

bool needs_objects(const zz_stage_desc& stage) {
  const auto taken = consumed_by(stage);
  return std::any_of(taken.begin(), taken.end(), [](const zz_port& port) {
    return port.kind == ZZ_OBJECT && (port.flags & ZZ_OPTIONAL) == 0;
  });
}

bool has_input_file(const zz_stage_desc& stage) {
  const auto settings = parameters_of(stage);
  return std::any_of(settings.begin(), settings.end(),
                     [](const zz_param& setting) { return (setting.flags & ZZ_INPUT_PATH) != 0; });
}

zz_status end_at_once(zz_stream*, zz_result*, std::uint32_t, std::uint32_t* count, zz_error*) noexcept {
  *count = 0;
  return ZZ_OK;
}

void close_empty(zz_stream*) noexcept {}

}  // namespace

bool reads_files(const zz_place& place) {
  const zz_stage_desc& stage = *place.description;
  return (stage.flags & ZZ_STAGE_FORWARDS) != 0 && has_input_file(stage) && hands_down_objects(stage) &&
         !needs_objects(stage) && !is_third_party(place);
}

zz_status rehearse(const Instance& instance, zz_value* context, zz_stream* out, zz_error* error) noexcept {
  const zz_stage_desc& stage = *instance.description;
  zz_place& place = *instance.place;
  if (place.arrival != nullptr) {
    try {
      (*place.arrival)(place, context->value);
    } catch (...) {
      return report_current_exception(error);
    }
    *out = zz_stream{nullptr, end_at_once, close_empty, nullptr};
    return ZZ_OK;
  }
  if (const FailurePointer wrong = check_metrics(place, instance); wrong != nullptr)
    return tell_caller(wrong, error);
  const auto* ability =
      stage.get_extension == nullptr
          ? nullptr
          : static_cast<const zz_stage_check*>(stage.get_extension(instance.stage, ZZ_STAGE_CHECK));
  Handle below;
  if (ability != nullptr && ZZ_HAS(ability, check)) {
    StageCall call{&place, nullptr};
    zz_error sink;
    zz_status status = ZZ_OK;
    zz_value* given = nullptr;
    {
      const Entered entered(call);
      status = ability->check(instance.stage, context, &given, &sink);
    }
    below = Handle::take(given);
    if (status != ZZ_OK) return tell_caller(conclude(call, status, sink), error);
  }
  const bool same = !hands_down_objects(stage) && !provides_named_keys(stage);
  if (place.below != nullptr && (same || below))
    return open_below(&place, below ? below.get() : context, out, error);
  *out = zz_stream{nullptr, end_at_once, close_empty, nullptr};
  return ZZ_OK;
}

}  // namespace zz::host
