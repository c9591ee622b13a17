#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/value/value.hpp"
#include "zz/stage_abi.h"

/// The host's side of the opaque zz_value of the ABI: a counted box around a core value. Immutable but for
/// the count, which is atomic.
struct zz_value {
  std::atomic<std::uint32_t> references{1};
  zz::core::Value value;

  explicit zz_value(zz::core::Value content) : value(std::move(content)) {
    live.fetch_add(1, std::memory_order_relaxed);
  }
  ~zz_value() { live.fetch_sub(1, std::memory_order_relaxed); }
  zz_value(const zz_value&) = delete;
  zz_value& operator=(const zz_value&) = delete;

  /// Number of handles. After a run: those that stages forgot (rule O2).
  static inline std::atomic<std::int64_t> live{0};
};

namespace zz::host {

/// A new handle with one reference, which the caller owns. Throws std::bad_alloc only.
inline zz_value* new_handle(core::Value value) { return new zz_value(std::move(value)); }

/// The value behind a handle; null for a null handle.
inline core::Value value_of(const zz_value* handle) { return handle ? handle->value : core::Value(); }

inline zz_value* retain(zz_value* handle) noexcept {
  if (handle) handle->references.fetch_add(1, std::memory_order_relaxed);
  return handle;
}
inline void release(zz_value* handle) noexcept {
  if (handle && handle->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete handle;
}

/// Owns one reference to a handle.
class Handle {
 public:
  Handle() = default;
  explicit Handle(core::Value value) : handle_(new_handle(std::move(value))) {}
  static Handle take(zz_value* given) noexcept {
    Handle handle;
    handle.handle_ = given;
    return handle;
  }
  Handle(const Handle& other) noexcept : handle_(retain(other.handle_)) {}
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Handle() { host::release(handle_); }

  zz_value* get() const noexcept { return handle_; }
  zz_value* give() noexcept { return std::exchange(handle_, nullptr); }
  core::Value value() const { return value_of(handle_); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

 private:
  zz_value* handle_ = nullptr;
};

/// A borrowed look as the ABI and as core know it; the bits are the same.
inline zz_ref to_abi(core::Ref ref) noexcept { return {ref.word, ref.type}; }
inline core::Ref from_abi(zz_ref ref) noexcept {
  return {ref.word, static_cast<const core::Type*>(ref.type)};
}

}  // namespace zz::host

/// A failing call leaves its message here: the host's side of the opaque zz_error of the ABI. One call
/// writes it, the caller reads it; not shared between threads.
struct zz_error {
  zz_status code = ZZ_OK;
  std::string message;
  /// {code, message, stage, cause} when the failure was handed on as a value (zz_host.fail_as), else null.
  zz::core::Value failure;
};

namespace zz::host {

/// Is called for every failure of a function of zz_values and zz_evaluations, on the thread of the call,
/// also when the caller passed no sink. `problems` is what the message says of files.
/// The guard of the chain sets it once, before plugins load.
using FailureObserver = void (*)(zz_status code, const std::string& message,
                                 const std::vector<core::Diagnostic>& problems) noexcept;
void observe_failures(FailureObserver observer);

/// Fills `error` (which may be null), calls the observer, and returns `code`.
zz_status report(zz_error* error, zz_status code, std::string message,
                 const std::vector<core::Diagnostic>& problems = {}) noexcept;

/// Inside a catch block: reports the current exception with the status of its type
/// (core::InputError and core::ValueError by their problem, core::NoResult, else ZZ_E_INTERNAL).
zz_status report_current_exception(zz_error* error) noexcept;

}  // namespace zz::host
