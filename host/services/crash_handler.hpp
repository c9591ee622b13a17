#pragma once

namespace zz::host {

/// From now on a crash (segmentation fault, abort, escaped exception, ...) says on stderr in which stage,
/// plugin and place of the pipeline file it happened, before the process ends with the exit code of a
/// failed stage.
void install_crash_handler();

/// A stack of its own for the handler of crashes on this thread, so that an overflow of the ordinary one
/// is reported too. Lives as long as the thread.
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
