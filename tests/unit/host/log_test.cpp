#include "host/base/log.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace zz::host;

TEST_CASE("a warning is written once, and how often it came at the end") {
  Log log;
  std::vector<std::string> written;
  log.show(LogLevel::warning, [&](LogLevel, const std::string& text) { written.push_back(text); });
  for (const char* text : {"odd", "even", "odd", "odd"}) log.write(LogLevel::warning, text);
  log.write_repetitions();
  CHECK(written == std::vector<std::string>{"odd", "even", "(3 times) odd"});
}

TEST_CASE("a warning that is the same for several layers is written for the first of them") {
  Log log;
  std::vector<std::string> written;
  log.show(LogLevel::warning, [&](LogLevel, const std::string& text) { written.push_back(text); });
  for (const char* text : {"layer 'a': odd", "layer 'b': odd", "layer 'b': even", "layer 'c': odd", "odd"})
    log.write(LogLevel::warning, text);
  log.write_repetitions();
  CHECK(written == std::vector<std::string>{"layer 'a': odd", "layer 'b': even",
                                            "(4 times) layer 'a' and others: odd"});
}

TEST_CASE("what a warning tells of each layer alone stands with the layer") {
  Log log;
  std::vector<std::string> written;
  log.show(LogLevel::warning, [&](LogLevel, const std::string& text) { written.push_back(text); });
  const auto warn = [&](const std::string& layer) {
    log.write(LogLevel::warning, "Stage: map.yaml:3:5: layer " + layer + ": K 8 is too much");
  };
  warn("'a' (K 8 is cut to 2)");
  warn("'b' (K 8 is cut to 3)");
  warn("'a' (K 8 is cut to 2)");
  REQUIRE(log.warnings().size() == 1);
  CHECK(log.warnings()[0].text ==
        "Stage: map.yaml:3:5: layers 'a' (K 8 is cut to 2), 'b' (K 8 is cut to 3): "
        "K 8 is too much");
  for (const char* layer : {"'c' (1)", "'d' (2)", "'e' (3)", "'f' (4)"}) warn(layer);
  log.write_repetitions();
  REQUIRE(written.size() == 2);
  CHECK(written[1] ==
        "(7 times) Stage: map.yaml:3:5: layers 'a' (K 8 is cut to 2), 'b' (K 8 is cut to 3), "
        "'c' (1), 'd' (2) and others: K 8 is too much");
}

TEST_CASE("warnings that differ cost no more the more of them there are") {
  // Compared with each other, they would take minutes.
  constexpr std::size_t many = 300'000;
  Log log;
  for (std::size_t i = 0; i < many; ++i)
    log.write(LogLevel::warning, "layer " + std::to_string(i) + " is odd");
  CHECK(log.warnings().size() == many);
}

TEST_CASE("information that equals the one before is written once") {
  Log log;
  std::vector<std::string> written;
  log.show(LogLevel::info, [&](LogLevel, const std::string& text) { written.push_back(text); });
  for (const char* text : {"step", "step", "layer", "step"}) log.write(LogLevel::info, text);
  CHECK(written == std::vector<std::string>{"step", "layer", "step"});
}

TEST_CASE("small print is neither shown nor a warning, and told once") {
  Log log;
  std::vector<std::string> written;
  log.show(LogLevel::info, [&](LogLevel, const std::string& text) { written.push_back(text); });
  for (const char* text : {"by the way", "by the way", "besides"}) log.note(text);
  CHECK(log.notes() == std::vector<std::string>{"by the way", "besides"});
  CHECK(written.empty());
  CHECK(log.warnings().empty());
}

TEST_CASE("a message that is longer than a line goes on below, what shows a file stays") {
  CHECK(in_columns("short", 5, 10) == "short");
  CHECK(in_columns("one two three four", 5, 12) == "one two\n  three four");
  CHECK(in_columns("one averyveryverylongword two", 0, 10) == "one\n  averyveryverylongword\n  two");
  CHECK(in_columns("one two\n    three four five six\n    ^", 0, 7) ==
        "one two\n    three four five six\n    ^");
}
