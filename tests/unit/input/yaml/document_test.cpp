#include "core/input/yaml/document.hpp"

#include <doctest/doctest.h>
#include <string>
#include <thread>
#include <vector>

using namespace zz::core;

namespace {

yaml::Node load(const std::string& text) {
  Diagnostics diagnostics;
  yaml::Node node = yaml::load_text(text, "t.yaml", diagnostics);
  CHECK(diagnostics.all().empty());
  return node;
}

/// The first error of a text, as "line:column message; hint".
std::string failure(const std::string& text) {
  Diagnostics diagnostics;
  try {
    yaml::load_text(text, "t.yaml", diagnostics);
  } catch (const InputError& error) {
    const Diagnostic& first = error.diagnostics().at(0);
    return std::to_string(first.mark.line) + ":" + std::to_string(first.mark.column) + " " + first.message +
           "; " + first.hint;
  }
  return "";
}

}  // namespace

TEST_CASE("maps keep the order of the file and the places of keys and values") {
  const yaml::Node node = load("b: 1\na:\n  - x\n  - 2.5\n");
  REQUIRE(node.entries.size() == 2);
  CHECK(node.entries[0].first == "b");
  CHECK(node.entries[0].second.as_int() == 1);
  CHECK(node.key_marks[1] == SourceMark{"t.yaml", 2, 1});
  const yaml::Node& list = *node.find("a");
  REQUIRE(list.items.size() == 2);
  CHECK(list.items[1].mark == SourceMark{"t.yaml", 4, 5});
  CHECK(list.items[1].as_double() == 2.5);
  CHECK(node.find("c") == nullptr);
}

TEST_CASE("quotes and tags decide what a scalar is") {
  const yaml::Node node = load("[\"12\", 12, !!str 12, yes, 'yes', ~, '', null]");
  CHECK(node.items[0].as_text() == "12");
  CHECK_FALSE(node.items[0].as_int().has_value());
  CHECK_FALSE(node.items[1].as_text().has_value());
  CHECK(node.items[2].as_text() == "12");
  CHECK(node.items[3].as_bool() == true);
  CHECK(node.items[4].as_text() == "yes");
  CHECK(node.items[5].is_null());
  CHECK(node.items[6].as_text() == "");
  CHECK(node.items[7].is_null());
}

TEST_CASE("columns count characters, and the parts of an alias keep the places where they are written") {
  const yaml::Node node = load("größe: &x [ä, b]\ncopy: *x\n-: {ü: é, k: v}\n");
  CHECK(node.find("größe")->mark == SourceMark{"t.yaml", 1, 8});
  CHECK(node.find("größe")->items[1].mark == SourceMark{"t.yaml", 1, 15});
  CHECK(node.find("copy")->items[1].mark == SourceMark{"t.yaml", 1, 15});
  CHECK(node.key_marks[1] == SourceMark{"t.yaml", 2, 1});
  const yaml::Node& map = *node.find("-");
  CHECK(map.key_marks[1] == SourceMark{"t.yaml", 3, 11});
  CHECK(map.entries[1].second.mark == SourceMark{"t.yaml", 3, 14});
}

TEST_CASE("of two equal keys the last one counts, and a warning names both places") {
  Diagnostics diagnostics;
  const yaml::Node node = yaml::load_text("a: 1\nb: 2\na: 3\n", "t.yaml", diagnostics);
  REQUIRE(node.entries.size() == 2);
  CHECK(node.entries[0].first == "a");
  CHECK(node.find("a")->as_int() == 3);
  REQUIRE(diagnostics.all().size() == 1);
  CHECK_FALSE(diagnostics.has_errors());
  CHECK(diagnostics.all()[0].mark == SourceMark{"t.yaml", 3, 1});
  CHECK(diagnostics.all()[0].message ==
        "the key 'a' stands twice in this map (first on line 1); the last one counts");
}

