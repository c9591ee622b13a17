#include "host/services/input.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "core/input/yaml/document.hpp"
#include "core/value/read.hpp"
#include "host/values/error_sink.hpp"
#include "zz/testing/input.hpp"

namespace {

using namespace zz;

constexpr zz_param settings[] = {
    {"memory", ZZ_STR, ZZ_REQUIRED, nullptr, nullptr, nullptr, "its name", nullptr, nullptr},
    {"r_cost", ZZ_F64, 0, "2", "[0, inf]", "pJ", "of one read", "read", nullptr},
    {"table", ZZ_STR, ZZ_INPUT_PATH, nullptr, nullptr, nullptr, "a file", nullptr, nullptr}};
constexpr zz_param sizes[] = {{"sizes", ZZ_LIST, 0, nullptr, "[1, 4]", "bit", "of words", nullptr, nullptr},
                              {"share", ZZ_F64, 0, nullptr, "(0, 1]", nullptr, "of all", nullptr, nullptr}};

struct File {
  // Tests run at the same time.
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("zz-input-test-" + std::to_string(::getpid()));
  std::string path = (folder / "costs.yaml").string();
  explicit File(const std::string& text) {
    std::filesystem::create_directories(folder);
    std::ofstream(path) << text;
  }
  ~File() { std::filesystem::remove_all(folder); }
};

std::string read(const std::string& text, std::int32_t form) {
  const File file(text);
  core::Diagnostics diagnostics;
  try {
    return core::to_json(host::read_input(file.path, form, settings, diagnostics).ref());
  } catch (const core::InputError& problems) {
    std::string all;
    for (const core::Diagnostic& problem : problems.diagnostics())
      all += std::to_string(problem.mark.line) + ": " + problem.message + " " + problem.hint + "\n";
    return all;
  }
}

/// What the host of zz/testing.hpp says about the same file.
std::string read_in_memory(const std::string& text, std::int32_t form,
                           std::span<const zz_param> table = settings) {
  testing::SettingsOfFile file("costs.yaml", table);
  try {
    testing::Node::drop(file.read(testing::YamlReader::read(text), form));
  } catch (const testing::YamlError& syntax) {
    file.add(syntax.mark, "syntax");
  }
  return file.wrong();
}
std::string read_from_disk(const std::string& text, std::int32_t form,
                           std::span<const zz_param> table = settings) {
  const File file(text);
  core::Diagnostics diagnostics;
  std::string all;
  try {
    host::read_input(file.path, form, table, diagnostics);
  } catch (const core::InputError& problems) {
    for (const core::Diagnostic& problem : problems.diagnostics()) {
      all += (all.empty() ? "" : "\n") + ("costs.yaml:" + std::to_string(problem.mark.line)) + ":" +
             std::to_string(problem.mark.column) + ": error: " + problem.message +
             (problem.hint.empty() ? "" : "; " + problem.hint);
    }
  }
  return all;
}

/// "number 8", "text 1e3": what a piece of YAML is.
std::string said(const testing::YamlNode& node) {
  if (const auto truth = testing::as_bool(node)) return *truth ? "true" : "false";
  if (const auto integer = testing::as_int(node)) return "number " + std::to_string(*integer);
  if (const auto number = testing::as_double(node)) return "number " + std::to_string(*number);
  return node.kind == testing::YamlNode::null ? "null" : "text " + node.text;
}
std::string said(const core::yaml::Node& node) {
  if (const auto truth = node.as_bool()) return *truth ? "true" : "false";
  if (const auto integer = node.as_int()) return "number " + std::to_string(*integer);
  if (const auto number = node.as_double()) return "number " + std::to_string(*number);
  return node.is_null() ? "null" : "text " + node.text;
}

}  // namespace

TEST_CASE("a stage's own file: one map of settings, completed with defaults") {
  CHECK(read("memory: dram", ZZ_MAP) == R"({"memory": "dram", "r_cost": 2.0, "table": null})");
  CHECK(read("{read: 3, memory: 7}", ZZ_MAP) == R"({"memory": "7", "r_cost": 3.0, "table": null})");
}

TEST_CASE("a stage's own file: paths in it count from its folder") {
  const std::string found = read("{memory: dram, table: sizes/l1.yaml}", ZZ_MAP);
  CHECK(found.find(std::to_string(::getpid()) + "/sizes/l1.yaml") != std::string::npos);
}

