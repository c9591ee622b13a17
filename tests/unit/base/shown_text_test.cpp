#include <doctest/doctest.h>
#include <string>

#include "core/base/text.hpp"

namespace {

using zz::core::shown_text;

TEST_CASE("a message repeats at most 80 letters of a text") {
  CHECK(shown_text("") == "");
  CHECK(shown_text(std::string(80, 'x')) == std::string(80, 'x'));
  CHECK(shown_text(std::string(81, 'x')) == std::string(80, 'x') + "...");
  std::string greek;
  for (int i = 0; i < 80; ++i) greek += "λ";
  CHECK(shown_text(greek) == greek);
  CHECK(shown_text(greek + "x") == greek + "...");
  // Bytes that are no letters count, too.
  CHECK(shown_text(std::string(1000, '\x80')) == std::string(320, '\x80') + "...");
}

}  // namespace