TEST_CASE("a key that stands three times, within a list, is warned of twice") {
  Diagnostics diagnostics;
  const yaml::Node node = yaml::load_text("- {a: 1}\n- a: 1\n  a: 2\n  \"a\": 3\n", "t.yaml", diagnostics);
  CHECK(node.items[0].find("a")->as_int() == 1);
  CHECK(node.items[1].find("a")->as_int() == 3);
  CHECK(node.items[1].key_marks == std::vector{SourceMark{"t.yaml", 4, 3}});
  REQUIRE(diagnostics.all().size() == 2);
  CHECK(diagnostics.all()[0].mark == SourceMark{"t.yaml", 3, 3});
  CHECK(diagnostics.all()[1].mark == SourceMark{"t.yaml", 4, 3});
  CHECK(diagnostics.all()[1].message.find("first on line 3") != std::string::npos);
}

TEST_CASE("aliases and merge keys are expanded") {
  const yaml::Node node = load(
      "base: &base {x: 1, y: 2}\n"
      "more: &more {y: 5, z: 6}\n"
      "copy: *base\n"
      "own: {y: 3, <<: *base}\n"
      "both: {<<: [*base, *more]}\n");
  CHECK(node.find("copy")->find("y")->as_int() == 2);
  const yaml::Node& own = *node.find("own");
  CHECK(own.entries[0].first == "x");
  CHECK(own.find("y")->as_int() == 3);
  CHECK(own.find("<<") == nullptr);
  const yaml::Node& both = *node.find("both");
  CHECK(both.find("y")->as_int() == 2);
  CHECK(both.find("z")->as_int() == 6);
}

TEST_CASE("a number with a unit is told in bits") {
  const auto hint = [](const char* text) {
    zz::core::yaml::Node node;
    node.kind = zz::core::yaml::Node::Kind::scalar;
    node.text = text;
    return number_hint(node);
  };
  CHECK(hint("64 kB") == "give a number without a unit; 64 kB are 524288 bits");
  CHECK(hint("1.5MiB") == "give a number without a unit; 1.5MiB are 12582912 bits");
  CHECK(hint("16 b") == "give a number without a unit; 16 b are 16 bits");
  CHECK(hint("500 MHz").empty());
  CHECK(hint("64").empty());
}

