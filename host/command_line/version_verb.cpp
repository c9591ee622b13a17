#include <fmt/format.h>

#include "host/command_line/options.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/services/host_table.hpp"

namespace zz::host {

int version_verb(const Options& options) {
  const zz_host& host = host_table();
  fmt::print("zz-host {}\n", host.version);
  if (options.verbose)
    fmt::print("build {}\nstage ABI {}.{}\n", host.build, host.abi_major, host.abi_minor);
  return 0;
}

}  // namespace zz::host
