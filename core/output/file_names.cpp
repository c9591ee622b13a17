#include "core/output/file_names.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "core/base/sha256.hpp"
#include "core/base/text.hpp"

namespace zz::core {
namespace {

/// Linux takes 255, and some encrypted and network file systems a little less.
constexpr std::size_t longest_name = 240;
/// Bytes of the end, which tells kinds of files apart: "_complete.json".
constexpr std::size_t kept_of_end = 24;
constexpr std::size_t digits = 12;

}  // namespace

std::string as_file_name(std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  const std::string shown = printable_line(name);
  for (std::size_t i = 0; i < name.size(); ++i)
    if (shown[i] != name[i]) name[i] = '_';
  return name;
}

std::string fitting_path(const std::string& path) {
  const std::filesystem::path whole(path);
  const std::string name = whole.filename().string();
  if (name.size() <= longest_name) return path;
  const std::string digest = "~" + sha256(name).substr(0, digits) + "~";
  const std::string_view begin = utf8_prefix(name, longest_name - digest.size() - kept_of_end);
  const std::string_view end = utf8_suffix(name, kept_of_end);
  return (whole.parent_path() / (std::string(begin) + digest + std::string(end))).string();
}

}  // namespace zz::core
