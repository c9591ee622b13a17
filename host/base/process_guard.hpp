#pragma once

namespace zz::host {

/// From now on no library of others changes what belongs to the whole process: one that ends it by `_exit`
/// or `quick_exit` is told as one that crashes, and one that changes the working folder is refused (EPERM),
/// and told once, as relative paths of the run count from it. Threads that a stage has started count as the
/// stage; children of the process, and the program around the library, do as they like. Only in programs
/// that libzz-host is linked with, which has the names that libraries then find. [main]
void guard_process();

/// Ends the process as `_exit` does, whoever asks. Safe in signal handlers.
[[noreturn]] void end_process(int code);

}  // namespace zz::host
