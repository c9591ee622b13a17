#pragma once
#include "host/chain/failure.hpp"
#include "host/services/time_spent.hpp"
#include "zz/stage_abi.h"

namespace zz::host {

/// One call into a plugin: on whose behalf it runs, and what failed within it so far. Lives on the
/// stack of the guard; the thread's innermost one is current.
struct StageCall {
  zz_place* place = nullptr;
  FailurePointer stored;  ///< the last failure of a call that the stage made
};

/// The innermost call into a plugin on this thread, or nullptr.
StageCall* current_call();

/// Makes a call current for its own life time, leaves the breadcrumb of its place, and charges it
/// with the time.
class Entered {
 public:
  explicit Entered(StageCall& call);
  ~Entered();
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  StageCall* before_;
  const char* breadcrumb_before_;
  Charge charge_;
};

/// Writes a failure of something that a stage called into the caller's sink, word for word, and keeps it
/// for zz_host.failure(). Returns its code. `sink` may be NULL.
zz_status tell_caller(const FailurePointer& failure, zz_error* sink);

/// The failure of a call into a stage, from the words of the stage and the failures that it was told.
FailurePointer conclude(const StageCall& call, zz_status status, const zz_error& sink);

}  // namespace zz::host
