#pragma once
#include <cstdint>
#include <string>

namespace zz::core {

/// A number of bits for people: "6 bit", "32 B", "8 KiB", "1.16 GiB".
std::string size_text(std::int64_t bits);

}  // namespace zz::core
