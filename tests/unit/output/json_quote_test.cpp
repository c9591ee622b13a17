#include "core/output/json/json_quote.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using zz::core::append_json_string;

TEST_CASE("a text becomes a JSON string, whatever byte stands where") {
  for (std::size_t length = 0; length <= 17; ++length) {
    for (std::size_t place = 0; place < length; ++place) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(length, 'a');
        text[place] = static_cast<char>(byte);
        std::string quoted = "x";
        append_json_string(text, quoted);
        const std::string expected =
            nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        if (quoted != "x" + expected) FAIL_CHECK("byte ", byte, " at ", place, " of ", length);
      }
    }
  }
  std::string quoted;
  append_json_string({}, quoted);
  CHECK(quoted == "\"\"");
}
