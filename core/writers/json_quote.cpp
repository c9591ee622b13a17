#include "core/writers/json_quote.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace zz::core {
namespace {

bool needs_no_escape(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return byte >= 0x20 && byte < 0x7f && letter != '"' && letter != '\\';
}

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
  if (std::all_of(text.begin(), text.end(), needs_no_escape)) {
    ((out += '"') += text) += '"';
    return;
  }
  out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace zz::core
