// SpoilingStage {what: print|folder|mask|exit|...}: does to the process what no plugin may, at its first
// pull.
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "zz/stage.hpp"

namespace {

// Before anything is known of the plugin.
const int printed = std::puts("printed while it was loaded");

struct SpoilingStage : zz::Stage {
  static constexpr zz::Description description{.id = "test.spoiling.SpoilingStage",
                                               .name = "SpoilingStage",
                                               .summary = "spoils the process",
                                               .flags = ZZ_STAGE_FORWARDS};
  std::string what = "print";
  static constexpr auto params =
      zz::params(zz::param<&SpoilingStage::what>("what", "what it spoils")
                     .allowed("print|folder|mask|mask of thread|_exit|_exit of thread|exit|exit of "
                              "thread|quick_exit|SYS_exit_group|at exit|execl|"
                              "execle|execlp|execv|execve|execvp|execvpe|fexecve|daemon|child"));

  void replace_program() const {
    char* const words[] = {const_cast<char*>("true"), nullptr};
    if (what == "execl") execl("/bin/true", "true", nullptr);
    if (what == "execle") execle("/bin/true", "true", nullptr, environ);
    if (what == "execlp") execlp("true", "true", nullptr);
    if (what == "execv") execv("/bin/true", words);
    if (what == "execve") execve("/bin/true", words, environ);
    if (what == "execvp") execvp("true", words);
    if (what == "execvpe") execvpe("true", words, environ);
    if (what == "fexecve") fexecve(open("/bin/true", O_RDONLY), words, environ);
  }

  /// Allowed: the child is no longer the program.
  static void start_child() {
    const pid_t child = fork();
    if (child == 0) {
      execlp("sh", "sh", "-c", "echo the child says $0 >&2", "hello", nullptr);
      _exit(1);
    }
    waitpid(child, nullptr, 0);
  }

  zz::Results run(zz::Value ctx) {
    if (what == "print") std::printf("printed by a stage, result %d without an end of line", printed);
    if (what == "folder" && chdir("/") == 0) std::fputs("the folder has changed\n", stderr);
    if (what == "mask") umask(0777);
    if (what == "mask of thread") std::thread([] { umask(0777); }).join();
    if (what == "_exit") _exit(0);
    if (what == "_exit of thread") std::thread([] { _exit(0); }).join();
    if (what == "exit") std::exit(0);
    if (what == "exit of thread") std::thread([] { std::exit(0); }).join();
    if (what == "quick_exit") std::quick_exit(0);
    if (what == "SYS_exit_group") syscall(SYS_exit_group, 0);
    if (what == "at exit") std::atexit([] { std::abort(); });
    if (what == "daemon" && daemon(1, 1) == 0) std::fputs("in the background\n", stderr);
    if (what.starts_with("exec") || what == "fexecve") replace_program();
    if (what == "child") start_child();
    for (zz::Result& result : substage(ctx)) co_yield std::move(result);
  }
};

}  // namespace

ZZ_PLUGIN("test.spoiling", SpoilingStage)