TEST_CASE("what cannot be read says where and why") {
  CHECK(failure("").find("the file is empty") != std::string::npos);
  CHECK(failure("# only a comment\n").find("the file is empty") != std::string::npos);
  CHECK(failure("a: 1\n---\nb: 2\n").find("a second YAML document") != std::string::npos);
  CHECK(failure("a:\n\tb: 1\n").find("2:1 YAML syntax: a tab in the indentation") == 0);
  CHECK(failure("a: b: c\n").find("1:5 YAML syntax: a ':' is not allowed here") == 0);
  CHECK(failure("a: [1, 2\nb: 3\n").find("']'") != std::string::npos);
  CHECK(failure("a: *x\n").find("1:4 YAML syntax: this alias") == 0);
  CHECK(failure("a: &x [*x]\n").find("within what it refers to") != std::string::npos);
  CHECK(failure("a: \"open\nb: 2\n").find("closing quote") != std::string::npos);
  CHECK(failure("a: 'open").find("closing quote") != std::string::npos);
  CHECK(failure("? [1, 2]\n: x\n").find("a key must be text") != std::string::npos);
  CHECK(failure("<<: 3\n").find("merges maps") != std::string::npos);
  CHECK(failure("!thing x\n").find("the tag '!thing'") != std::string::npos);
  CHECK(failure(std::string("a: \0b", 5)).find("not a text file") != std::string::npos);
  CHECK(failure("a: |\n  text\n  more\n").empty());
  CHECK(failure("a: 1\nb\nc: 2\n").find("2:1 YAML syntax: this line does not fit into the map") == 0);
  CHECK(failure("- a\nb: 1\n").find("2:1 YAML syntax: this line does not fit into the list") == 0);
  CHECK(failure("a: {b: 1\nc: 2\n").find("'}'") != std::string::npos);
  CHECK(failure("a: - b\n").find("1:4 YAML syntax: a list cannot begin here") == 0);
  CHECK(failure("a: @b\n").find("1:4 YAML syntax: no text can begin like this") == 0);
  CHECK(failure("a: [*, 2]\n").find("in quotes") != std::string::npos);
  CHECK(failure("a: [1, 2}\n").find("1:9 YAML syntax: a list that began with '['") == 0);
  CHECK(failure("a: }\n").find("1:4 YAML syntax: nothing is open") == 0);
  CHECK(failure("a: 1\n---\n").find("a second YAML document") != std::string::npos);
  CHECK(failure("  a: 1\n b: 2\n").find("2:2 YAML syntax: the document has ended before this") == 0);
  CHECK(failure("a:\n  b: 1\n c: 2\n").find("3:2 YAML syntax: this line does not fit into the map") == 0);
  CHECK(failure("a:\n  b: 1\n\n  c\n  d: 2\n").find("4:3 YAML syntax: this line does not fit into") == 0);
  CHECK(failure("a: 1\nb\n").find("2:1 YAML syntax: this line does not fit into the map") == 0);
  CHECK(failure("a: x\n  y: 3\n").find("2:4 YAML syntax: a ':' is not allowed here") == 0);
  CHECK(failure("a:\n  - b\n\t- c\n").find("3:1 YAML syntax: a tab in the indentation") == 0);
  CHECK(failure("a:\n\tb\n").find("2:1 YAML syntax: a tab in the indentation") == 0);
  CHECK(failure("a: it's\nb: \"open\nc: d\n").find("2:4 YAML syntax: the text that begins here") == 0);
  CHECK(failure("a: [\"x\", 'it''s', \"open]\n").find("1:19 YAML syntax: the text that begins here") == 0);
  CHECK(failure("a: \"x\n---\ny\"\n").find("1:4 YAML syntax: the text that begins here is not closed") ==
        0);
  CHECK(failure("a: \a\n").find("1:4 YAML syntax: there is a control character here") == 0);
  CHECK(failure("a: é \xff\n").find("1:6 YAML syntax: these bytes are no UTF-8") == 0);
  CHECK(failure("a: \xff\n").find("1:4 YAML syntax: these bytes are no UTF-8") == 0);
}

TEST_CASE("an empty value stands where its key does") {
  const yaml::Node node = load("a:\nb: 1\n");
  CHECK(node.find("a")->is_null());
  CHECK(node.find("a")->mark == SourceMark{"t.yaml", 1, 1});
  const yaml::Node list = load("-\n- b\n-\n");
  CHECK(list.items[0].mark == SourceMark{"t.yaml", 1, 2});
  CHECK(list.items[2].mark == SourceMark{"t.yaml", 3, 2});
}

TEST_CASE("a byte order mark and Windows line ends are read over") {
  const yaml::Node node = load(
      "\xef\xbb\xbf"
      "a: 1\r\nb: [x, \"y\"]\r\n");
  CHECK(node.find("a")->as_int() == 1);
  CHECK(node.find("b")->items[1].as_text() == "y");
}

TEST_CASE("aliases that multiply each other are refused") {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) text += (j > 0 ? ", " : "") + before;
    text += "]\n";
  }
  CHECK(failure(text).find("more than 4000000 values up to here") != std::string::npos);
}

