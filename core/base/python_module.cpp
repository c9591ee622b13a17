#include "core/base/python_module.hpp"

#include <algorithm>
#include <cctype>

namespace zz::core {

bool is_python_module_name(std::string_view path) {
  const auto may_stand = [](char c) {
    return c == '.' || c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  };
  if (!std::all_of(path.begin(), path.end(), may_stand)) return false;
  if (path.starts_with('.') || path.ends_with('.') || path.find("..") != path.npos) return false;
  return path.starts_with("zigzag.") || path.starts_with("stream.") || path.starts_with("inputs.") ||
         std::count(path.begin(), path.end(), '.') > 1;
}

bool is_python_module(std::string_view content, std::string_view name) {
  if (name.ends_with(".py")) return true;
  while (!content.empty()) {
    const std::string_view line = content.substr(0, content.find('\n'));
    content.remove_prefix(std::min(content.size(), line.size() + 1));
    if (line.find(':') != line.npos) continue;
    if (line.starts_with("import ")) return true;
    if (line.starts_with("from ") && line.find(" import ") != line.npos) return true;
  }
  return false;
}

}  // namespace zz::core
