#pragma once
#include <atomic>
#include <stdexcept>

namespace zz::core {

/// Thrown by long computations once the run is to end.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// Whether the run is to end. The host sets it, also from handlers of signals; long loops look at it. [any]
extern std::atomic<bool> interruption_requested;

/// For loops that may run for seconds: throws Interrupted once the run is to end. One relaxed load.
inline void end_if_interrupted() {
  if (interruption_requested.load(std::memory_order_relaxed)) throw Interrupted();
}

}  // namespace zz::core
