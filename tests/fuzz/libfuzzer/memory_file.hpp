#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace zz::fuzz {

/// A file in memory with some bytes, for readers that want a path.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* bytes, std::size_t size) : number_(::memfd_create("fuzz", 0)) {
    while (size > 0) {
      const ssize_t written = ::write(number_, bytes, size);
      if (written <= 0) break;
      bytes += written;
      size -= static_cast<std::size_t>(written);
    }
  }
  ~MemoryFile() { ::close(number_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(number_); }

 private:
  int number_;
};

}  // namespace zz::fuzz
