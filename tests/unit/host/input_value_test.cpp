#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <string>

#include "core/input/zigzag/workload_yaml.hpp"
#include "core/schema/types.hpp"
#include "core/value/edit.hpp"
#include "core/value/read.hpp"
#include "host/boundary/input.hpp"

using namespace zz;

namespace {

std::string message_of(std::string_view type, const std::string& text) {
  try {
    core::Diagnostics diagnostics;
    host::parse_value(type, text, "made up", {}, diagnostics);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

std::string type_of_file(std::string_view type, const std::string& path) {
  core::Diagnostics diagnostics;
  const core::Value loaded = host::load_value(type, path, core::Files::on_disk(), {}, diagnostics);
  std::ifstream in(path);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  CHECK(core::to_json(host::parse_value(type, text, path, {}, diagnostics).ref()) ==
        core::to_json(loaded.ref()));
  return std::string(core::type_name_of(loaded.ref()));
}

}  // namespace

TEST_CASE("input files and their texts become values") {
  const std::string inputs = ZZ_SOURCE_DIR "/tests/inputs/";
  CHECK(type_of_file("accelerator", inputs + "accelerator.yaml") == "accelerator");
  CHECK(type_of_file("mapping_file", inputs + "mapping.yaml") == "mapping_file");
  CHECK(type_of_file("workload", inputs + "workload.yaml") == "workload");
  CHECK(type_of_file("yaml", inputs + "pipeline.yaml").empty());
}

TEST_CASE("layers of a text get the entries that the built-in readers choose") {
  const std::string inputs = ZZ_SOURCE_DIR "/tests/inputs/";
  core::Diagnostics diagnostics;
  const core::Files& files = core::Files::on_disk();
  for (const char* const name : {"workload.yaml", "stream_workload.yaml"}) {
    const core::Value file =
        host::load_value("mapping_file", inputs + "mapping.yaml", files, {}, diagnostics);
    const core::Value network = host::load_value("workload", inputs + name, files, {}, diagnostics);
    const auto read =
        core::read_workload(inputs + name, *file.as<core::MappingFile>(), {}, diagnostics, files);
    CHECK_FALSE(*network.as<core::Workload>()->layers.front() == *read.layers.front());
    const core::Value chosen = host::choose_entries(network.ref(), file.ref(), {}, diagnostics);
    const auto workload = chosen.as<core::Workload>();
    REQUIRE(workload->layers.size() == read.layers.size());
    for (std::size_t i = 0; i < read.layers.size(); ++i) {
      CHECK(*workload->layers[i] == *read.layers[i]);
      const core::Value alone = core::Value::object(network.as<core::Workload>()->layers[i]);
      CHECK(*host::choose_entries(alone.ref(), file.ref(), {}, diagnostics).as<core::Layer>() ==
            *read.layers[i]);
    }
    CHECK_THROWS_WITH_AS(host::choose_entries(network.ref(), network.ref(), {}, diagnostics),
                         "expected a mapping_file, found an object of type 'workload'", core::ValueError);
    CHECK_THROWS_WITH_AS(host::choose_entries(file.ref(), file.ref(), {}, diagnostics),
                         "expected a layer or a workload, found an object of type 'mapping_file'",
                         core::ValueError);
  }
}

TEST_CASE("JSON becomes a plain tree") {
  core::Diagnostics diagnostics;
  const std::string text = R"({"a": [1, 2.5, true, null, "\u00e9"], "b": {"c": -3}})";
  CHECK(core::to_json(host::parse_value("json", text, "made up", {}, diagnostics).ref()) ==
        "{\"a\": [1, 2.5, true, null, \"\u00e9\"], \"b\": {\"c\": -3}}");
}

TEST_CASE("JSON: whole numbers beyond 64 bits stay what they are, others are refused by name") {
  core::Diagnostics diagnostics;
  const std::string text = "[9223372036854775807, 9223372036854775808]";
  const core::Value list = host::parse_value("json", text, "made up", {}, diagnostics);
  CHECK(core::to_json(core::part_at(list.ref(), 0)) == "9223372036854775807");
  double number = 0;
  REQUIRE(core::read_f64(core::part_at(list.ref(), 1), number));
  CHECK(number == 9223372036854775808.0);
  CHECK(message_of("json", "[1e400]").find("made up: is no JSON") != std::string::npos);
}

TEST_CASE("what is wrong with a text is said with its name and place") {
  CHECK(message_of("json", "{\"a\": }").find("made up: is no JSON") != std::string::npos);
  CHECK(message_of("json", "{\"a\": }").find("line 1, column 7") != std::string::npos);
  CHECK(message_of("json", std::string(100000, '[')).find("made up: ") != std::string::npos);
  CHECK(message_of("accelerator", "nme: x").find("made up:1:1") != std::string::npos);
  CHECK(message_of("acelerator", "").find("did you mean 'accelerator'?") != std::string::npos);
}
