#include "host/plugins/library_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace zz::host {
namespace {

#if defined(__x86_64__)
constexpr int own_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int own_machine = EM_AARCH64;
#elif defined(__riscv)
constexpr int own_machine = EM_RISCV;
#elif defined(__powerpc64__)
constexpr int own_machine = EM_PPC64;
#elif defined(__s390x__)
constexpr int own_machine = EM_S390;
#else
constexpr int own_machine = EM_NONE;
#endif

std::string machine_name(int machine) {
  switch (machine) {
    case EM_386:
      return "32-bit x86";
    case EM_X86_64:
      return "64-bit x86";
    case EM_ARM:
      return "32-bit ARM";
    case EM_AARCH64:
      return "64-bit ARM";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "64-bit POWER";
    case EM_S390:
      return "S/390";
    default:
      return fmt::format("machine type {}", machine);
  }
}

class OpenFile {
 public:
  explicit OpenFile(const std::string& name)
      : number_(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenFile() {
    if (number_ >= 0) ::close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  explicit operator bool() const { return number_ >= 0; }
  bool status(struct stat& out) const { return ::fstat(number_, &out) == 0; }
  bool read(void* out, std::size_t bytes, std::uint64_t from) {
    if (!begun_) begin();
    if (from <= held_ && bytes <= held_ - from) {
      std::memcpy(out, beginning_.data() + from, bytes);
      return true;
    }
    return ::pread(number_, out, bytes, static_cast<off_t>(from)) == static_cast<ssize_t>(bytes);
  }

 private:
  void begin() {
    begun_ = true;
    const ssize_t count = ::pread(number_, beginning_.data(), beginning_.size(), 0);
    if (count > 0) held_ = static_cast<std::size_t>(count);
  }

  int number_;
  bool begun_ = false;
  /// Header and table of segments lie here, as a rule: one call of the system instead of four.
  std::array<char, 1024> beginning_;
  std::size_t held_ = 0;
};

/// The bytes that the file must have at least; nothing when its table of segments cannot be read.
std::optional<std::uint64_t> bytes_needed(OpenFile& file, const Elf64_Ehdr& header) {
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (header.e_phentsize != sizeof(Elf64_Phdr) ||
      !file.read(segments.data(), segments.size() * sizeof(Elf64_Phdr), header.e_phoff))
    return std::nullopt;
  std::uint64_t needed = 0;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD) needed = std::max(needed, segment.p_offset + segment.p_filesz);
  }
  return needed;
}

}  // namespace

std::string why_no_library(const std::string& name) {
  OpenFile file(name);
  if (!file)
    return errno == ENOENT ? "no such file" : fmt::format("cannot be read: {}", std::strerror(errno));
  struct stat status {};
  if (!file.status(status)) return fmt::format("cannot be read: {}", std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return S_ISDIR(status.st_mode) ? "is a folder" : "is not a file";
  const auto size = static_cast<std::uint64_t>(status.st_size);

  Elf64_Ehdr header{};
  if (size < SELFMAG || !file.read(&header, SELFMAG, 0) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return "is not a shared library";
  const std::string cut_off = "is cut off: build or copy it again";
  if (!file.read(&header, sizeof(Elf32_Ehdr), 0)) return cut_off;
  // Class, byte order and machine lie in the same place for all classes; of the other byte order only the
  // class counts.
  const bool same_order =
      header.e_ident[EI_DATA] == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
  if (own_machine != EM_NONE &&
      (!same_order || header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != own_machine)) {
    return fmt::format("was built for another kind of machine ({}; this is {})",
                       same_order ? machine_name(header.e_machine) : "another byte order",
                       machine_name(own_machine));
  }
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return "";
  if (!file.read(&header, sizeof header, 0)) return cut_off;
  if (header.e_type != ET_DYN) return "is not a shared library, but an object file or a program";
  const auto needed = bytes_needed(file, header);
  if (!needed) return cut_off;
  if (size < *needed)
    return fmt::format("is cut off after {} of {} bytes: build or copy it again", size, *needed);
  return "";
}

}  // namespace zz::host
