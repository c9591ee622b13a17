#include <fmt/format.h>
#include <vector>

#include "host/chain/activation.hpp"
#include "host/chain/place.hpp"
#include "host/services/cancellation.hpp"
#include "host/values/context.hpp"
#include "host/values/error_sink.hpp"
#include "host/values/handle.hpp"

/// The guard: a stream of the host's around every stream of a stage. It keeps the contract on both sides,
/// so that what one stage does wrong is never another one's crash, and knows who is to be named.
namespace zz::host {
namespace {

struct GuardedStream {
  zz_place* place = nullptr;
  std::shared_ptr<Instance> instance;  ///< declared before `inner` is closed, released after
  zz_stream inner{};
  bool ended = false;
  FailurePointer failure;  ///< once failed, every further call says the same
};

/// Streams are opened once per candidate: their frames are used again rather than allocated.
struct FreeStreams {
  std::vector<GuardedStream*> frames;
  ~FreeStreams() {
    for (GuardedStream* frame : frames) delete frame;
  }
};
thread_local FreeStreams free_streams;

GuardedStream* take_frame() {
  if (free_streams.frames.empty()) return new GuardedStream;
  GuardedStream* frame = free_streams.frames.back();
  free_streams.frames.pop_back();
  return frame;
}

void give_back(GuardedStream* frame) {
  frame->instance.reset();
  frame->failure.reset();
  frame->ended = false;
  if (free_streams.frames.size() < 64) {
    free_streams.frames.push_back(frame);
  } else {
    delete frame;
  }
}

zz_status fail(GuardedStream& stream, FailurePointer failure, zz_error* error) {
  stream.failure = std::move(failure);
  return tell_caller(stream.failure, error);
}

zz_status garbage(GuardedStream& stream, const std::string& what, const char* rule, zz_error* error) {
  return fail(stream, make_rule_failure(what, rule, stream.place->label), error);
}

zz_status blame_caller(const std::string& what, const char* rule, zz_error* error) {
  const Activation* caller = current_activation();
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

  Activation activation{stream.place, nullptr};
  zz_error sink;
  std::uint32_t produced = 0;
  zz_status status = ZZ_OK;
  {
    const Entered entered(activation);
    status = stream.inner.pull(&stream.inner, out, capacity, &produced, &sink);
  }
  if (status != ZZ_OK) {
    if (status < ZZ_OK || status > ZZ_E_INTERNAL) {
      return garbage(stream, fmt::format("answered with the status {}, which does not exist", status), "F3",
                     error);
    }
    return fail(stream, conclude(activation, status, sink), error);
  }
  if (produced > capacity) {
    return garbage(stream, fmt::format("gave {} results where {} were asked for", produced, capacity), "P1",
                   error);
  }
  if (Activation* caller = current_activation(); caller != nullptr && caller->stored != nullptr)
    caller->stored.reset();
  stream.ended = produced == 0;
  *count = produced;
  return ZZ_OK;
}

void close(zz_stream* outer) noexcept {
  if (outer == nullptr || outer->impl == nullptr) return;
  auto* stream = static_cast<GuardedStream*>(outer->impl);
  outer->impl = nullptr;
  {
    Activation activation{stream->place, nullptr};
    const Entered entered(activation);
    stream->inner.close(&stream->inner);
  }
  give_back(stream);
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
  GuardedStream* stream = take_frame();
  stream->place = &place;
  stream->inner = zz_stream{};
  Activation activation{&place, nullptr};
  zz_error sink;
  zz_status status = ZZ_OK;
  {
    const Entered entered(activation);
    status = instance->description->open(instance->stage, context, &stream->inner, &sink);
  }
  stream->instance = std::move(instance);
  if (status != ZZ_OK) {
    give_back(stream);
    return tell_caller(conclude(activation, status, sink), error);
  }
  if (stream->inner.pull == nullptr || stream->inner.close == nullptr) {
    give_back(stream);
    return tell_caller(
        make_rule_failure("opened a stream without the functions pull and close", "S2", place.label),
        error);
  }
  if (Activation* caller = current_activation(); caller != nullptr && caller->stored != nullptr)
    caller->stored.reset();
  *out = zz_stream{stream, pull, close, nullptr};
  return ZZ_OK;
}

zz_status open_below(zz_place* at, zz_value* context, zz_stream* out, zz_error* error) noexcept {
  if (at == nullptr) return blame_caller("opened the stage below without saying where", "S2", error);
  if (at->below == nullptr) {
    return tell_caller(make_failure(ZZ_E_UNSUPPORTED, "there is no stage below the last one", at->label),
                       error);
  }
  return open_place(*at->below, context, out, error);
}

}  // namespace zz::host
