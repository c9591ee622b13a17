#include "core/exploration/shard.hpp"

#include <charconv>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"

namespace zz::core {

Shard Shard::of(const std::string& written) {
  const std::size_t slash = written.find('/');
  const auto number = [&](std::size_t begin, std::size_t end, std::uint64_t& out) {
    const char* const last = written.data() + end;
    const auto [stop, problem] = std::from_chars(written.data() + begin, last, out);
    return problem == std::errc{} && stop == last && begin < end;
  };
  std::uint64_t which = 0, of = 0;
  if (slash == std::string::npos || !number(0, slash, which) || !number(slash + 1, written.size(), of) ||
      of == 0 || which > of)
    throw InputError(
        fmt::format("'shard' must be a share such as 1/4, 2/4, 3/4 or 4/4; found '{}'", written));
  Shard shard;
  shard.of_ = of;
  shard.first_ = which % of;
  return shard;
}

}  // namespace zz::core
