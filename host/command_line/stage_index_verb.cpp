#include <fmt/format.h>

#include "host/command_line/options.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/plugins/builtin_index.hpp"

namespace zz::host {

int stage_index_verb(const Options& options) {
  fmt::print("{}", BuiltinIndex::text_for(options.operands.front()));
  return 0;
}

}  // namespace zz::host
