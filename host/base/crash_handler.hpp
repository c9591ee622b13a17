#pragma once

namespace zz::host {

/// Handles crashes from now on (segmentation fault, abort, escaped exception, a stage that calls `exit`,
/// ...): a message on stderr names stage, plugin and place in the pipeline file, also of a thread that the
/// stage started, and the process ends with the exit code of a failed stage.
void install_crash_handler();

/// Another stack for the crash handler on this thread, so that a stack overflow is reported too. Lives as
/// long as the thread.
class AlternateStack {
 public:
  AlternateStack();
  ~AlternateStack();
  AlternateStack(const AlternateStack&) = delete;
  AlternateStack& operator=(const AlternateStack&) = delete;

 private:
  char* memory_;
};

}  // namespace zz::host