TEST_CASE("a stage's own file: rows, and anything") {
  CHECK(
      read("[{memory: a}, {memory: b, r_cost: 1}]", ZZ_LIST) ==
      R"([{"memory": "a", "r_cost": 2.0, "table": null}, {"memory": "b", "r_cost": 1.0, "table": null}])");
  CHECK(read("[1, {a: yes}]", ZZ_NULL) == R"([1, {"a": true}])");
}

TEST_CASE("a stage's own file: everything that is wrong is told at once") {
  CHECK(read("- {memory: a, r_cost: -1}\n- {memmory: b}\n- 3", ZZ_LIST) ==
        "1: 'r_cost' of row 1 of costs.yaml must lie in [0, inf] pJ, but found the number -1 \n"
        "2: unknown key 'memmory' of row 2 of costs.yaml did you mean 'memory'?\n"
        "3: row 3 of costs.yaml must be a map (lines of 'key: value'), but found the number 3 \n");
  CHECK(read("{memory: a, r_cost: 1, read: 2}", ZZ_MAP) == "1: 'r_cost' of costs.yaml is given twice \n");
  CHECK(read("memory: a", ZZ_LIST).find("must be a list") != std::string::npos);
}

TEST_CASE("a stage's own file that cannot be read is the user's mistake") {
  zz_error error;
  const std::string path = "/nowhere/costs.yaml";
  CHECK(host::input_table.read(nullptr, {path.data(), path.size()}, ZZ_MAP, settings, 3, &error) ==
        nullptr);
  CHECK(error.code == ZZ_E_INVALID);
  CHECK(error.message.find("costs.yaml") != std::string::npos);
}

TEST_CASE("the host in memory of zz/testing.hpp says of a file what this host says") {
  for (const char* text :
       {"- {memory: a, r_cost: -1}\n- {memmory: b}\n- 3", "memory: a", "- memory: a\n  read: many\n",
        "- {memory: a, r_cost: 1, read: 2}", "- {memory: , r_cost: [1]}\n- {weight: 2}",
        "- {memory: a, table: b}", "- memory: [a]\n  table: {b: c}\n- {}\n-\n- yes\n- 'x'\n",
        "- {memory: a, memory: b}", "- memory:\n  r_cost:\n", "-\n- memory: 1\n  read: TRUE"}) {
    CAPTURE(text);
    CHECK(read_in_memory(text, ZZ_LIST) == read_from_disk(text, ZZ_LIST));
    CHECK(read_in_memory(text, ZZ_MAP) == read_from_disk(text, ZZ_MAP));
  }
}

TEST_CASE("the host in memory of zz/testing.hpp has the same hints") {
  for (const char* text :
       {"{sizes: [1, 2, 9, 7], share: 1e-3}", "{sizes: 3, share: '0.5'}", "{sizes: [a], share: e3}",
        "{sizes: [], share: 0}", "{share: \"half\"}", "{share: [1]}"}) {
    CAPTURE(text);
    CHECK(read_in_memory(text, ZZ_MAP, sizes) == read_from_disk(text, ZZ_MAP, sizes));
  }
}

TEST_CASE("the host in memory of zz/testing.hpp takes the same texts for numbers") {
  for (const char* text : {"0",
                           "-12",
                           "+3",
                           "007",
                           "08",
                           "0x1F",
                           "0b101",
                           "1e3",
                           "1.0e+3",
                           "1.5e3",
                           "1.",
                           ".5",
                           ".",
                           "-.5",
                           "+.5e-2",
                           "-.inf",
                           ".nan",
                           "inf",
                           "9223372036854775807",
                           "9223372036854775808",
                           "yes",
                           "Off",
                           "y",
                           "null",
                           "~",
                           "1.2.3",

                           "1 2",
                           "12 # twelve",
                           "a#b",
                           "'12'",
                           "\"1\""}) {
    CAPTURE(text);
    core::Diagnostics ignored;
    const core::yaml::Node list = core::yaml::load_text("[" + std::string(text) + "\n]", "", ignored);
    CHECK(said(testing::YamlReader::read("[" + std::string(text) + "\n]").items[0]) == said(list.items[0]));
  }
}
