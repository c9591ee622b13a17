#include "core/output/json/json_quote.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "core/text/plain_text.hpp"

namespace zz::core {
namespace {

std::string escaped(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void append_json_escaped(std::string_view text, TextBuffer& out) { out.append(escaped(text)); }

void append_json_string(std::string_view text, std::string& out) {
  if (is_plain(text))
    out.append(1, '"').append(text).append(1, '"');
  else
    out += escaped(text);
}

}  // namespace zz::core
