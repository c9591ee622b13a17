#include "host/command_line/installed_data.hpp"

#include <filesystem>

namespace zz::host {

std::string installed_data_folder() {
  std::error_code error;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
  return (executable.parent_path().parent_path() / ZZ_DATADIR / "zz").string();
}

}  // namespace zz::host
