#include "tools/check_plugin/machine_state.hpp"

#include <cfenv>
#include <chrono>
#include <clocale>
#include <cstring>
#include <filesystem>
#include <thread>
#include <unistd.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace zz::host {
namespace {

constexpr int signal_count = 32;  // those without a name of their own beyond are of the C library

#if defined(__x86_64__)
constexpr std::uint32_t exception_flags = 0x3f;
std::uint32_t control_word() { return _mm_getcsr() & ~exception_flags; }
void set_control_word(std::uint32_t control) { _mm_setcsr(control); }
#else
std::uint32_t control_word() { return 0; }
void set_control_word(std::uint32_t) {}
#endif

bool same_handler(const struct sigaction& a, const struct sigaction& b) {
  return a.sa_handler == b.sa_handler;
}

bool same_set(const sigset_t& a, const sigset_t& b) {
  for (int signal = 1; signal < signal_count; ++signal) {
    if (sigismember(&a, signal) != sigismember(&b, signal)) return false;
  }
  return true;
}

}  // namespace

MachineState MachineState::now() {
  MachineState state;
  state.rounding_ = std::fegetround();
  state.control_ = control_word();
  if (const char* locale = std::setlocale(LC_ALL, nullptr)) state.locale_ = locale;
  std::error_code error;
  state.folder_ = std::filesystem::current_path(error).string();
  state.handlers_.resize(signal_count);
  for (int signal = 1; signal < signal_count; ++signal)
    sigaction(signal, nullptr, &state.handlers_[static_cast<std::size_t>(signal)]);
  pthread_sigmask(SIG_SETMASK, nullptr, &state.blocked_);
  return state;
}

std::string MachineState::changed_in(const MachineState& later) const {
  if (rounding_ != later.rounding_) return "the rounding mode";
  if (control_ != later.control_) return "how the processor treats tiny numbers (flush-to-zero)";
  if (locale_ != later.locale_) return "the locale, now " + later.locale_;
  if (folder_ != later.folder_) return "the working folder";
  if (!same_set(blocked_, later.blocked_)) return "which signals are blocked";
  for (std::size_t signal = 1; signal < handlers_.size(); ++signal) {
    if (!same_handler(handlers_[signal], later.handlers_[signal]))
      return std::string("the handler of the signal ") + sigabbrev_np(static_cast<int>(signal));
  }
  return "";
}

void MachineState::restore() const {
  std::fesetround(rounding_);
  set_control_word(control_);
  std::setlocale(LC_ALL, locale_.c_str());
  std::error_code error;
  std::filesystem::current_path(folder_, error);
  for (int signal = 1; signal < signal_count; ++signal)
    sigaction(signal, &handlers_[static_cast<std::size_t>(signal)], nullptr);
  pthread_sigmask(SIG_SETMASK, &blocked_, nullptr);
}

int thread_count() {
  std::error_code error;
  int count = 0;
  for (auto entry = std::filesystem::directory_iterator("/proc/self/task", error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    ++count;
  return count;
}

bool threads_were_added(int before) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    if (thread_count() <= before) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace zz::host
