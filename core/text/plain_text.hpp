#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

namespace zz::core {

namespace plain_text {

using Bytes = std::uint64_t;  ///< eight of them

constexpr Bytes each(unsigned char byte) { return ~Bytes{0} / 255 * byte; }
constexpr Bytes high_bits = each(0x80);

/// Has the high bit of a byte when that is below the limit, which is at most 128, or when one before it is.
constexpr Bytes any_below(Bytes bytes, unsigned char limit) { return (bytes - each(limit)) & ~bytes; }
constexpr Bytes any_equal(Bytes bytes, unsigned char byte) { return any_below(bytes ^ each(byte), 1); }

/// Not 0 when some byte is no plain letter, or needs a closer look.
constexpr Bytes any_special(Bytes bytes) {
  const Bytes from_delete_on = bytes | (bytes + each(1));
  return (from_delete_on | any_below(bytes, 0x20) | any_equal(bytes, '"') | any_equal(bytes, '\\')) &
         high_bits;
}

template <class Number>
Number bytes_at(const char* place) {
  Number bytes = 0;
  std::memcpy(&bytes, place, sizeof bytes);
  return bytes;
}

}  // namespace plain_text

/// Whether a text is of printable ASCII letters only, without quotation marks and backslashes: what JSON
/// takes as it is, and a terminal shows in one column each.
inline bool is_plain(std::string_view text) {
  using namespace plain_text;
  const char* const begin = text.data();
  const std::size_t size = text.size();
  if (size >= sizeof(Bytes)) {
    // The last eight may be looked at twice in part.
    Bytes special = any_special(bytes_at<Bytes>(begin + size - sizeof(Bytes)));
    for (std::size_t i = 0; i + sizeof(Bytes) < size; i += sizeof(Bytes))
      special |= any_special(bytes_at<Bytes>(begin + i));
    return special == 0;
  }
  if (size >= sizeof(std::uint32_t)) {
    const Bytes first = bytes_at<std::uint32_t>(begin);
    return any_special(first << 32 | bytes_at<std::uint32_t>(begin + size - sizeof(std::uint32_t))) == 0;
  }
  Bytes bytes = each(' ');
  for (const char letter : text) bytes = bytes << 8 | static_cast<unsigned char>(letter);
  return any_special(bytes) == 0;
}

}  // namespace zz::core