TEST_CASE("lists and maps nest 400 levels deep, and not without limit") {
  const auto nested = [](int levels) {
    return std::string(static_cast<std::size_t>(levels), '[') +
           std::string(static_cast<std::size_t>(levels), ']');
  };
  CHECK(failure(nested(400)).empty());
  const std::string too_deep = "lists and maps are nested more than 400 levels deep";
  CHECK(failure(nested(401)).find("1:401 YAML syntax: " + too_deep) == 0);
  const auto repeated = [](const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  for (const char* level : {"[", "{a: ", "- ", "? ", "- ? ", "[a, ", "!!seq [", "{[", "&a ["})
    CHECK_MESSAGE(failure(repeated(level, 300'000)).find(too_deep) != std::string::npos, level);
  std::string lines;
  for (int i = 0; i < 500; ++i) lines += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  CHECK(failure(lines).find("401:401 YAML syntax: " + too_deep) == 0);
  CHECK(failure("a: '" + repeated("[", 500) + "' # " + repeated("{", 500)).empty());
}

TEST_CASE("values in brackets and anchors are counted before they take memory") {
  std::string list = "[";
  for (int i = 0; i <= 4'000'000; ++i) list += "a,";
  CHECK(failure(list).find("more than 4000000 values in brackets") != std::string::npos);
  std::string open, leaf, close;
  for (int i = 0; i < 300; ++i) open += "&a" + std::to_string(i) + " [";
  for (int i = 0; i < 20'000; ++i) leaf += "a,";
  for (int i = 0; i < 300; ++i) close += "]";
  CHECK(failure(open + leaf + close).find("more than 4000000 values up to here") != std::string::npos);
}

TEST_CASE("columns in a line as long as the file are counted once, merged maps keep their order") {
  std::string line = "[";
  for (int i = 0; i < 100'000; ++i) line += "é,";
  const yaml::Node node = load(line + "x]");
  CHECK(node.items.back().mark.column == 200'002);
  std::string base = "- &a {", own = "- {<<: *a, ";
  for (int i = 0; i < 25'000; ++i) {
    base += "a" + std::to_string(i) + ": 1, ";
    own += "b" + std::to_string(i) + ": 1, ";
  }
  const yaml::Node merged = load(base + "}\n" + own + "}\n");
  REQUIRE(merged.items[1].entries.size() == 50'000);
  CHECK(merged.items[1].entries[0].first == "a0");
  CHECK(merged.items[1].entries[25'000].first == "b0");
}

TEST_CASE("threads read at the same time") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "key" + std::to_string(i) + ": [1, {a: b}, 'text']\n";
  std::vector<std::size_t> entries(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t& count : entries) threads.emplace_back([&] { count = load(text).entries.size(); });
  }
  CHECK(entries == std::vector<std::size_t>(4, 300));
}

TEST_CASE("a file that cannot be opened is named") {
  Diagnostics diagnostics;
  CHECK_THROWS_WITH_AS(yaml::load_file("no/such/file.yaml", diagnostics),
                       "no/such/file.yaml: error: there is no such file", InputError);
  CHECK_THROWS_WITH_AS(yaml::load_file(".", diagnostics),
                       ".: error: this is a folder; a YAML file is expected", InputError);
}

TEST_CASE("tags of other tools are kept where a reader asks for them, and refused elsewhere") {
  const std::string text =
      "nodes:\n- !Container\n  name: a\n- !Parallel {name: '!b'}\n- !Nothing\n- c: !!str 1\n";
  Diagnostics diagnostics;
  const yaml::Node root = yaml::load_text(text, "t.yaml", diagnostics, "", yaml::OwnTags::kept);
  const std::vector<yaml::Node>& nodes = root.find("nodes")->items;
  REQUIRE(nodes.size() == 4);
  CHECK(nodes[0].text == "Container");
  CHECK(nodes[0].find("name")->text == "a");
  CHECK(nodes[1].text == "Parallel");
  CHECK(nodes[1].find("name")->text == "!b");
  CHECK(nodes[2].is_map());
  CHECK(nodes[2].text == "Nothing");
  CHECK(nodes[3].text == "");
  CHECK(failure(text).find("the tag '!Container' has no meaning here") != std::string::npos);
}
