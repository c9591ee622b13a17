// zz/error.hpp - failures. A stage may throw Error anywhere. The SDK catches it at the entry point and
// hands code and text to the host, which adds stage, plugin and place. Any other std::exception counts as
// ZZ_E_INTERNAL. Codes, with the exit status of the run: ZZ_E_INVALID for wrong input (2), ZZ_E_NO_RESULT
// when a search found nothing (4), ZZ_E_CANCELLED (130); all others are failures (1).
//
// Calls of the chain below throw Below. When the stage does not catch it, it reaches the user unchanged,
// with the stage that failed. A stage that explores points may catch it, record `failure` (a value) and go
// on: ZZ_E_INVALID and ZZ_E_NO_RESULT then concern that point only.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "zz/value.hpp"

#pragma GCC visibility push(hidden)
namespace zz {

class Error : public std::exception {
 public:
  Error(zz_status code, std::string text, Value failure = {})
      : code(code), failure(std::move(failure)), text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

  zz_status code;
  // {code, message, stage, cause} where the host knows it, else null. A reader of files may give {code,
  // message, problems} itself: problems is a list of {message, hint, file, line, column}, each without what
  // is not known, which programs get from `--format=json`. A search that did not look at everything gives
  // {code, message, not_found}, where the code is ZZ_E_NO_RESULT: its failure proves nothing.
  Value failure;

 private:
  std::string text_;
};

class Below : public Error {
 public:
  using Error::Error;
};

// For plugins whose libraries throw other types: the status of such an exception, or ZZ_OK for unknown
// ones. Set it in a static initialiser.
inline zz_status (*status_of_exception)(const std::exception&) noexcept = nullptr;
// The same for exceptions that know more than their text: Error::failure of such an exception, or null.
inline Value (*failure_of_exception)(const std::exception&) noexcept = nullptr;

namespace detail {

template <class Thrown>
[[noreturn]] void throw_last_failure(zz_status code, const char* otherwise) {
  Value failure = Value::take(runtime.host->failure());
  if (!failure) throw Thrown(code, otherwise);
  std::string text(failure["message"_n].str(otherwise));
  if (code == ZZ_OK) {
    int64_t stored = ZZ_E_INTERNAL;
    values().i64(failure["code"_n].raw(), &stored);
    code = static_cast<zz_status>(stored);
  }
  throw Thrown(code, std::move(text), std::move(failure));
}

[[noreturn, gnu::cold]] inline void throw_unreadable(zz_ref part, int32_t wanted) {
  const zz_status code = values().explain(part, wanted, sink());
  throw_last_failure<Error>(code, code == ZZ_E_MISSING ? "a part that is needed is missing"
                                                       : "a part has another type than needed");
}

[[noreturn, gnu::cold]] inline void throw_failed_call() {
  throw_last_failure<Error>(ZZ_OK, "a call into the host failed");
}

// A failure on its way to the host: code and text, never the exception object itself. An exception_ptr
// would be lost between two C++ runtimes in one process.
class Failure {
 public:
  explicit operator bool() const { return code_ != ZZ_OK; }

  // Only inside a catch block.
  void capture() noexcept {
    try {
      throw;
    } catch (const Below& e) {
      store(e.code, e.what(), e.failure);
      below_ = true;
    } catch (const Error& e) {
      store(e.code, e.what(), e.failure);
    } catch (const std::bad_alloc&) {
      store(ZZ_E_INTERNAL, "out of memory", {});
    } catch (const std::exception& e) {
      const zz_status code = status_of_exception ? status_of_exception(e) : ZZ_OK;
      store(code == ZZ_OK ? ZZ_E_INTERNAL : code, e.what(),
            failure_of_exception ? failure_of_exception(e) : Value());
    } catch (...) {
      store(ZZ_E_INTERNAL, "something was thrown that is not a std::exception", {});
    }
  }

  zz_status tell(zz_error* err) const noexcept {
    if (failure_)
      runtime.host->fail_as(err, failure_.handle());
    else if (text_.empty())
      runtime.host->fail(err, code_, "out of memory", 13);
    else
      runtime.host->fail(err, code_, text_.data(), text_.size());
    return code_;
  }

  [[noreturn]] void rethrow() const {
    if (below_) throw Below(code_, text_, failure_);
    throw Error(code_, text_, failure_);
  }

 private:
  void store(zz_status code, const char* text, const Value& failure) noexcept {
    code_ = code == ZZ_OK ? ZZ_E_INTERNAL : code;
    failure_ = failure;
    try {
      text_ = *text ? text : "no reason given";
    } catch (...) {
      text_.clear();
    }
  }

  zz_status code_ = ZZ_OK;
  bool below_ = false;
  std::string text_;
  Value failure_;
};

// Runs `body` at an entry point. Puts what it throws into err and returns the status.
template <class Body>
zz_status guarded(zz_error* err, Body&& body) noexcept {
  const SinkScope scope(err);
  Failure failure;
  try {
    body();
    return ZZ_OK;
  } catch (...) {
    failure.capture();
  }
  return failure.tell(err);
}

}  // namespace detail
}  // namespace zz
#pragma GCC visibility pop
