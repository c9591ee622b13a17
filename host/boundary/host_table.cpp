#include "host/boundary/host_table.hpp"

#include <string>
#include <string_view>

#include "core/base/text.hpp"
#include "core/value/edit.hpp"
#include "host/base/cancellation.hpp"
#include "host/base/log.hpp"
#include "host/base/progress.hpp"
#include "host/base/report_tables.hpp"
#include "host/base/run.hpp"
#include "host/boundary/answers.hpp"
#include "host/boundary/input.hpp"
#include "host/boundary/mappings.hpp"
#include "host/boundary/messages.hpp"
#include "host/boundary/output.hpp"
#include "host/boundary/parallel.hpp"
#include "host/boundary/process.hpp"
#include "host/boundary/run_table.hpp"
#include "host/boundary/value_tables.hpp"
#include "host/chain/chain_description.hpp"
#include "host/chain/demand.hpp"
#include "host/chain/guard.hpp"
#include "host/chain/place.hpp"
#include "host/chain/score.hpp"
#include "host/chain/stage_call.hpp"
#include "host/values/context.hpp"
#include "host/values/handles.hpp"
#include "zz/internal_tier.h"

namespace zz::host {
namespace {

std::int32_t cancelled() noexcept { return cancel_requested() ? 1 : 0; }
void take_run_interruption() noexcept {
  if (current_run().cancelled.load(std::memory_order_relaxed)) take_interruption();
}
const zz_cancel cancel_table{sizeof(zz_cancel), cancelled, take_run_interruption};

zz_place* nested_place(zz_place* at, zz_name setting) noexcept {
  if (at == nullptr) return nullptr;
  for (const zz_place::Nested& nested : at->nested) {
    if (nested.setting == setting) return nested.above;
  }
  return nullptr;
}

/// The value that `tell` makes of the chain below `above`.
template <class Tell>
zz_value* tell_of_chain(const char* function, zz_place* above, zz_value* context, zz_error* error,
                        Tell tell) noexcept {
  try {
    if (above == nullptr || (context != nullptr && !is_context(context->value)))
      throw core::ValueError(
          core::ValueError::Problem::wrong_type,
          std::string(function) + " wants the place above a chain, and a context or NULL");
    return new_handle(tell());
  } catch (...) {
    report_current_exception(error);
    return nullptr;
  }
}

zz_value* describe_nested(zz_place* above, zz_value* context, zz_error* error) noexcept {
  return tell_of_chain("zz_nested.describe", above, context, error, [&] {
    return describe_chain(above->below, context != nullptr ? context->value : make_context({}));
  });
}

zz_value* what_nested_makes(zz_place* above, zz_value* context, zz_error* error) noexcept {
  return tell_of_chain("zz_nested.makes", above, context, error,
                       [&] { return what_chain_makes(above->below, context); });
}
const zz_nested nested_table{sizeof(zz_nested), nested_place, describe_nested, what_nested_makes};

const void* get_extension(const char* id) noexcept {
  struct Entry {
    std::string_view id;
    const void* table;
  };
  static const Entry entries[] = {
      {ZZ_VALUES, &values_table},
      {ZZ_EVALUATIONS, &evaluations_table},
      {ZZ_LOG, &log_table},
      {ZZ_PROGRESS, &progress_table},
      {ZZ_CANCEL, &cancel_table},
      {ZZ_PARALLEL, &parallel_table},
      {ZZ_OUTPUT, &output_table},
      {ZZ_INPUT, &input_table},
      {ZZ_DEMAND, &demands_table},
      {ZZ_SCORE, &score_table},
      {ZZ_NESTED, &nested_table},
      {ZZ_MAPPINGS, &mappings_table},
      {ZZ_REPORT, &report_table},
      {ZZ_PROCESS, &process_table},
      {ZZ_ANSWERS, &answers_table},
      {ZZ_INTERNAL ZZ_BUILD_ID, &internal_table},
      {ZZ_INTERNAL_RUN ZZ_BUILD_ID, &run_table},
  };
  if (id == nullptr) return nullptr;
  for (const Entry& entry : entries) {
    if (entry.id == id) return entry.table;
  }
  return nullptr;
}

void fail(zz_error* error, zz_status code, const char* message, std::size_t length) noexcept {
  if (error == nullptr) return;
  error->code = code;
  error->message = core::message_text({message != nullptr ? message : "", message != nullptr ? length : 0});
  error->failure = {};
}

zz_value* failure() noexcept {
  const StageCall* call = current_call();
  if (call == nullptr || call->stored == nullptr) return nullptr;
  return new_handle(to_value(call->stored));
}

void fail_as(zz_error* error, const zz_value* given) noexcept {
  if (error == nullptr || given == nullptr) return;
  const FailurePointer failure = from_value(given->value);
  if (failure == nullptr) return;
  error->code = failure->code;
  error->message = failure->message;
  error->failure = given->value;
}

/// An error of a function of the host counts as a failure within the current call.
void keep_failure(zz_status code, const std::string& message,
                  const std::vector<core::Diagnostic>& problems) noexcept {
  StageCall* call = current_call();
  if (call == nullptr || call->place == nullptr) return;
  Failure failure{code, message, call->place->label, nullptr};
  if (names_a_file(problems)) failure.problems = problems;
  call->stored = std::make_shared<const Failure>(std::move(failure));
}

const zz_host table{sizeof(zz_host), ZZ_ABI_MAJOR, ZZ_ABI_MINOR, "zz-host", ZZ_VERSION, ZZ_BUILD_ID,
                    get_extension,   fail,         failure,      fail_as,   open_below};

}  // namespace

const zz_host& host_table() {
  static const bool observing = (observe_failures(keep_failure), true);
  static_cast<void>(observing);
  return table;
}

}  // namespace zz::host
