#include "interrupt.hpp"

#include <Python.h>
#include <atomic>
#include <unistd.h>

namespace zz::python {
namespace {

std::atomic<host::Run*> interruptible{nullptr};
volatile std::sig_atomic_t signalled = 0;

void on_interrupt(int) {
  signalled = 1;
  if (host::Run* const run = interruptible.load()) run->cancelled.store(true);
}

/// Signals of Python's programs go to the thread that the process began with.
bool on_main_thread() { return ::gettid() == ::getpid(); }

}  // namespace

Interruptible::Interruptible(host::Run& run) {
  if (!on_main_thread() || interruptible.load() != nullptr) return;
  struct sigaction ours {};
  ours.sa_handler = on_interrupt;
  sigemptyset(&ours.sa_mask);
  if (::sigaction(SIGINT, nullptr, &before_) != 0) return;
  if (before_.sa_handler == SIG_IGN || before_.sa_handler == SIG_DFL) return;
  signalled = 0;
  interruptible = &run;
  installed_ = ::sigaction(SIGINT, &ours, nullptr) == 0;
}

Interruptible::~Interruptible() { interrupted(); }

bool Interruptible::interrupted() {
  if (!installed_) return false;
  installed_ = false;
  ::sigaction(SIGINT, &before_, nullptr);
  interruptible = nullptr;
  const bool came = signalled != 0;
  signalled = 0;
  if (came) static_cast<void>(std::raise(SIGINT));
  return came;
}

}  // namespace zz::python
