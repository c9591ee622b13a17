#pragma once
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::test {

/// Folder of the recorded inputs and results of ZigZag; it stands beside the source tree, or is absent.
inline std::filesystem::path oracle_path() {
  return std::filesystem::path(ZZ_SOURCE_DIR).parent_path() / "shared" / "oracle" / "zigzag";
}

/// A layer of a recorded run with its accelerator, unrolled as recorded.
struct RecordedLayer {
  std::shared_ptr<const core::Accelerator> accelerator;
  std::shared_ptr<const core::Layer> layer;
  std::shared_ptr<const core::SpatialMapping> fractional, integral;
};

/// `recorded` names the input files ("workload", "accelerator", "mapping", below inputs/), `layer` has
/// "id", `unrolling` is a map as {"D1": {"K": 32}}. Everything is read and converted as by ZigZag.
RecordedLayer recorded_layer(const nlohmann::ordered_json& recorded, std::int64_t layer,
                             const nlohmann::ordered_json& unrolling);

nlohmann::ordered_json read_json(const std::filesystem::path& path);

}  // namespace zz::test
