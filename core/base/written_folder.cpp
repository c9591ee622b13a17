#include "core/base/written_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace zz::core {
namespace {

namespace fs = std::filesystem;

/// Never destroyed: threads may write until the end. Empty: anywhere.
fs::path& only_folder() {
  static auto* const folder = new fs::path;
  return *folder;
}

}  // namespace

void write_only_below(const std::string& folder) { only_folder() = fs::canonical(folder); }

void check_written_path(const std::string& path) {
  const fs::path& folder = only_folder();
  if (folder.empty()) return;
  std::error_code problem;
  const fs::path real = fs::weakly_canonical(fs::absolute(path).parent_path(), problem);
  const bool below =
      !problem &&
      std::mismatch(folder.begin(), folder.end(), real.begin(), real.end()).first == folder.end();
  if (!below)
    throw std::runtime_error("cannot write '" + path + "': files are written only below '" +
                             folder.string() + "'");
}

}  // namespace zz::core
