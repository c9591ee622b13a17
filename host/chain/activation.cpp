#include "host/chain/activation.hpp"

#include "host/chain/place.hpp"
#include "host/services/breadcrumb.hpp"
#include "host/values/error_sink.hpp"

namespace zz::host {
namespace {

thread_local Activation* innermost = nullptr;

}  // namespace

Activation* current_activation() { return innermost; }

Entered::Entered(Activation& activation)
    : before_(innermost),
      breadcrumb_before_(current_breadcrumb),
      charge_(activation.place != nullptr ? activation.place->time : nullptr) {
  innermost = &activation;
  current_breadcrumb = activation.place != nullptr ? activation.place->label.c_str() : nullptr;
}

Entered::~Entered() {
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

FailurePointer conclude(const Activation& activation, zz_status status, const zz_error& sink) {
  // Handed on word for word: whoever said it first keeps the credit.
  if (FailurePointer as_given = from_value(sink.failure); as_given != nullptr) return as_given;
  const std::string& label = activation.place->label;
  if (!sink.message.empty()) {
    FailurePointer cause = activation.stored;
    if (cause != nullptr && cause->message == sink.message) {
      if (cause->stage == label) return cause;
      cause = cause->cause;
    } else if (cause != nullptr && cause->stage == label &&
               sink.message.find(cause->message) != std::string::npos) {
      cause = cause->cause;  // it quotes what it was told
    }
    return make_failure(status, sink.message, label, std::move(cause));
  }
  if (activation.stored != nullptr) return activation.stored;
  return make_failure(
      status, "failed without saying why: this is a bug in that stage (rule F2 of docs/abi.md)", label);
}

}  // namespace zz::host
