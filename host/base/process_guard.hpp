#pragma once

namespace zz::host {

/// From now on no library of others changes what belongs to the whole process: one that ends it by `_exit`,
/// `quick_exit` or `syscall(SYS_exit_group)`, puts another program in its place (the `exec` family) or
/// sends it into the background (`daemon`) is told as one that crashes, and one that changes the working
/// folder is refused (EPERM), and told once, as relative paths of the run count from it. Threads that a
/// stage has started count as the stage, and where the process is to end, every thread does while a chain
/// is there; children of the process, and else the program around the library, do as they like. Only in
/// programs that libzz-host is linked with, which has the names that libraries then find. [main]
void guard_process();

/// Gives new files the permissions of the run again, where a plugin has set others by `umask`, which are of
/// the whole process: until any stage, in any thread, is called or ends. [any]
void end_file_mask_of_plugin();

/// Ends the process as `_exit` does, whoever asks. Safe in signal handlers.
[[noreturn]] void end_process(int code);

}  // namespace zz::host
