#pragma once
#include <cstdint>
#include <string_view>

/// The beginning of an archive; zz_archive.proto describes the rest.
namespace zz::core {

inline constexpr std::string_view archive_magic("\x89ZZA\r\n\x1a\n", 8);
inline constexpr std::uint32_t archive_version = 1;

}  // namespace zz::core
