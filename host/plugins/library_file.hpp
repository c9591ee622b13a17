#pragma once
#include <string>
#include <vector>

namespace zz::host {

/// Why the file cannot be loaded as a shared library on this machine, to follow "file.so: "; "" when it
/// can. It may be no file, not readable, no library, made for another machine, or cut off. The last must be
/// checked because the dynamic linker maps a truncated library and crashes.
std::string why_no_library(const std::string& file);

/// "no such file; did you mean 'build/stage.so'?" of a path where nothing is.
std::string no_such_file(const std::string& file);

/// The parts of a shared library that the dynamic linker reads.
struct LibrarySymbols {
  std::vector<std::string> exported;   ///< names of the symbols that it defines
  std::vector<std::string> undefined;  ///< names of symbols that it needs from other libraries
  bool never_unloaded = false;         ///< linked with -z nodelete
};

/// Reads a file without loading it. REQUIRES: why_no_library(file) is "".
LibrarySymbols library_symbols(const std::string& file);

}  // namespace zz::host
