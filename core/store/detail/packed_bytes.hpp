#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace zz::core {

/// Bytes as what they add to `example`: zlib's format (RFC 1950) with a dictionary.
std::string packed(std::string_view bytes, std::string_view example);
/// What packed() was given; nothing where these bytes are none of it.
std::optional<std::string> unpacked(std::string_view bytes, std::string_view example);

}  // namespace zz::core
