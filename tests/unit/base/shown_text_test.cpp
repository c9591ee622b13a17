#include <doctest/doctest.h>
#include <string>

#include "core/base/short_quotes.hpp"
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

TEST_CASE("a message quotes no long text") {
  using zz::core::with_short_quotes;
  const std::string name(200, 'n'), text(201, 't'), cut = std::string(80, 't') + "...";
  for (const std::string& message : {std::string("'a' of layer 3 ('first') is 'b'; known: 'c'"),
                                     std::string("ZigZag's layers' figures\nof two lines"),
                                     "no file '" + name + "' there", "not quoted: " + text + text})
    CHECK(with_short_quotes(message) == message);
  CHECK(with_short_quotes("found '" + text + "', not a number") == "found '" + cut + "', not a number");
  CHECK(with_short_quotes("found '" + text) == "found '" + cut);
  CHECK(with_short_quotes("('a\nb'), 'c\n" + text + "' of 'it'") ==
        "('a b'), 'c " + std::string(78, 't') + "...' of 'it'");
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += "x\n";
  CHECK(with_short_quotes("the text '" + lines + "'").find('\n') == std::string::npos);
}

}  // namespace
