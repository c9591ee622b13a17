#include "host/base/process_guard.hpp"

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
#include <vector>

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
  find_breadcrumb();
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

/// Puts another program in the place of this one. `name`: what was called.
int replace(const char* name, const char* file, char* const words[], char* const environment[],
            bool searched) {
  if (must_go_on()) tell_of_end(name);
  if (searched && execvpe_of_system != nullptr) return execvpe_of_system(file, words, environment);
  return static_cast<int>(::syscall(SYS_execve, file, words, environment));
}

/// The arguments of a call that has them one by one, with the null pointer at their end.
std::vector<char*> words_of(const char* first, va_list& rest) {
  std::vector<char*> words{const_cast<char*>(first)};
  while (words.back() != nullptr) words.push_back(va_arg(rest, char*));
  return words;
}

}  // namespace

void guard_process() { guarded = ::getpid(); }

void end_file_mask_of_plugin() {
  if (mask_of_run.load(std::memory_order_relaxed) < 0) return;
  if (const int mask = mask_of_run.exchange(-1); mask >= 0) ::syscall(SYS_umask, mask);
}

void end_process(int code) {
  for (;;) ::syscall(SYS_exit_group, code);
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
  const std::vector<char*> words = zz::host::words_of(first, rest);
  va_end(rest);
  return zz::host::replace("execl was called", file, words.data(), environ, false);
}

__attribute__((visibility("default"))) int execlp(const char* file, const char* first, ...) {
  va_list rest;
  va_start(rest, first);
  const std::vector<char*> words = zz::host::words_of(first, rest);
  va_end(rest);
  return zz::host::replace("execlp was called", file, words.data(), environ, true);
}

__attribute__((visibility("default"))) int execle(const char* file, const char* first, ...) {
  va_list rest;
  va_start(rest, first);
  const std::vector<char*> words = zz::host::words_of(first, rest);
  char* const* const environment = va_arg(rest, char* const*);
  va_end(rest);
  return zz::host::replace("execle was called", file, words.data(), environment, false);
}

__attribute__((visibility("default"))) int execveat(int folder, const char* file, char* const words[],
                                                    char* const environment[], int flags) {
  if (zz::host::must_go_on()) zz::host::tell_of_end("execveat was called");
  return static_cast<int>(::syscall(SYS_execveat, folder, file, words, environment, flags));
}

__attribute__((visibility("default"))) int fexecve(int file, char* const words[],
                                                   char* const environment[]) {
  if (zz::host::must_go_on()) zz::host::tell_of_end("fexecve was called");
  return static_cast<int>(::syscall(SYS_execveat, file, "", words, environment, AT_EMPTY_PATH));
}

__attribute__((visibility("default"))) int daemon(int keeps_folder, int keeps_streams) {
  if (zz::host::must_go_on()) zz::host::tell_of_end("daemon was called");
  return zz::host::next(daemon, "daemon")(keeps_folder, keeps_streams);
}

__attribute__((visibility("default"))) mode_t umask(mode_t mask) {
  const auto before = static_cast<mode_t>(::syscall(SYS_umask, mask));
  if (!zz::host::is_of_plugin()) return before;
  int none = -1;
  zz::host::mask_of_run.compare_exchange_strong(none, static_cast<int>(before));
  return before;
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
