#include <fmt/format.h>

#include "host/command_line/options.hpp"
#include "host/command_line/verb_table.hpp"

namespace zz::host {

int help_verb(const Options& options) {
  fmt::print("{}", help_text(options.operands.empty() ? "" : options.operands.front()));
  return 0;
}

}  // namespace zz::host
