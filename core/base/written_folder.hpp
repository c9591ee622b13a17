#pragma once
#include <string>

namespace zz::core {

/// From now on the files of this process are written below that folder only, at any depth and wherever
/// links lead: for a program that serves others. It must exist. [main, before any file is written]
void write_only_below(const std::string& folder);

/// Throws std::runtime_error for the path of a file that may not be written because of that. [any]
void check_written_path(const std::string& path);

}  // namespace zz::core
