#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace zz::core {

/// Checks that a path is a file that can be read to its end: a regular file of at most `most_bytes` bytes.
/// Pipes, devices and sockets are refused because they may never end. Throws InputError that names the path
/// and says what was `expected` ("an ONNX file").
void check_input_file(const std::string& path, std::uintmax_t most_bytes, std::string_view expected);

/// The content of such a file. Throws as check_input_file() does. Threads may read at the same time.
std::string read_input_file(const std::string& path, std::uintmax_t most_bytes, std::string_view expected);

}  // namespace zz::core
