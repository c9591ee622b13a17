#include "tools/kernel_benchmark/kernel_cases.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/input/onnx/workload.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "core/search/spatial/spatial_generator.hpp"

namespace zz::tools {
namespace {

const std::string source = ZZ_SOURCE_DIR;

struct Platform {
  const char* name;
  std::string accelerator, mapping, workload;
};

std::vector<Platform> platforms(Inputs inputs) {
  if (inputs == Inputs::shipped) {
    std::vector<Platform> shipped;
    for (const char* name : {"tpu_like", "edge_tpu_like", "eyeriss_like"}) {
      shipped.push_back({name, fmt::format("{}/configs/accelerators/{}.yaml", source, name),
                         fmt::format("{}/configs/mappings/{}.yaml", source, name),
                         source + "/configs/workloads/resnet18.onnx"});
    }
    return shipped;
  }
  const std::string folder = source + "/../shared/oracle/zigzag/inputs/";
  std::vector<Platform> recorded;
  for (const auto& [name, mapping] : {std::pair("tpu_like", "tpu_like"),
                                      {"meta_prototype", "meta_prototype_like"},
                                      {"eyeriss_like", "default"}}) {
    recorded.push_back({name, fmt::format("{}hardware/{}.yaml", folder, name),
                        fmt::format("{}mapping/{}.yaml", folder, mapping),
                        folder + "workload/resnet18.onnx"});
  }
  return recorded;
}

bool is_3x3(const core::Layer& layer) { return layer.loop_size("FX") == 3 && layer.loop_size("FY") == 3; }

std::string size_text(const core::Layer& layer) {
  const core::DimensionRelation& relation = layer.relations.front();
  return fmt::format("{}x{}x{}x{}{}", layer.loop_size("K"), layer.loop_size("C"), layer.loop_size("OY"),
                     layer.loop_size("OX"),
                     relation.stride == 1 ? "" : fmt::format("s{}", relation.stride));
}

}  // namespace

bool recorded_inputs_exist() { return std::filesystem::exists(source + "/../shared/oracle/zigzag/inputs"); }

std::vector<KernelCase> kernel_cases(Inputs inputs) {
  std::vector<KernelCase> cases;
  core::Diagnostics ignored;
  const core::OnnxSettings bytes{{}, {{"W", 8}, {"I", 8}, {"O", 16}, {"O_final", 8}}, {}};
  for (const Platform& platform : platforms(inputs)) {
    const auto accelerator =
        std::make_shared<const core::Accelerator>(core::read_accelerator(platform.accelerator, ignored));
    const core::MappingFile mapping = core::read_mapping(platform.mapping, ignored);
    const core::Workload workload = core::read_onnx(platform.workload, mapping, {}, ignored, bytes);
    for (const auto& node : workload.layers) {
      if (!is_3x3(*node)) continue;
      KernelCase entry{fmt::format("{}/{}", platform.name, size_text(*node)), accelerator, {}, {}, {}};
      if (std::any_of(cases.begin(), cases.end(),
                      [&](const KernelCase& other) { return other.name == entry.name; }))
        continue;
      core::Layer layer = *node;
      layer.mapping.spatial_mapping =
          core::generate_spatial_mappings(layer, *accelerator, {.count = 1}).mappings.front();
      core::ConvertedSpatialMapping converted = core::convert_spatial_mapping(layer, *accelerator, {});
      entry.layer = std::make_shared<const core::Layer>(std::move(layer));
      entry.fractional = std::make_shared<const core::SpatialMapping>(std::move(converted.fractional));
      entry.integral = std::make_shared<const core::SpatialMapping>(std::move(converted.integral));
      cases.push_back(std::move(entry));
    }
  }
  return cases;
}

}  // namespace zz::tools
