#include "host/boundary/input.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "core/value/read.hpp"
#include "host/values/handles.hpp"

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
    return core::to_json(
        host::read_input(file.path, form, settings, core::Files::on_disk(), diagnostics).ref());
  } catch (const core::InputError& problems) {
    std::string all;
    for (const core::Diagnostic& problem : problems.diagnostics())
      all += std::to_string(problem.mark.line) + ": " + problem.message + " " + problem.hint + "\n";
    return all;
  }
}

/// Problems of the file, a line each, with places.
std::string wrong(const std::string& text, std::int32_t form, std::span<const zz_param> table = settings) {
  const File file(text);
  core::Diagnostics diagnostics;
  std::string all;
  try {
    host::read_input(file.path, form, table, core::Files::on_disk(), diagnostics);
  } catch (const core::InputError& problems) {
    for (const core::Diagnostic& problem : problems.diagnostics()) {
      all += (all.empty() ? "" : "\n") + ("costs.yaml:" + std::to_string(problem.mark.line)) + ":" +
             std::to_string(problem.mark.column) + ": error: " + problem.message +
             (problem.hint.empty() ? "" : "; " + problem.hint);
    }
  }
  return all;
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

TEST_CASE("a stage's own file: what is wrong is told with line, column and a hint") {
  CHECK(
      wrong(
          "- {memory: a, r_cost: -1}\n- memmory: b\n  table: [t]\n- 3\n- {memory: c, read: 1, r_cost: 2}\n"
          "- {memory: , read: [1]}\n- memory: d\n  read: 1e\n",
          ZZ_LIST) ==
      "costs.yaml:1:23: error: 'r_cost' of row 1 of costs.yaml must lie in [0, inf] pJ, but found the "
      "number "
      "-1\n"
      "costs.yaml:2:3: error: unknown key 'memmory' of row 2 of costs.yaml; did you mean 'memory'?\n"
      "costs.yaml:3:10: error: 'table' of row 2 of costs.yaml must be text, but found a list\n"
      "costs.yaml:4:3: error: row 3 of costs.yaml must be a map (lines of 'key: value'), but found the "
      "number "
      "3\n"
      "costs.yaml:5:24: error: 'r_cost' of row 4 of costs.yaml is given twice\n"
      "costs.yaml:6:4: error: 'memory' of row 5 of costs.yaml must not be empty\n"
      "costs.yaml:6:20: error: 'r_cost' of row 5 of costs.yaml must be a number, but found a list\n"
      "costs.yaml:8:9: error: 'r_cost' of row 6 of costs.yaml must be a number, but found the text '1e'; "
      "YAML "
      "wants a point and a signed exponent, as in 1.0e+3");
  CHECK(wrong("{memory: a, size: 2}", ZZ_MAP) ==
        "costs.yaml:1:13: error: unknown key 'size' of costs.yaml; known: memory, r_cost, table");
}

TEST_CASE("a stage's own file: items and ranges of settings") {
  const auto said = [](const std::string& text) { return wrong(text, ZZ_MAP, sizes); };
  CHECK(said("{sizes: [1, 2, 9, 7], share: 1e-3}").find("costs.yaml:1:16: error: item 3 of 'sizes'") == 0);
  CHECK(said("{share: '0.5'}").find("remove the quotes") != std::string::npos);
  CHECK(said("{share: 0}").find("must lie in (0, 1]") != std::string::npos);
  CHECK(said("{sizes: [], share: 0.5}").empty());
}
