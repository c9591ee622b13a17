#pragma once
#include <string_view>

namespace zz::host {

/// True when the text is well-formed UTF-8 (RFC 3629: shortest forms, no surrogates).
inline bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i++]);
    if (byte < 0x80) continue;
    const int more = byte >= 0xc2 && byte <= 0xdf   ? 1
                     : (byte & 0xf0) == 0xe0        ? 2
                     : byte >= 0xf0 && byte <= 0xf4 ? 3
                                                    : 0;
    if (more == 0) return false;
    for (int k = 0; k < more; ++k, ++i) {
      if (i >= text.size()) return false;
      const auto next = static_cast<unsigned char>(text[i]);
      unsigned char low = 0x80, high = 0xbf;
      if (k == 0 && byte == 0xe0) low = 0xa0;
      if (k == 0 && byte == 0xed) high = 0x9f;
      if (k == 0 && byte == 0xf0) low = 0x90;
      if (k == 0 && byte == 0xf4) high = 0x8f;
      if (next < low || next > high) return false;
    }
  }
  return true;
}

}  // namespace zz::host
