#include "host/serve/wake_up.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <sys/eventfd.h>
#include <unistd.h>

namespace zz::host {
namespace {

std::atomic<int> event_file{-1};
std::atomic<int> signals_seen{0};
static_assert(std::atomic<int>::is_always_lock_free);

constexpr int served_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

void on_signal_while_serving(int) {
  const int before = errno;
  signals_seen.fetch_add(1, std::memory_order_relaxed);
  WakeUp::notify();
  errno = before;
}

}  // namespace

WakeUp::WakeUp() {
  event_file = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct sigaction action {};
  action.sa_handler = on_signal_while_serving;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : served_signals) sigaction(signal, &action, nullptr);
}

WakeUp::~WakeUp() {
  for (const int signal : served_signals) std::signal(signal, SIG_DFL);
  ::close(event_file.exchange(-1));
}

int WakeUp::file() const { return event_file; }

void WakeUp::notify() noexcept {
  const std::uint64_t one = 1;
  const auto ignored = ::write(event_file.load(std::memory_order_relaxed), &one, sizeof one);
  static_cast<void>(ignored);
}

void WakeUp::clear() {
  std::uint64_t count = 0;
  const auto ignored = ::read(event_file, &count, sizeof count);
  static_cast<void>(ignored);
}

int WakeUp::signals() const { return signals_seen.load(std::memory_order_relaxed); }

}  // namespace zz::host
