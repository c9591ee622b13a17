#include "core/writers/json_quote.hpp"

#include <array>
#include <nlohmann/json.hpp>

namespace zz::core {
namespace {

/// 1 for bytes that cannot stand in a JSON string as they are, or need a closer look.
constexpr std::array<unsigned char, 256> make_special() {
  std::array<unsigned char, 256> special{};
  for (int byte = 0; byte < 256; ++byte)
    special[byte] = byte < 0x20 || byte >= 0x7f || byte == '"' || byte == '\\' ? 1 : 0;
  return special;
}
constexpr std::array<unsigned char, 256> special = make_special();

bool is_plain(std::string_view text) {
  unsigned char any = 0;
  for (const char letter : text) any |= special[static_cast<unsigned char>(letter)];
  return any == 0;
}

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
  if (!is_plain(text)) {
    out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return;
  }
  const std::size_t begin = out.size();
  out.resize(begin + text.size() + 2);
  out[begin] = '"';
  text.copy(out.data() + begin + 1, text.size());
  out.back() = '"';
}

}  // namespace zz::core
