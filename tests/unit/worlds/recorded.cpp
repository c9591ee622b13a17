#include "tests/unit/worlds/recorded.hpp"

#include <doctest/doctest.h>
#include <fstream>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/input/zigzag/workload_yaml.hpp"
#include "core/search/spatial/spatial_conversion.hpp"

namespace zz::test {

using namespace zz::core;

RecordedLayer recorded_layer(const nlohmann::ordered_json& recorded, std::int64_t layer,
                             const nlohmann::ordered_json& unrolling) {
  const std::string inputs = (oracle_path() / "inputs/").string();
  Diagnostics diagnostics;
  const MappingFile mapping = read_mapping(inputs + recorded["mapping"].get<std::string>(), diagnostics);
  const Workload workload = read_workload(inputs + recorded["workload"].get<std::string>(), mapping,
                                          rules_of("zigzag-3.8.5"), diagnostics);
  REQUIRE(workload.layer(layer) != nullptr);
  Layer mapped = *workload.layer(layer);
  mapped.mapping.spatial_mapping = {};
  for (const auto& [array, loops] : unrolling.items()) {
    ArrayUnrolling entry{array, {}};
    for (const auto& [dimension, factor] : loops.items())
      entry.loops.push_back({dimension, factor.get<std::int64_t>()});
    mapped.mapping.spatial_mapping.dimensions.push_back(std::move(entry));
  }
  RecordedLayer read;
  read.accelerator = std::make_shared<Accelerator>(
      read_accelerator(inputs + recorded["accelerator"].get<std::string>(), diagnostics));
  read.layer = std::make_shared<Layer>(mapped);
  ConvertedSpatialMapping converted =
      convert_spatial_mapping(*read.layer, *read.accelerator, rules_of("zigzag-3.8.5"));
  read.fractional = std::make_shared<SpatialMapping>(std::move(converted.fractional));
  read.integral = std::make_shared<SpatialMapping>(std::move(converted.integral));
  return read;
}

nlohmann::ordered_json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  REQUIRE(file.good());
  return nlohmann::ordered_json::parse(file);
}

}  // namespace zz::test
