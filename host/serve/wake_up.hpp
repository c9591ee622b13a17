#pragma once

namespace zz::host {

/// A file descriptor that becomes readable when there is something to look after: a signal that ends the
/// process, or what another thread has called notify() for. One at a time in a process.
class WakeUp {
 public:
  WakeUp();  ///< handles the signals that end a run from now on
  ~WakeUp();
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  int file() const;
  static void notify() noexcept;  ///< [any], also from handlers of signals
  void clear();
  /// How many signals have come.
  int signals() const;
};

}  // namespace zz::host
