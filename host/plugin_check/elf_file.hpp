#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace zz::host {

/// What a shared library says about itself, read from the file without loading it.
struct ElfFile {
  std::vector<std::string> exported;   ///< names of the dynamic symbols that it defines
  std::vector<std::string> undefined;  ///< names of those that it expects from others
  std::vector<std::string> needed;     ///< libraries that it links
  bool never_unloaded = false;         ///< linked with -z nodelete
};

/// Reads a file. On failure `wrong` says, in words that complete "file.so: ...", why it is no whole shared
/// library for the machine that this runs on.
ElfFile read_elf_file(const std::string& path, std::string& wrong);

}  // namespace zz::host
