#include <unistd.h>

#include "host/command_line/options.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/serve/server.hpp"

namespace zz::host {

int serve_verb(const Options& options) {
  const LogLevel level = options.verbose ? LogLevel::debug
                         : options.quiet ? LogLevel::warning
                                         : LogLevel::info;
  Server server({options.plugins, options.plugin_paths, options.threads}, level);
  return static_cast<int>(server.serve(STDIN_FILENO));
}

}  // namespace zz::host
