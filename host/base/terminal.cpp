#include "host/base/terminal.hpp"

#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/text.hpp"

namespace zz::host {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

bool is_smart_terminal(int file) {
  const std::string_view kind = environment("TERM");
  return ::isatty(file) != 0 && !kind.empty() && kind != "dumb";
}

bool use_colour(ColourMode mode, int file) {
  if (mode != ColourMode::automatic) return mode == ColourMode::always;
  if (!environment("NO_COLOR").empty()) return false;
  for (const char* name : {"CLICOLOR_FORCE", "FORCE_COLOR"}) {
    const std::string_view force = environment(name);
    if (!force.empty() && force != "0") return true;
  }
  return is_smart_terminal(file);
}

int terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::string shortened(const std::string& text, int width) {
  constexpr std::string_view gap = "...";
  const auto room = static_cast<std::size_t>(width > 8 ? width - 1 : 7);
  if (text.size() <= room) return text;
  const std::size_t kept = room - gap.size(), head = kept / 2;
  return std::string(core::utf8_prefix(text, head)) + std::string(gap) +
         std::string(core::utf8_suffix(text, kept - head));
}

}  // namespace zz::host
