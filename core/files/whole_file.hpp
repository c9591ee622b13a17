#pragma once
#include <string>

namespace zz::core {

/// The content of a file, or of a pipe to its end. Throws std::system_error with what the system says; a
/// folder gives EISDIR.
std::string read_whole_file(const std::string& path);

}  // namespace zz::core
