#include "host/chain/stage_call.hpp"

#include <fmt/format.h>

#include "host/base/last_words.hpp"
#include "host/base/process_guard.hpp"
#include "host/chain/place.hpp"
#include "host/values/handles.hpp"

namespace zz::host {
namespace {

thread_local StageCall* innermost = nullptr;

}  // namespace

StageCall* current_call() { return innermost; }

Entered::Entered(StageCall& call)
    : before_(innermost),
      breadcrumb_before_(current_breadcrumb),
      charge_(call.place != nullptr ? call.place->time : nullptr) {
  end_file_mask_of_plugin();
  innermost = &call;
  current_breadcrumb = call.place != nullptr ? call.place->label.c_str() : nullptr;
}

Entered::~Entered() {
  end_file_mask_of_plugin();
  innermost = before_;
  current_breadcrumb = breadcrumb_before_;
}

zz_status tell_caller(const FailurePointer& failure, zz_error* sink) {
  if (innermost != nullptr) innermost->stored = failure;
  if (sink != nullptr) {
    sink->code = failure->code;
    sink->message = failure->message;
    sink->failure = to_value(failure);
  }
  return failure->code;
}

FailurePointer conclude(const StageCall& call, zz_status status, const zz_error& sink) {
  if (status < ZZ_OK || status > ZZ_E_INTERNAL)
    return make_rule_failure(fmt::format("answered with the status {}, which does not exist", status), "F3",
                             call.place->label);
  // Handed on unchanged: it names the stage that failed first.
  const std::string& label = call.place->label;
  if (FailurePointer as_given = from_value(sink.failure); as_given != nullptr) {
    if (!as_given->stage.empty()) return as_given;
    // The stage made it, to tell more than its text.
    Failure own = *as_given;
    own.stage = label;
    return std::make_shared<const Failure>(std::move(own));
  }
  if (!sink.message.empty()) {
    FailurePointer cause = call.stored;
    if (cause != nullptr && cause->message == sink.message) {
      if (cause->stage == label) return cause;
      cause = cause->cause;
    } else if (cause != nullptr && cause->stage == label &&
               sink.message.find(cause->message) != std::string::npos) {
      cause = cause->cause;  // it quotes what it was told
    }
    return make_failure(status, sink.message, label, std::move(cause));
  }
  if (call.stored != nullptr) return call.stored;
  return make_failure(
      status, "failed without saying why: this is a bug in that stage (rule F2 of docs/abi.md)", label);
}

}  // namespace zz::host
