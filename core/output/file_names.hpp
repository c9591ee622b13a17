#pragma once
#include <string>

namespace zz::core {

/// A name that comes from a file, as a part of a file name: "/" becomes "_", and so does each byte
/// that a terminal cannot show (printable_line()).
std::string as_file_name(std::string name);

/// The path with a last component that file systems take: one of more than 240 bytes keeps its beginning
/// and its end, and has a digest of the whole in between.
std::string fitting_path(const std::string& path);

}  // namespace zz::core
