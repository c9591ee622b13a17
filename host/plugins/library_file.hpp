#pragma once
#include <string>

namespace zz::host {

/// Why the file cannot be loaded as a shared library on this machine, in words that complete "file.so:
/// ...", or "" when nothing speaks against it: it is no file, cannot be read, is no library, was made for
/// another kind of machine, or is cut off. The dynamic linker maps what a library's header promises and
/// only crashes when it is not there.
std::string why_no_library(const std::string& file);

}  // namespace zz::host
