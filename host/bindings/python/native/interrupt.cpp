#include "host/bindings/python/native/interrupt.hpp"

#include <Python.h>
#include <atomic>
#include <unistd.h>

namespace zz::python {
namespace {

std::atomic<Interruptible*> innermost{nullptr};
volatile std::sig_atomic_t signalled = 0;

/// Signals of Python's programs go to the thread that the process began with.
bool on_main_thread() { return ::gettid() == ::getpid(); }

}  // namespace

void Interruptible::on_interrupt(int) {
  signalled = 1;
  for (Interruptible* one = innermost.load(); one != nullptr; one = one->outer_)
    one->run_.cancelled.store(true);
}

Interruptible::Interruptible(host::Run& run) : run_(run) {
  if (!on_main_thread()) return;
  outer_ = innermost.load();
  innermost = this;
  at_work_ = outer_ != nullptr || handle_signal();
  if (!at_work_) innermost = nullptr;
  if (outer_ != nullptr && signalled != 0) run_.cancelled.store(true);
}

bool Interruptible::handle_signal() {
  struct sigaction ours {};
  ours.sa_handler = on_interrupt;
  sigemptyset(&ours.sa_mask);
  if (::sigaction(SIGINT, nullptr, &before_) != 0) return false;
  if (before_.sa_handler == SIG_IGN || before_.sa_handler == SIG_DFL) return false;
  signalled = 0;
  return ::sigaction(SIGINT, &ours, nullptr) == 0;
}

Interruptible::~Interruptible() { interrupted(); }

bool Interruptible::interrupted() {
  if (!at_work_) return false;
  at_work_ = false;
  innermost = outer_;
  if (outer_ != nullptr) return false;
  ::sigaction(SIGINT, &before_, nullptr);
  const bool came = signalled != 0;
  signalled = 0;
  if (came) static_cast<void>(std::raise(SIGINT));
  return came;
}

}  // namespace zz::python
