#pragma once
#include <string>
#include <string_view>

namespace zz::core {

/// The SHA-256 digest of some bytes, in 64 small hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace zz::core
