#include "host/serve/line_streams.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

#include "host/base/standard_output.hpp"

namespace zz::host {

bool LineInput::fill() {
  char bytes[65536];
  ssize_t size = 0;
  do {
    size = ::read(file_, bytes, sizeof bytes);
  } while (size < 0 && errno == EINTR);
  if (size <= 0) {
    ended_ = true;
    return false;
  }
  waiting_.append(bytes, static_cast<std::size_t>(size));
  return true;
}

LineInput::Next LineInput::next(std::string& line) {
  const auto end = waiting_.find('\n', searched_);
  if (end == std::string::npos && !ended_) {
    searched_ = waiting_.size();
    if (searched_ <= most_line_bytes) return Next::none;
    too_long_ = true;
    waiting_.clear();
    waiting_.shrink_to_fit();
    searched_ = 0;
    return Next::none;
  }
  if (end == std::string::npos && waiting_.empty() && !too_long_) return Next::none;
  line = waiting_.substr(0, end);
  waiting_.erase(0, end == std::string::npos ? end : end + 1);
  searched_ = 0;
  const bool skipped = std::exchange(too_long_, false) || line.size() > most_line_bytes;
  return skipped ? Next::too_long : Next::line;
}

Outlet::Outlet() {
  std::signal(SIGPIPE, SIG_IGN);
  keep_standard_output_aside();
  std::fflush(standard_output());
  file_ = ::fileno(standard_output());
}

void Outlet::send(const Json& message) {
  const std::string line = line_of(message);
  const std::lock_guard lock(mutex_);
  for (std::size_t written = 0; written < line.size() && !broken_;) {
    const ssize_t size = ::write(file_, line.data() + written, line.size() - written);
    if (size > 0) written += static_cast<std::size_t>(size);
    if (size < 0 && errno != EINTR) {
      error_ = errno;
      broken_ = true;
    }
  }
}

std::string Outlet::why_broken() const { return std::strerror(error_); }

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
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow fails its request
}

WakeUp::~WakeUp() {
  for (const int signal : served_signals) std::signal(signal, SIG_DFL);
  std::signal(SIGXFSZ, SIG_DFL);
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
