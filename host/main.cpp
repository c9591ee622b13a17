#include <string>
#include <vector>

#include "host/base/crash_handler.hpp"
#include "host/command_line/options.hpp"
#include "host/command_line/program.hpp"
#include "host/command_line/verb_table.hpp"

int main(int argc, char** argv) {
  using namespace zz::host;
  install_crash_handler();
  return run_program({argv + 1, argv + argc},
                     [](const Options& options) { return find_verb(options.verb)->run(options); });
}
