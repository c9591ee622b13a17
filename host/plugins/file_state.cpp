#include "host/plugins/file_state.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

namespace zz::host {

std::string FileState::text() const {
  return fmt::format("{}\n{} {} {}\n", path, size, seconds, nanoseconds);
}

FileState state_of(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return {file};
  return {file,           status.st_dev,         status.st_ino,
          status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

}  // namespace zz::host
