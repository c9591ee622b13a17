#include "host/base/process_guard.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "host/base/last_words.hpp"
#include "host/base/stage_libraries.hpp"

namespace zz::host {
namespace {

/// The process that is guarded; 0: none. A child has another number.
std::atomic<pid_t> guarded{0};
std::atomic<bool> told_of_folder{false};

/// A plugin is at work on this thread, or the thread is one that a stage has started. What the program
/// around the library does is its own business.
bool is_of_plugin() {
  if (guarded == 0 || guarded != ::getpid()) return false;
  if (current_breadcrumb == nullptr) current_breadcrumb = stage_of_own_thread();
  return current_breadcrumb != nullptr;
}

/// -1 with EPERM.
int refused(const char* folder) {
  if (!told_of_folder.exchange(true)) {
    say_from_handler(
        "zz-host: warning: the working folder stays as it is, from which paths of the run count; ");
    say_from_handler(folder != nullptr ? "it was to be " : "another was wanted");
    say_from_handler(folder);
    say_stage_from_handler();
    say_from_handler("\n");
  }
  errno = EPERM;
  return -1;
}

[[noreturn]] void tell_of_end(const char* what) {
  guarded = 0;
  say_from_handler("\nzz-host: error: ");
  say_from_handler(what);
  say_stage_from_handler();
  say_from_handler("; result files written so far are whole\n");
  end_from_handler(ExitCode::stage_failed, what);
}

}  // namespace

void guard_process() { guarded = ::getpid(); }

void end_process(int code) {
  for (;;) ::syscall(SYS_exit_group, code);
}

}  // namespace zz::host

// Names of the C library, which libraries that are loaded later find here first.
extern "C" {

__attribute__((noreturn, visibility("default"))) void _exit(int code) {
  if (zz::host::is_of_plugin()) zz::host::tell_of_end("_exit was called");
  zz::host::end_process(code);
}

__attribute__((noreturn, visibility("default"))) void _Exit(int code) { _exit(code); }

__attribute__((noreturn, visibility("default"))) void quick_exit(int code) {
  if (zz::host::is_of_plugin()) zz::host::tell_of_end("quick_exit was called");
  reinterpret_cast<decltype(&quick_exit)>(::dlsym(RTLD_NEXT, "quick_exit"))(code);
  zz::host::end_process(code);
}

__attribute__((visibility("default"))) int chdir(const char* folder) {
  if (zz::host::is_of_plugin()) return zz::host::refused(folder);
  return static_cast<int>(::syscall(SYS_chdir, folder));
}

__attribute__((visibility("default"))) int fchdir(int folder) {
  if (zz::host::is_of_plugin()) return zz::host::refused(nullptr);
  return static_cast<int>(::syscall(SYS_fchdir, folder));
}
}
