#pragma once
#include <string>
#include <vector>

namespace zz::host {

/// Why the file cannot be loaded as a shared library on this machine, in words that complete "file.so:
/// ...", or "" when nothing speaks against it: it is no file, cannot be read, is no library, was made for
/// another kind of machine, or is cut off. The dynamic linker maps what a library's header promises and
/// only crashes when it is not there.
std::string why_no_library(const std::string& file);

/// The parts of a shared library that the dynamic linker reads.
struct LibrarySymbols {
  std::vector<std::string> exported;   ///< names of the symbols that it defines
  std::vector<std::string> undefined;  ///< names of symbols that it expects from others
  bool never_unloaded = false;         ///< linked with -z nodelete
};

/// Reads a file without loading it; why_no_library must find nothing wrong.
LibrarySymbols library_symbols(const std::string& file);

}  // namespace zz::host
