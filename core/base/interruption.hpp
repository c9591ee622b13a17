#pragma once
#include <atomic>
#include <stdexcept>

namespace zz::core {

/// Thrown by long computations once the run is to end.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// Set when the run that this thread works for is to end; nullptr when nothing can end it. The host points
/// each thread at the flag of its run, and sets that also from handlers of signals.
extern constinit thread_local const std::atomic<bool>* interruption;

/// Whether the run of this thread is to end. Two relaxed loads. [any]
inline bool interruption_requested() {
  const std::atomic<bool>* const flag = interruption;
  return flag != nullptr && flag->load(std::memory_order_relaxed);
}

/// For loops that may run for seconds: throws Interrupted once the run is to end.
inline void end_if_interrupted() {
  if (interruption_requested()) throw Interrupted();
}

}  // namespace zz::core
