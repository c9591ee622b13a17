#include "host/base/cancellation.hpp"

#include <atomic>
#include <csignal>
#include <ctime>
#include <sys/time.h>
#include <unistd.h>

#include "core/base/interruption.hpp"
#include "host/base/last_words.hpp"
#include "host/base/run.hpp"

namespace zz::host {
namespace {

/// The flag of the run that signals end; nullptr before install_interrupt_handler().
std::atomic<std::atomic<bool>*> requested{nullptr};

/// Time that the run may take to stop and to write its results, and time on a processor in any case: on a
/// busy machine a run that is given little of it goes on, and is looked at in each further pause.
constexpr timeval grace{1, 500'000}, pause{0, 250'000};
constexpr double enough_to_stop = 0.75;
/// Less processor time in a pause is that of a run which waits for something else.
constexpr double least_progress = 0.005;

/// Processor time of the process, in seconds: when it was asked to stop, and at the latest look.
std::atomic<double> computed_when_asked{0}, computed{0};
static_assert(std::atomic<double>::is_always_lock_free);

double processor_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void look_after(const timeval& time) {
  const itimerval once{{0, 0}, time};
  setitimer(ITIMER_REAL, &once, nullptr);
}

[[noreturn]] void end_at_once() {
  say_from_handler("; result files written so far are whole\n");
  end_from_handler(ExitCode::interrupted, "interrupted");
}

void on_signal(int signal, siginfo_t* info, void*) {
  // A file grew beyond the limit of the shell: the write fails, and the stage says which.
  if (signal == SIGXFSZ && info->si_pid == getpid()) return;
  if (!requested.load()->exchange(true, std::memory_order_relaxed)) {
    computed_when_asked = computed = processor_time();
    look_after(grace);
    return;
  }
  say_from_handler("\nzz-host: ended at once");
  say_stage_from_handler();
  end_at_once();
}

void on_alarm(int, siginfo_t*, void*) {
  const double now = processor_time();
  if (now - computed_when_asked < enough_to_stop && now - computed.exchange(now) >= least_progress) {
    look_after(pause);
    return;
  }
  say_from_handler("\nzz-host: interrupted, and ended");
  say_stage_from_handler();
  if (current_breadcrumb != nullptr)
    say_from_handler(", which did not stop when it was asked to (rule P5 of docs/abi.md)");
  end_at_once();
}

void handle(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

/// True after "nohup zz-host ...".
bool outlives_terminal() {
  struct sigaction action {};
  return sigaction(SIGHUP, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

bool cancel_requested() {
  return current_run().cancelled.load(std::memory_order_relaxed) || core::interruption_requested();
}
void request_cancel() { current_run().cancelled.store(true, std::memory_order_relaxed); }
void reset_cancel() { current_run().cancelled.store(false, std::memory_order_relaxed); }

void take_interruption() noexcept {
  // The timer of a program around the run is none of the host's business.
  if (requested.load() == &current_run().cancelled) {
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
  }
  current_run().cut_short = true;
  reset_cancel();
}

bool was_interrupted() noexcept {
  const Run& run = current_run();
  return run.cancelled.load(std::memory_order_relaxed) || run.cut_short;
}

SignalsBlocked::SignalsBlocked() {
  sigset_t all;
  sigemptyset(&all);
  sigaddset(&all, SIGALRM);
  for (const int signal : ending_signals) sigaddset(&all, signal);
  pthread_sigmask(SIG_BLOCK, &all, &before_);
}

SignalsBlocked::~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void install_interrupt_handler() {
  requested = &current_run().cancelled;
  for (const int signal : ending_signals) {
    if (signal != SIGHUP || !outlives_terminal()) handle(signal, on_signal);
  }
  handle(SIGALRM, on_alarm);
}

}  // namespace zz::host
