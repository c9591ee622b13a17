#pragma once
#include <csignal>

#include "host/base/run.hpp"

namespace zz::python {

/// While it lives, Ctrl-C asks the run to end; so it does the runs around it, when a stage in Python runs a
/// pipeline. Only the main thread of Python has it, and only where Python handles the signal at all.
/// Python's own handler stays in charge of what happens then: see `interrupted`.
class Interruptible {
 public:
  explicit Interruptible(host::Run& run);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  /// Ends it. The outermost puts the former handler back; true when the signal came: then it is raised
  /// again for Python's handler, and PyErr_CheckSignals() says what that made of it.
  bool interrupted();

 private:
  static void on_interrupt(int);
  bool handle_signal();

  host::Run& run_;
  Interruptible* outer_ = nullptr;
  bool at_work_ = false;
  struct sigaction before_ {};
};

}  // namespace zz::python
