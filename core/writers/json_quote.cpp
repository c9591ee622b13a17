#include "core/writers/json_quote.hpp"

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

namespace zz::core {
namespace {

using Bytes = std::uint64_t;  ///< eight of them

constexpr Bytes each(unsigned char byte) { return ~Bytes{0} / 255 * byte; }
constexpr Bytes high_bits = each(0x80);

/// Not 0 when some byte is below the limit, which is at most 128.
constexpr Bytes any_below(Bytes bytes, unsigned char limit) {
  return (bytes - each(limit)) & ~bytes & high_bits;
}
constexpr Bytes any_equal(Bytes bytes, unsigned char byte) { return any_below(bytes ^ each(byte), 1); }

/// Not 0 when some byte cannot stand in a JSON string as it is, or needs a closer look.
constexpr Bytes any_special(Bytes bytes) {
  return (bytes & high_bits) | any_below(bytes, 0x20) | any_equal(bytes, 0x7f) | any_equal(bytes, '"') |
         any_equal(bytes, '\\');
}

bool is_plain(std::string_view text) {
  Bytes bytes = 0;
  for (; text.size() >= sizeof(bytes); text.remove_prefix(sizeof(bytes))) {
    std::memcpy(&bytes, text.data(), sizeof(bytes));
    if (any_special(bytes) != 0) return false;
  }
  bytes = each(' ');
  if (!text.empty()) std::memcpy(&bytes, text.data(), text.size());
  return any_special(bytes) == 0;
}

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
  if (!is_plain(text)) {
    out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return;
  }
  out += '"';
  out.append(text);
  out += '"';
}

}  // namespace zz::core
