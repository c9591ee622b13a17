#include "host/chain/guard.hpp"

#include <fmt/format.h>
#include <memory>

#include "host/base/cancellation.hpp"
#include "host/chain/rehearsal.hpp"
#include "host/chain/stage_call.hpp"
#include "host/chain/third_party_checks.hpp"
#include "host/values/context.hpp"
#include "host/values/handles.hpp"

namespace zz::host {
namespace {

struct GuardedStream {
  zz_place* place = nullptr;
  std::shared_ptr<Instance> instance;  ///< declared before `inner` is closed, released after
  zz_stream inner{};
  Handle context;  ///< that the stage was opened with, if its results are audited
  bool ended = false;
  FailurePointer failure;  ///< once failed, every further call says the same
};

zz_status fail(GuardedStream& stream, FailurePointer failure, zz_error* error) {
  stream.failure = std::move(failure);
  return tell_caller(stream.failure, error);
}

zz_status garbage(GuardedStream& stream, const std::string& what, const char* rule, zz_error* error) {
  return fail(stream, make_rule_failure(what, rule, stream.place->label), error);
}

zz_status blame_caller(const std::string& what, const char* rule, zz_error* error) {
  const StageCall* caller = current_call();
  return tell_caller(
      make_rule_failure(what, rule,
                        caller != nullptr && caller->place != nullptr ? caller->place->label : ""),
      error);
}

zz_status pull(zz_stream* outer, zz_result* out, std::uint32_t capacity, std::uint32_t* count,
               zz_error* error) noexcept {
  if (outer == nullptr || outer->impl == nullptr)
    return blame_caller("pulled from a stream that is closed", "P4", error);
  if (out == nullptr || count == nullptr || capacity == 0)
    return blame_caller("pulled without room for a result", "P1", error);
  auto& stream = *static_cast<GuardedStream*>(outer->impl);
  *count = 0;
  if (stream.failure != nullptr) return tell_caller(stream.failure, error);
  if (stream.ended) return ZZ_OK;
  if (cancel_requested()) return fail(stream, make_failure(ZZ_E_CANCELLED, "interrupted", ""), error);

  StageCall call{stream.place, nullptr};
  zz_error sink;
  std::uint32_t produced = 0;
  zz_status status = ZZ_OK;
  {
    const Entered entered(call);
    status = stream.inner.pull(&stream.inner, out, capacity, &produced, &sink);
  }
  if (status != ZZ_OK) return fail(stream, conclude(call, status, sink), error);
  if (produced > capacity) {
    return garbage(stream, fmt::format("gave {} results where {} were asked for", produced, capacity), "P1",
                   error);
  }
  if (StageCall* caller = current_call(); caller != nullptr && caller->stored != nullptr)
    caller->stored.reset();
  for (std::uint32_t i = 0; stream.context && i < produced; ++i) {
    if (out[i].evaluation == nullptr) continue;
    FailurePointer failure =
        check_handed_on(*stream.place, stream.context.value(), out[i].evaluation->value);
    if (failure == nullptr) continue;
    for (std::uint32_t given = 0; given < produced; ++given) {
      release(out[given].evaluation);
      release(out[given].extra);
      out[given] = {};
    }
    return fail(stream, std::move(failure), error);
  }
  stream.ended = produced == 0;
  stream.place->handed_up.fetch_add(produced, std::memory_order_relaxed);
  *count = produced;
  return ZZ_OK;
}

void close(zz_stream* outer) noexcept {
  if (outer == nullptr || outer->impl == nullptr) return;
  const std::unique_ptr<GuardedStream> stream(static_cast<GuardedStream*>(outer->impl));
  outer->impl = nullptr;
  {
    StageCall call{stream->place, nullptr};
    const Entered entered(call);
    stream->inner.close(&stream->inner);
  }
}

/// Makes what the stage at `at` hands down, with the pipeline's changes. A wrong path is a mistake in the
/// pipeline, as is a value that does not fit.
zz_status apply_changes(const zz_place& at, zz_value* context, Handle& changed, zz_error* error) noexcept {
  zz_error problem;
  try {
    changed = Handle(edited_context(context->value, at.changes));
    return ZZ_OK;
  } catch (...) {
    report_current_exception(&problem);
  }
  return tell_caller(make_failure(ZZ_E_INVALID, problem.message, at.label), error);
}

}  // namespace

zz_status open_place(zz_place& place, zz_value* context, zz_stream* out, zz_error* error) noexcept {
  if (out == nullptr)
    return blame_caller("opened the stage below without room for the stream", "S2", error);
  *out = zz_stream{};
  if (context == nullptr || !is_context(context->value)) {
    return blame_caller("opened the stage below with something that is no context", "S3", error);
  }
  if (cancel_requested()) return tell_caller(make_failure(ZZ_E_CANCELLED, "interrupted", ""), error);

  std::shared_ptr<Instance> instance;
  if (const zz_status status = instance_for(place, context, instance, error); status != ZZ_OK)
    return status;
  if (place.rehearses && !reads_files(place)) return rehearse(*instance, context, out, error);
  auto stream = std::make_unique<GuardedStream>();
  stream->place = &place;
  if (audits(place)) stream->context = Handle::take(retain(context));
  StageCall call{&place, nullptr};
  zz_error sink;
  zz_status status = ZZ_OK;
  {
    const Entered entered(call);
    status = instance->description->open(instance->stage, context, &stream->inner, &sink);
  }
  stream->instance = std::move(instance);
  if (status != ZZ_OK) {
    return tell_caller(conclude(call, status, sink), error);
  }
  if (stream->inner.pull == nullptr || stream->inner.close == nullptr) {
    return tell_caller(
        make_rule_failure("opened a stream without the functions pull and close", "S2", place.label),
        error);
  }
  if (StageCall* caller = current_call(); caller != nullptr && caller->stored != nullptr)
    caller->stored.reset();
  *out = zz_stream{stream.release(), pull, close, nullptr};
  return ZZ_OK;
}

zz_status open_below(zz_place* at, zz_value* context, zz_stream* out, zz_error* error) noexcept {
  if (at == nullptr) return blame_caller("opened the stage below without saying where", "S2", error);
  if (at->below == nullptr) {
    return tell_caller(make_failure(ZZ_E_UNSUPPORTED, "there is no stage below the last one", at->label),
                       error);
  }
  if (context != nullptr && is_context(context->value)) {
    for (const auto& check : {check_declared, check_handed_down}) {
      if (const FailurePointer failure = check(*at, context->value); failure != nullptr)
        return tell_caller(failure, error);
    }
  }
  if (at->changes.empty() || context == nullptr || !is_context(context->value))
    return open_place(*at->below, context, out, error);
  Handle changed;
  if (const zz_status status = apply_changes(*at, context, changed, error); status != ZZ_OK) return status;
  return open_place(*at->below, changed.get(), out, error);
}

}  // namespace zz::host
