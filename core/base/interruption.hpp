#pragma once
#include <atomic>
#include <chrono>
#include <stdexcept>

namespace zz::core {

/// Thrown by long computations once they are to end.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// The end of a thread's work before it is done: the run is to end, or a deadline is over. Both end it in
/// the same places.
struct Interruption {
  using Clock = std::chrono::steady_clock;

  const std::atomic<bool>* run = nullptr;  ///< set when the run is to end; nullptr: nothing can end it
  Clock::time_point until = Clock::time_point::max();

  bool of_run() const { return run != nullptr && run->load(std::memory_order_relaxed); }
  bool requested() const {
    return of_run() || (until != Clock::time_point::max() && Clock::now() >= until);
  }
};

/// That of this thread. The host points each thread at the flag of its run, which handlers of signals set
/// too, and gives the threads of a loop what its caller has.
extern constinit thread_local Interruption interruption;

/// True if this thread is to end its work: two relaxed loads, and the clock where there is a deadline.
/// [any]
inline bool interruption_requested() { return interruption.requested(); }

/// For loops that may run for seconds: throws Interrupted once the work is to end.
inline void end_if_interrupted() {
  if (interruption_requested()) throw Interrupted();
}

/// The thread has this interruption during the life time of the object.
class InterruptedBy {
 public:
  explicit InterruptedBy(const Interruption& now) : before_(interruption) { interruption = now; }
  ~InterruptedBy() { interruption = before_; }
  InterruptedBy(const InterruptedBy&) = delete;
  InterruptedBy& operator=(const InterruptedBy&) = delete;

 private:
  Interruption before_;
};

/// All that the thread does during the life time of the object, in all stages below and on all threads of
/// its loops, is interrupted so many seconds of wall-clock time from now, or sooner by a deadline around
/// it.
class Deadline {
 public:
  explicit Deadline(double seconds);
  /// True if the time is over, and not the run interrupted.
  bool is_over() const { return !interruption.of_run() && Interruption::Clock::now() >= own_; }

 private:
  Interruption::Clock::time_point own_;
  InterruptedBy within_;
};

/// Seconds that a search may still take, when its time is over, for what it is doing: mostly a schedule
/// that is nearly made.
inline constexpr double seconds_of_grace = 0.25;

}  // namespace zz::core
