#include "core/base/files_read.hpp"

#include <filesystem>

namespace zz::core {

constinit thread_local FilesRead* files_read = nullptr;

void FilesRead::add(const std::string& path) {
  std::error_code unknown_folder;
  std::string absolute = std::filesystem::absolute(path, unknown_folder).lexically_normal().string();
  const std::lock_guard lock(mutex_);
  paths_.insert(std::move(absolute));
}

std::set<std::string> FilesRead::paths() const {
  const std::lock_guard lock(mutex_);
  return paths_;
}

void note_file_read(const std::string& path) {
  if (files_read != nullptr) files_read->add(path);
}

}  // namespace zz::core
