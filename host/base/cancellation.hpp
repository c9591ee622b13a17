#pragma once
#include <csignal>

namespace zz::host {

/// True once the current run has been asked to stop, or the deadline of this thread is over. [any]
bool cancel_requested();

/// Asks it to stop, as the first signal does. [any]
void request_cancel();
void reset_cancel();

/// For a search that hands on what it has found: the run goes on, until it is asked to stop again. It stays
/// an interrupted run. [any]
void take_interruption() noexcept;

/// True once the current run has been asked to stop, also after take_interruption(). [any]
bool was_interrupted() noexcept;

/// The signals that end a run.
inline constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ};

/// Threads started during its life time do not handle these signals. Only the thread that runs the pipeline
/// does.
class SignalsBlocked {
 public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

/// Handles these signals from now on, for the current run, which lasts as long as the process. The first
/// one asks the run to stop after the current evaluation. 1.5 seconds later, or at a second signal, the
/// process ends with a message that names the stage; later on a machine so busy that the run could not
/// compute for half of that time. A run under nohup continues when its terminal closes.
void install_interrupt_handler();

}  // namespace zz::host
