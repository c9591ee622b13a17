#pragma once
#include <filesystem>
#include <string>

namespace zz::test {

/// The text of a file, compressed by gzip or not. Throws std::runtime_error when it cannot be read.
std::string text_of(const std::filesystem::path& path);

}  // namespace zz::test
