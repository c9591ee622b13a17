#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "core/hardware/open_costs.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/input/zigzag/workload_yaml.hpp"
#include "tests/unit/worlds/recorded.hpp"

// ZigZag's own files load unchanged.

namespace {

using namespace zz::core;
namespace fs = std::filesystem;

std::vector<fs::path> yaml_files(const char* folder) {
  std::vector<fs::path> files;
  const fs::path path = zz::test::oracle_path() / "inputs" / folder;
  if (!fs::is_directory(path)) {
    MESSAGE("skipped: no recorded inputs at " << path.string());
    return files;
  }
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  return files;
}

}  // namespace

TEST_CASE("recorded accelerators load") {
  for (const fs::path& file : yaml_files("hardware")) {
    CAPTURE(file.string());
    Diagnostics diagnostics;
    const Accelerator accelerator = read_accelerator(file.string(), diagnostics);
    CHECK_NOTHROW(accelerator.validate());
    // One memory of tpu_like has the key 'ports' twice, and generic_array_cacti allocates directions twice.
    if (file.stem() == "tpu_like") {
      REQUIRE(diagnostics.all().size() == 1);
      CHECK(diagnostics.all()[0].message ==
            "the key 'ports' stands twice in this map (first on line 67); the last one counts");
      CHECK(diagnostics.all()[0].mark.line == 74);
      CHECK(accelerator.memories[2].ports.size() == 2);
      CHECK(accelerator.memories[2].ports[0].bandwidth_max == 2048);
    } else if (file.stem() == "generic_array_cacti") {
      CHECK(diagnostics.all().size() == 4);
    } else if (file.stem() == "ascend_like") {
      // As ZigZag has it: the DRAM serves two of four dimensions.
      REQUIRE(diagnostics.all().size() == 1);
      CHECK(diagnostics.all()[0].severity == Severity::warning);
      CHECK(
          diagnostics.all()[0].message ==
          "memory 'dram', the outermost of I1 and I2 and O, is there 4 times, 10,000,000,000 bits each, as "
          "served_dimensions has no D3 and no D4");
    } else {
      CHECK(diagnostics.all().empty());
    }
  }
}

TEST_CASE("recorded mappings load") {
  for (const fs::path& file : yaml_files("mapping")) {
    CAPTURE(file.string());
    Diagnostics diagnostics;
    const MappingFile mapping = read_mapping(file.string(), diagnostics);
    CHECK_FALSE(mapping.entries.empty());
    CHECK(diagnostics.all().empty());
  }
}

TEST_CASE("files written for the recordings load, or say why not") {
  for (const fs::path& file : yaml_files("custom")) {
    CAPTURE(file.string());
    Diagnostics diagnostics;
    if (file.stem() == "tpu_like_auto_cost") {
      CHECK(open_costs(read_accelerator(file.string(), diagnostics)).size() == 3);
    } else if (file.stem() == "mini_cnn") {
      MappingFile mapping;
      mapping.entries.emplace_back();
      mapping.entries.back().name = "default";
      mapping.entries.back().memory_operands = {{"O", "O"}, {"W", "I2"}, {"I", "I1"}};
      CHECK(read_workload(file.string(), mapping, {}, diagnostics).layers.size() == 8);
    } else {
      CHECK_FALSE(read_mapping(file.string(), diagnostics).entries.empty());
    }
    CHECK(diagnostics.all().empty());
  }
}
