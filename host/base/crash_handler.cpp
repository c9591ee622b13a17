#include "host/base/crash_handler.hpp"

#include <csignal>
#include <cstdlib>
#include <cxxabi.h>
#include <exception>
#include <typeinfo>

#include "host/base/last_words.hpp"
#include "host/base/stage_libraries.hpp"

namespace zz::host {

namespace {

constexpr std::size_t stack_size = 64 * 1024;

const char* describe(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "segmentation fault";
    case SIGBUS:
      return "bus error";
    case SIGFPE:
      return "arithmetic fault";
    case SIGILL:
      return "illegal instruction";
    case SIGABRT:
      return "abort";
    default:
      return "crash";
  }
}

void on_crash(int signal) {
  begin_last_words();
  say_from_handler("\nzz-host: error: ");
  say_from_handler(describe(signal));
  say_stage_from_handler();
  say_from_handler("; result files written so far are whole\n");
  end_from_handler(ExitCode::stage_failed, describe(signal));
}

[[noreturn]] void on_terminate() {
  begin_last_words();
  say_from_handler("\nzz-host: error: ");
  const std::type_info* type = abi::__cxa_current_exception_type();
  say_from_handler(type != nullptr ? "an exception escaped" : "terminated");
  say_stage_from_handler();
  if (type != nullptr) {
    try {
      throw;
    } catch (const std::exception& error) {
      say_from_handler(": ");
      say_from_handler(error.what());
    } catch (...) {
      say_from_handler(" (it is no std::exception)");
    }
  }
  say_from_handler(current_breadcrumb != nullptr ? "; no exception may leave a stage, or a thread that it "
                                                   "started: this is a bug in that stage (rule F1 "
                                                   "of docs/abi.md)\n"
                                                 : "\n");
  end_from_handler(ExitCode::stage_failed, "an exception escaped");
}

/// A stage must not end the process: half of the results would pass for all.
void on_exit() {
  find_breadcrumb();
  if (current_breadcrumb == nullptr) return;
  begin_last_words();
  say_from_handler("\nzz-host: error: exit was called");
  say_stage_from_handler();
  say_from_handler("; result files written so far are whole\n");
  end_from_handler(ExitCode::stage_failed, "exit was called");
}

}  // namespace

AlternateStack::AlternateStack() : memory_(new char[stack_size]) {
  stack_t stack{};
  stack.ss_sp = memory_;
  stack.ss_size = stack_size;
  sigaltstack(&stack, nullptr);
}

AlternateStack::~AlternateStack() {
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  delete[] memory_;
}

void install_crash_handler() {
  prepare_stage_of_own_thread();
  static const AlternateStack stack;
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
  std::set_terminate(on_terminate);
  std::atexit(on_exit);
}

}  // namespace zz::host
