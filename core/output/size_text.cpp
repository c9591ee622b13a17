#include "core/output/size_text.hpp"

#include <fmt/format.h>

namespace zz::core {

std::string size_text(std::int64_t bits) {
  if (bits < 8) return fmt::format("{} bit", bits);
  double size = static_cast<double>(bits) / 8;
  const char* unit = "B";
  for (const char* larger : {"KiB", "MiB", "GiB", "TiB", "PiB"}) {
    if (size < 1024) break;
    size /= 1024;
    unit = larger;
  }
  return size < 1000 ? fmt::format("{:.3g} {}", size, unit) : fmt::format("{:.0f} {}", size, unit);
}

}  // namespace zz::core
