// SpoilingStage {what: print|folder|exit|exit_of_thread|quick_exit|at_exit}: does to the process what no
// plugin may, at its first pull.
#include <cstdio>
#include <cstdlib>
#include <string>
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
                     .allowed("print|folder|exit|exit_of_thread|quick_exit|at_exit"));

  zz::Results run(zz::Value ctx) {
    if (what == "print") std::printf("printed by a stage, result %d without an end of line", printed);
    if (what == "folder" && chdir("/") == 0) std::fputs("the folder has changed\n", stderr);
    if (what == "exit") _exit(0);
    if (what == "quick_exit") std::quick_exit(0);
    if (what == "at_exit") std::atexit([] { std::abort(); });
    if (what == "exit_of_thread") std::thread([] { _exit(0); }).join();
    for (zz::Result& result : substage(ctx)) co_yield std::move(result);
  }
};

}  // namespace

ZZ_PLUGIN("test.spoiling", SpoilingStage)
