#include "host/base/process_guard.hpp"

#include <alloca.h>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
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

/// The permissions that new files of the run lack, while a plugin has others; else -1.
std::atomic<int> mask_of_run{-1};

/// A plugin is at work on this thread, or the thread is one that a stage has started. What the program
/// around the library does is its own business.
bool is_of_plugin() {
  if (guarded == 0 || guarded != ::getpid()) return false;
  return current_breadcrumb != nullptr || stage_of_own_thread() != nullptr;
}

/// While a chain is there nobody may end the process by these calls, not even a thread of which nobody
/// knows who started it, as that of an interpreter.
bool must_go_on() { return is_of_plugin() || (guarded == ::getpid() && has_stages()); }

/// -1 with EPERM.
int refused(const char* folder) {
  if (!told_of_folder.exchange(true)) {
    say_from_handler(
        "zz-host: warning: the working folder stays as it is, from which paths of the run count; ");
    say_from_handler(folder != nullptr ? "it was to be " : "another was wanted");
    say_from_handler(folder);
    const char* const before = current_breadcrumb;  // the thread goes on
    find_breadcrumb();
    say_stage_from_handler();
    current_breadcrumb = before;
    say_from_handler("\n");
  }
  errno = EPERM;
  return -1;
}

[[noreturn]] void tell_of_end(const char* what) {
  guarded = 0;
  begin_last_words();
  say_from_handler("\nzz-host: error: ");
  say_from_handler(what);
  say_stage_from_handler();
  say_from_handler("; result files written so far are whole\n");
  end_from_handler(ExitCode::stage_failed, what);
}

template <class Function>
Function* next(Function& function, const char* name) {
  static_cast<void>(function);
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// Looked up before anything runs, as dlsym() takes locks that a child may find taken.
const auto execvpe_of_system = next(::execvpe, "execvpe");
const auto syscall_of_system = next(::syscall, "syscall");

/// The system call of that number, whoever asks. Libraries that start earlier find nothing looked up.
template <class... Words>
long system_call(long number, Words... words) {
  return (syscall_of_system != nullptr ? syscall_of_system : next(::syscall, "syscall"))(number, words...);
}

/// Puts another program in the place of this one. `name`: what was called.
int replace(const char* name, const char* file, char* const words[], char* const environment[],
            bool searched) {
  if (must_go_on()) tell_of_end(name);
  if (searched && execvpe_of_system != nullptr) return execvpe_of_system(file, words, environment);
  return static_cast<int>(system_call(SYS_execve, file, words, environment));
}

/// The same for arguments that come one by one, with a null pointer at their end, and perhaps the
/// environment behind it. They lie on the stack: a child of a program with threads must not allocate.
int replace_by_list(const char* name, const char* file, const char* first, va_list& rest, bool searched,
                    bool has_environment) {
  std::size_t count = 1;
  va_list ahead;
  va_copy(ahead, rest);
  for (const char* word = first; word != nullptr; ++count) word = va_arg(ahead, const char*);
  va_end(ahead);
  auto** const words = static_cast<char**>(alloca(count * sizeof(char*)));
  words[0] = const_cast<char*>(first);
  for (std::size_t i = 1; i < count; ++i) words[i] = va_arg(rest, char*);
  char* const* const environment = has_environment ? va_arg(rest, char* const*) : environ;
  return replace(name, file, words, environment, searched);
}

}  // namespace

void guard_process() { guarded = ::getpid(); }

void end_file_mask_of_plugin() {
  if (mask_of_run.load(std::memory_order_relaxed) < 0) return;
  if (const int mask = mask_of_run.exchange(-1); mask >= 0) system_call(SYS_umask, mask);
}

void end_process(int code) {
  for (;;) system_call(SYS_exit_group, code);
}

}  // namespace zz::host

