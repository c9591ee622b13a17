#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>

#include "core/input/stream/multi_core_yaml.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"

// The accelerators of several cores in configs/ can be used with the mappings of the same name.

namespace {

using namespace zz::core;
namespace fs = std::filesystem;

}  // namespace

TEST_CASE("the accelerators of several cores in configs/ load, and their mappings name their cores") {
  const fs::path configs = fs::path(ZZ_SOURCE_DIR) / "configs";
  int count = 0;
  for (const auto& entry : fs::directory_iterator(configs / "accelerators")) {
    if (!entry.is_regular_file()) continue;
    CAPTURE(entry.path().string());
    Diagnostics diagnostics;
    const auto description = read_one_or_several_cores(entry.path().string(), diagnostics);
    if (!std::holds_alternative<MultiCoreAccelerator>(description)) continue;
    const auto& accelerator = std::get<MultiCoreAccelerator>(description);
    CHECK(accelerator.name == entry.path().stem());
    REQUIRE(accelerator.offchip_core.has_value());
    CHECK(accelerator.cores[*accelerator.offchip_core]->array.unit_count() == 0);
    const MappingFile mapping =
        read_mapping((configs / "mappings" / entry.path().filename()).string(), diagnostics);
    for (const LayerMapping& layer : mapping.entries) {
      CHECK(std::all_of(layer.core_allocation.begin(), layer.core_allocation.end(), [&](std::int64_t core) {
        return core < accelerator.core_count() && accelerator.cores[core]->array.unit_count() > 0;
      }));
    }
    CHECK(diagnostics.all().empty());
    ++count;
  }
  CHECK(count >= 4);
}
