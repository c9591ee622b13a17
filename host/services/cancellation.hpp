#pragma once
#include <csignal>

namespace zz::host {

/// True once the user has asked the run to stop. One relaxed load. [any]
bool cancel_requested();

/// Does what the first signal does; for tests. [any]
void request_cancel();
void reset_cancel();

/// The signals that end a run.
inline constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ};

/// Threads that are started in its life time never handle these signals: they belong to the thread that
/// runs the pipeline.
class SignalsBlocked {
 public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

/// From now on the first of these signals asks the run to stop after the current evaluation. A run that has
/// not ended a second and a half later is ended, and so is one that gets a second signal; both say in which
/// stage. A run under nohup goes on when its terminal is closed.
void install_interrupt_handler();

}  // namespace zz::host