// Names of the C library, which libraries that are loaded later find here first.
extern "C" {

__attribute__((noreturn, visibility("default"))) void _exit(int code) {
  if (zz::host::must_go_on()) zz::host::tell_of_end("_exit was called");
  zz::host::end_process(code);
}

__attribute__((noreturn, visibility("default"))) void _Exit(int code) { _exit(code); }

__attribute__((noreturn, visibility("default"))) void quick_exit(int code) {
  if (zz::host::must_go_on()) zz::host::tell_of_end("quick_exit was called");
  zz::host::next(quick_exit, "quick_exit")(code);
  zz::host::end_process(code);
}

__attribute__((visibility("default"))) int execve(const char* file, char* const words[],
                                                  char* const environment[]) {
  return zz::host::replace("execve was called", file, words, environment, false);
}

__attribute__((visibility("default"))) int execv(const char* file, char* const words[]) {
  return zz::host::replace("execv was called", file, words, environ, false);
}

__attribute__((visibility("default"))) int execvp(const char* file, char* const words[]) {
  return zz::host::replace("execvp was called", file, words, environ, true);
}

__attribute__((visibility("default"))) int execvpe(const char* file, char* const words[],
                                                   char* const environment[]) {
  return zz::host::replace("execvpe was called", file, words, environment, true);
}

__attribute__((visibility("default"))) int execl(const char* file, const char* first, ...) {
  va_list rest;
  va_start(rest, first);
  const int failed = zz::host::replace_by_list("execl was called", file, first, rest, false, false);
  va_end(rest);
  return failed;
}

__attribute__((visibility("default"))) int execlp(const char* file, const char* first, ...) {
  va_list rest;
  va_start(rest, first);
  const int failed = zz::host::replace_by_list("execlp was called", file, first, rest, true, false);
  va_end(rest);
  return failed;
}

__attribute__((visibility("default"))) int execle(const char* file, const char* first, ...) {
  va_list rest;
  va_start(rest, first);
  const int failed = zz::host::replace_by_list("execle was called", file, first, rest, false, true);
  va_end(rest);
  return failed;
}

__attribute__((visibility("default"))) int execveat(int folder, const char* file, char* const words[],
                                                    char* const environment[], int flags) {
  if (zz::host::must_go_on()) zz::host::tell_of_end("execveat was called");
  return static_cast<int>(zz::host::system_call(SYS_execveat, folder, file, words, environment, flags));
}

__attribute__((visibility("default"))) int fexecve(int file, char* const words[],
                                                   char* const environment[]) {
  if (zz::host::must_go_on()) zz::host::tell_of_end("fexecve was called");
  return static_cast<int>(zz::host::system_call(SYS_execveat, file, "", words, environment, AT_EMPTY_PATH));
}

__attribute__((visibility("default"))) long syscall(long number, ...) noexcept {
  long words[6];  // as many as a call of the system takes; what was not given is not looked at
  va_list rest;
  va_start(rest, number);
  for (long& word : words) word = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_exit_group && zz::host::must_go_on())
    zz::host::tell_of_end("SYS_exit_group was called");
  return zz::host::system_call(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

__attribute__((visibility("default"))) int daemon(int keeps_folder, int keeps_streams) {
  if (zz::host::must_go_on()) zz::host::tell_of_end("daemon was called");
  return zz::host::next(daemon, "daemon")(keeps_folder, keeps_streams);
}

__attribute__((visibility("default"))) mode_t umask(mode_t mask) {
  const auto before = static_cast<mode_t>(zz::host::system_call(SYS_umask, mask));
  if (!zz::host::is_of_plugin()) return before;
  int none = -1;
  zz::host::mask_of_run.compare_exchange_strong(none, static_cast<int>(before));
  return before;
}

__attribute__((visibility("default"))) int chdir(const char* folder) {
  if (zz::host::is_of_plugin()) return zz::host::refused(folder);
  return static_cast<int>(zz::host::system_call(SYS_chdir, folder));
}

__attribute__((visibility("default"))) int fchdir(int folder) {
  if (zz::host::is_of_plugin()) return zz::host::refused(nullptr);
  return static_cast<int>(zz::host::system_call(SYS_fchdir, folder));
}
}
