#include "core/base/memory_files.hpp"

namespace zz::core {

constinit thread_local const MemoryFiles* memory_files = nullptr;

const std::string* memory_file(const std::string& path) {
  if (memory_files == nullptr) return nullptr;
  const auto found = memory_files->find(path);
  return found == memory_files->end() ? nullptr : &found->second;
}

}  // namespace zz::core
