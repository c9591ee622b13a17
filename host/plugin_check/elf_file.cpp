#include "host/plugin_check/elf_file.hpp"

#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <optional>

namespace zz::host {
namespace {

#if defined(__x86_64__)
constexpr std::uint16_t machine_here = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t machine_here = EM_AARCH64;
#elif defined(__riscv)
constexpr std::uint16_t machine_here = EM_RISCV;
#else
constexpr std::uint16_t machine_here = EM_NONE;  // not compared
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
constexpr unsigned char byte_order_here = ELFDATA2LSB;
#else
constexpr unsigned char byte_order_here = ELFDATA2MSB;
#endif

std::string machine_name(std::uint16_t machine) {
  switch (machine) {
    case EM_386:
      return "i386";
    case EM_X86_64:
      return "x86-64";
    case EM_ARM:
      return "ARM (32 bit)";
    case EM_AARCH64:
      return "ARM (64 bit)";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "PowerPC 64";
    default:
      return fmt::format("machine {}", machine);
  }
}

/// A file whose offsets are never trusted.
class Image {
 public:
  explicit Image(std::vector<char> bytes) : bytes_(std::move(bytes)) {}

  std::size_t size() const { return bytes_.size(); }
  bool holds(std::uint64_t offset, std::uint64_t length) const {
    return offset <= bytes_.size() && length <= bytes_.size() - offset;
  }
  template <class T>
  std::optional<T> at(std::uint64_t offset) const {
    T value;
    if (!holds(offset, sizeof value)) return {};
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  std::string text_at(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return "";
    const char* start = bytes_.data() + offset;
    return {start, ::strnlen(start, bytes_.size() - offset)};
  }

 private:
  std::vector<char> bytes_;
};

std::string wrong_with_header(const Image& image, const Elf64_Ehdr& header) {
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "is no shared library (no ELF file)";
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != byte_order_here ||
      (machine_here != EM_NONE && header.e_machine != machine_here)) {
    return fmt::format("was built for another machine ({}; this is {})", machine_name(header.e_machine),
                       machine_name(machine_here));
  }
  if (header.e_type != ET_DYN) return "is no shared library but another kind of ELF file";
  if (!image.holds(header.e_phoff, std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr)) ||
      !image.holds(header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr))) {
    return fmt::format("is truncated: it has {} bytes, and its tables lie beyond them", image.size());
  }
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto segment = *image.at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment.p_type == PT_LOAD && !image.holds(segment.p_offset, segment.p_filesz))
      return fmt::format("is truncated: it has {} bytes, a part ends at {}", image.size(),
                         segment.p_offset + segment.p_filesz);
  }
  return "";
}

void read_symbols(const Image& image, const Elf64_Shdr& table, const Elf64_Shdr& names, ElfFile& file) {
  for (std::uint64_t offset = sizeof(Elf64_Sym); offset < table.sh_size; offset += sizeof(Elf64_Sym)) {
    const auto symbol = image.at<Elf64_Sym>(table.sh_offset + offset);
    if (!symbol) return;
    if (ELF64_ST_BIND(symbol->st_info) == STB_LOCAL) continue;
    std::string name = image.text_at(names.sh_offset + symbol->st_name);
    (symbol->st_shndx == SHN_UNDEF ? file.undefined : file.exported).push_back(std::move(name));
  }
}

void read_dynamic(const Image& image, const Elf64_Shdr& table, const Elf64_Shdr& names, ElfFile& file) {
  for (std::uint64_t offset = 0; offset < table.sh_size; offset += sizeof(Elf64_Dyn)) {
    const auto entry = image.at<Elf64_Dyn>(table.sh_offset + offset);
    if (!entry || entry->d_tag == DT_NULL) return;
    if (entry->d_tag == DT_NEEDED)
      file.needed.push_back(image.text_at(names.sh_offset + entry->d_un.d_val));
    if (entry->d_tag == DT_FLAGS_1) file.never_unloaded = (entry->d_un.d_val & DF_1_NODELETE) != 0;
  }
}

}  // namespace

ElfFile read_elf_file(const std::string& path, std::string& wrong) {
  ElfFile file;
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    wrong = "cannot be read";
    return file;
  }
  const Image image({std::istreambuf_iterator<char>(in), {}});
  const auto header = image.at<Elf64_Ehdr>(0);
  wrong = header ? wrong_with_header(image, *header)
                 : fmt::format("is no shared library ({} bytes)", image.size());
  if (!wrong.empty()) return file;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const auto section = *image.at<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr));
    const auto names = image.at<Elf64_Shdr>(header->e_shoff + section.sh_link * sizeof(Elf64_Shdr));
    if (!names) continue;
    if (section.sh_type == SHT_DYNSYM) read_symbols(image, section, *names, file);
    if (section.sh_type == SHT_DYNAMIC) read_dynamic(image, section, *names, file);
  }
  return file;
}

}  // namespace zz::host
