#pragma once
#include "host/base/time_spent.hpp"
#include "host/chain/failure.hpp"
#include "zz/stage_abi.h"

namespace zz::host {

/// One call into a plugin: the place of the stage, and the failures within the call so far. It lives on the
/// stack of the guard. The innermost call of a thread is current.
struct StageCall {
  zz_place* place = nullptr;
  FailurePointer stored;  ///< the last failure of a call that the stage made
};

/// The innermost call into a plugin on this thread, or nullptr.
StageCall* current_call();

/// Makes a call current during its own life time, sets the breadcrumb to its place, and charges the time to
/// it.
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

/// Hands a failure unchanged to the stage whose call led to it: through `sink`, which may be NULL, and
/// zz_host.failure(). Returns its code.
zz_status tell_caller(const FailurePointer& failure, zz_error* sink);

/// The failure of a call into a stage, from the stage's message and the failures that the stage got.
FailurePointer conclude(const StageCall& call, zz_status status, const zz_error& sink);

}  // namespace zz::host
