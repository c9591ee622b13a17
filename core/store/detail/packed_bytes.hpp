#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace zz::core {

/// Bytes as what they add to `example`: zlib's format (RFC 1950) with a dictionary.
std::string packed(std::string_view bytes, std::string_view example);
/// Few bytes may unpack to very many. docs/limits.md names this limit.
inline constexpr std::size_t most_unpacked_bytes = std::size_t{256} << 20;

/// The bytes that packed() was given; nothing where these bytes are none of it, or unpack to more than
/// that.
std::optional<std::string> unpacked(std::string_view bytes, std::string_view example);

}  // namespace zz::core
