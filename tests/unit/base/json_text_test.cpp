#include "core/base/json_text.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

using Json = nlohmann::ordered_json;
using zz::core::json_text;

TEST_CASE("numbers say of which kind they are and read back exactly") {
  CHECK(json_text(48.0) == "48.0");
  CHECK(json_text(48) == "48");
  CHECK(json_text(-0.5) == "-0.5");
  CHECK(json_text(100000.0) == "100000.0");
  CHECK(json_text(3.7632e-06) == "3.7632e-06");
  CHECK(json_text(1e16) == "1e+16");
  CHECK(json_text(22230177.672) == "22230177.672");
  CHECK(json_text(std::int64_t{9007199254740993}) == "9007199254740993");
  for (const double number : {0.1 + 0.2, 5e-324, 1.7976931348623157e308, 0.03518567756802269, 2.0 / 3.0})
    CHECK(Json::parse(json_text(number)).get<double>() == number);
}

TEST_CASE("what JSON cannot express is null") {
  CHECK(json_text(std::numeric_limits<double>::infinity()) == "null");
  CHECK(json_text(std::nan("")) == "null");
  CHECK(json_text(Json()) == "null");
}

TEST_CASE("lists and maps have a line for each part, in the order given") {
  Json tree;
  tree["b"] = {1, 2.0};
  tree["a"] = Json::object();
  tree["list"] = Json::array();
  tree["quote\"d"] = "line\nend";
  CHECK(json_text(tree) ==
        "{\n"
        "    \"b\": [\n"
        "        1,\n"
        "        2.0\n"
        "    ],\n"
        "    \"a\": {},\n"
        "    \"list\": [],\n"
        "    \"quote\\\"d\": \"line\\nend\"\n"
        "}");
}

TEST_CASE("bytes that are no UTF-8 are replaced") {
  CHECK_NOTHROW(json_text(Json("\xff")));
  Json tree;
  tree["\xff"] = 1;
  CHECK_NOTHROW(json_text(tree));
}

TEST_CASE("containers below the levels of a layout stand on one line") {
  const Json tree{{"a", {{{"b", 1}, {"c", {2.5, "x"}}}, Json::array()}}};
  CHECK(json_text(tree, zz::core::one_line) == R"({"a": [{"b": 1, "c": [2.5, "x"]}, []]})");
  CHECK(json_text(tree, {.indent = 2, .levels = 2}) ==
        "{\n"
        "  \"a\": [\n"
        "    {\"b\": 1, \"c\": [2.5, \"x\"]},\n"
        "    []\n"
        "  ]\n"
        "}");
}

TEST_CASE("a text becomes a JSON string, whatever byte stands where") {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text{'a', static_cast<char>(byte), 'b'};
    const bool escaped = byte == 0x7F;
    CHECK(zz::core::json_string(text) == Json(text).dump(-1, ' ', escaped, Json::error_handler_t::replace));
  }
  CHECK(zz::core::json_string("") == "\"\"");
  CHECK(zz::core::json_string("\xC3\xA9") == "\"\xC3\xA9\"");
  CHECK(zz::core::json_string("\xE2\x80\xAEx") == "\"\\u202ex\"");
}
