#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace zz::core {

/// A key of what figures follow from: the first half of a SHA-256 digest. Equal content has equal figures.
using ContentKey = std::array<unsigned char, 16>;

/// Counts the changes of zz that change figures: a store keeps what another number computed apart.
inline constexpr int figures_revision = 1;

/// The key of some texts in their order, and of figures_revision. Where one text ends and the next begins
/// counts.
ContentKey content_key(std::span<const std::string_view> parts);

/// The key that has these bytes; 0 for those that lack.
ContentKey key_of_bytes(std::string_view bytes);

/// In small hexadecimal digits.
std::string to_string(const ContentKey& key);
/// The key of one text, in digits: for texts that are long and part of many keys.
std::string digest_of(std::string_view text);

}  // namespace zz::core
