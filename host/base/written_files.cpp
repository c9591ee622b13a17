#include "host/base/written_files.hpp"

#include <filesystem>
#include <utility>

namespace zz::host {

namespace {

std::string normal(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

}  // namespace

bool WrittenFiles::add(const std::string& path, const std::string& by) {
  const std::lock_guard lock(mutex_);
  return writers_.insert_or_assign(normal(path), by).second;
}

std::string WrittenFiles::claim(const std::string& path, const std::string& by) {
  const std::lock_guard lock(mutex_);
  const std::string file = normal(path);
  const auto [known, is_new] = claims_.emplace(file, by);
  if (!is_new && known->second != by) return known->second;
  const auto writer = writers_.find(file);
  return writer == writers_.end() || writer->second == by ? "" : writer->second;
}

}  // namespace zz::host
