#include "core/writers/json_quote.hpp"

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

namespace zz::core {
namespace {

using Bytes = std::uint64_t;  ///< eight of them

constexpr Bytes each(unsigned char byte) { return ~Bytes{0} / 255 * byte; }
constexpr Bytes high_bits = each(0x80);

/// Has the high bit of a byte when that is below the limit, which is at most 128, or when one before it is.
constexpr Bytes any_below(Bytes bytes, unsigned char limit) { return (bytes - each(limit)) & ~bytes; }
constexpr Bytes any_equal(Bytes bytes, unsigned char byte) { return any_below(bytes ^ each(byte), 1); }

/// Not 0 when some byte cannot stand in a JSON string as it is, or needs a closer look.
constexpr Bytes any_special(Bytes bytes) {
  const Bytes from_delete_on = bytes | (bytes + each(1));
  return (from_delete_on | any_below(bytes, 0x20) | any_equal(bytes, '"') | any_equal(bytes, '\\')) &
         high_bits;
}

Bytes eight_at(const char* place) {
  Bytes bytes = 0;
  std::memcpy(&bytes, place, sizeof bytes);
  return bytes;
}

bool is_plain(std::string_view text) {
  constexpr std::size_t step = sizeof(Bytes);
  if (text.size() < step) {
    Bytes bytes = each(' ');
    for (const char letter : text) bytes = bytes << 8 | static_cast<unsigned char>(letter);
    return any_special(bytes) == 0;
  }
  // The last eight may have been looked at in part.
  Bytes special = any_special(eight_at(text.data() + text.size() - step));
  for (std::size_t i = 0; i + step < text.size(); i += step)
    special |= any_special(eight_at(text.data() + i));
  return special == 0;
}

std::string escaped(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void append_json_string(std::string_view text, TextBuffer& out) {
  if (!is_plain(text)) {
    out.append(escaped(text));
    return;
  }
  char* end = out.room(text.size() + 2);
  *end++ = '"';
  end = TextBuffer::put(end, text);
  *end++ = '"';
  out.end_at(end);
}

void append_json_string(std::string_view text, std::string& out) {
  if (is_plain(text))
    out.append(1, '"').append(text).append(1, '"');
  else
    out += escaped(text);
}

}  // namespace zz::core
