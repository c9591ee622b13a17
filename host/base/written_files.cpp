#include "host/base/written_files.hpp"

#include <filesystem>
#include <utility>

namespace zz::host {

bool WrittenFiles::add(const std::string& path) {
  std::string normal = std::filesystem::path(path).lexically_normal().string();
  const std::lock_guard lock(mutex_);
  return paths_.insert(std::move(normal)).second;
}

}  // namespace zz::host
