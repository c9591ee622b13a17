#include "host/services/cancellation.hpp"

#include <atomic>
#include <csignal>
#include <unistd.h>

#include "host/command_line/exit_code.hpp"
#include "host/services/breadcrumb.hpp"

namespace zz::host {
namespace {

std::atomic<bool> requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);

/// How long a stage may take to notice.
constexpr unsigned patience_in_seconds = 3;

void on_interrupt(int) {
  if (!requested.exchange(true, std::memory_order_relaxed)) {
    alarm(patience_in_seconds);
    return;
  }
  say_from_handler("\nzz-host: ended at once");
  say_stage_from_handler();
  say_from_handler("; result files written so far are whole\n");
  _exit(static_cast<int>(ExitCode::interrupted));
}

void on_alarm(int) {
  say_from_handler("\nzz-host: still waiting");
  say_stage_from_handler();
  if (current_breadcrumb != nullptr) {
    say_from_handler(", which does not ask whether it should stop (rule P5 of docs/abi.md)");
  }
  say_from_handler("; interrupt again to end at once\n");
}

}  // namespace

bool cancel_requested() { return requested.load(std::memory_order_relaxed); }
void request_cancel() { requested.store(true, std::memory_order_relaxed); }
void reset_cancel() { requested.store(false, std::memory_order_relaxed); }

void install_interrupt_handler() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, nullptr);
}

}  // namespace zz::host
