#include "host/plugins/library_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/nearest_name.hpp"

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

/// The bytes of a file. All offsets are checked.
class MappedFile {
 public:
  explicit MappedFile(const std::string& name) {
    const int file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
      wrong_ =
          errno == ENOENT ? no_such_file(name) : fmt::format("cannot be read: {}", std::strerror(errno));
      return;
    }
    struct stat status {};
    if (::fstat(file, &status) != 0) {
      wrong_ = fmt::format("cannot be read: {}", std::strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
      wrong_ = S_ISDIR(status.st_mode) ? "is a folder" : "is not a file";
    } else if (status.st_size > 0) {
      map(file, static_cast<std::size_t>(status.st_size));
    }
    ::close(file);
  }
  ~MappedFile() {
    if (bytes_ != nullptr) ::munmap(bytes_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// Why the file cannot be read, or "".
  const std::string& wrong() const { return wrong_; }
  std::size_t size() const { return size_; }
  bool read(void* out, std::size_t bytes, std::uint64_t from) const {
    if (from > size_ || bytes > size_ - from) return false;
    std::memcpy(out, static_cast<const char*>(bytes_) + from, bytes);
    return true;
  }
  template <class T>
  std::optional<T> at(std::uint64_t offset) const {
    T value;
    return read(&value, sizeof value, offset) ? std::optional(value) : std::nullopt;
  }
  std::string text_at(std::uint64_t offset) const {
    if (offset >= size_) return "";
    const char* const start = static_cast<const char*>(bytes_) + offset;
    return {start, ::strnlen(start, size_ - offset)};
  }

 private:
  void map(int file, std::size_t size) {
    void* const bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED) {
      wrong_ = fmt::format("cannot be read: {}", std::strerror(errno));
      return;
    }
    bytes_ = bytes;
    size_ = size;
  }

  void* bytes_ = nullptr;
  std::size_t size_ = 0;
  std::string wrong_;
};

/// The least size of the file; nothing when its table of segments is not readable.
std::optional<std::uint64_t> bytes_needed(const MappedFile& file, const Elf64_Ehdr& header) {
  if (header.e_phentsize != sizeof(Elf64_Phdr)) return std::nullopt;
  std::uint64_t needed = 0;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto segment = file.at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) return std::nullopt;
    if (segment->p_type == PT_LOAD) needed = std::max(needed, segment->p_offset + segment->p_filesz);
  }
  return needed;
}

void read_symbols(const MappedFile& file, const Elf64_Shdr& table, const Elf64_Shdr& names,
                  LibrarySymbols& symbols) {
  for (std::uint64_t offset = sizeof(Elf64_Sym); offset < table.sh_size; offset += sizeof(Elf64_Sym)) {
    const auto symbol = file.at<Elf64_Sym>(table.sh_offset + offset);
    if (!symbol) return;
    if (ELF64_ST_BIND(symbol->st_info) == STB_LOCAL) continue;
    std::string name = file.text_at(names.sh_offset + symbol->st_name);
    (symbol->st_shndx == SHN_UNDEF ? symbols.undefined : symbols.exported).push_back(std::move(name));
  }
}

bool is_never_unloaded(const MappedFile& file, const Elf64_Shdr& table) {
  for (std::uint64_t offset = 0; offset < table.sh_size; offset += sizeof(Elf64_Dyn)) {
    const auto entry = file.at<Elf64_Dyn>(table.sh_offset + offset);
    if (!entry || entry->d_tag == DT_NULL) return false;
    if (entry->d_tag == DT_FLAGS_1) return (entry->d_un.d_val & DF_1_NODELETE) != 0;
  }
  return false;
}

}  // namespace

std::string no_such_file(const std::string& file) {
  const std::string near = core::suggestion_of_path(file);
  return near.empty() ? "no such file" : "no such file; " + near;
}

std::string why_no_library(const std::string& name) {
  const MappedFile file(name);
  if (!file.wrong().empty()) return file.wrong();
  Elf64_Ehdr header{};
  if (!file.read(&header, SELFMAG, 0) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return "is not a shared library";
  const std::string cut_off = "is cut off: build or copy it again";
  if (!file.read(&header, sizeof(Elf32_Ehdr), 0)) return cut_off;
  // Class, byte order and machine have the same offsets for all classes. With the other byte order only the
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
  if (file.size() < *needed)
    return fmt::format("is cut off after {} of {} bytes: build or copy it again", file.size(), *needed);
  return "";
}

LibrarySymbols library_symbols(const std::string& name) {
  LibrarySymbols symbols;
  const MappedFile file(name);
  const auto header = file.at<Elf64_Ehdr>(0);
  if (!header) return symbols;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const auto section = file.at<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return symbols;
    const auto names = file.at<Elf64_Shdr>(header->e_shoff + section->sh_link * sizeof(Elf64_Shdr));
    if (section->sh_type == SHT_DYNSYM && names) read_symbols(file, *section, *names, symbols);
    if (section->sh_type == SHT_DYNAMIC) symbols.never_unloaded = is_never_unloaded(file, *section);
  }
  return symbols;
}

}  // namespace zz::host
