#include "host/services/cancellation.hpp"

#include <atomic>
#include <csignal>
#include <unistd.h>

#include "host/command_line/exit_code.hpp"

namespace zz::host {
namespace {

std::atomic<bool> requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_interrupt(int) {
  if (requested.exchange(true, std::memory_order_relaxed)) _exit(static_cast<int>(ExitCode::interrupted));
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
}

}  // namespace zz::host
