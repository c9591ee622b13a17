#pragma once
#include <csignal>

#include "host/services/run.hpp"

namespace zz::python {

/// While it lives, Ctrl-C asks the run to end. Only the main thread of Python has it, and only where Python
/// handles the signal at all. Python's own handler stays in charge of what happens then: see `interrupted`.
class Interruptible {
 public:
  explicit Interruptible(host::Run& run);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  /// Puts the former handler back. True when the signal came: then it is raised again for Python's handler,
  /// and PyErr_CheckSignals() says what that made of it.
  bool interrupted();

 private:
  bool installed_ = false;
  struct sigaction before_ {};
};

}  // namespace zz::python
