#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

/// The constants of the archive format; zz_archive.proto describes it.
namespace zz::core {

inline constexpr std::string_view archive_magic("\x89ZZA\r\n\x1a\n", 8);
inline constexpr std::uint32_t archive_version = 1;

inline constexpr std::uint32_t most_stored_objects = 1024;
inline constexpr std::size_t most_shapes = 65536;
/// Values inside of values; what every protobuf implementation accepts without being told.
inline constexpr int deepest_value = 48;

}  // namespace zz::core
