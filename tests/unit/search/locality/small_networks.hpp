#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/workload/workload.hpp"
#include "tests/unit/cost/small_problems.hpp"

namespace zz::test {

/// A matrix product of size^3 whose weights are its own; with ids for sources it reads those layers.
inline core::Layer product_layer(std::int64_t id, std::int64_t size = 4) {
  core::Layer layer = gemm(size, size, size);
  layer.id = id;
  layer.name = "layer" + std::to_string(id);
  layer.operands[1].constant = false;
  return layer;
}

/// An element-wise layer of two inputs, neither of which is constant.
inline core::Layer sum_layer(std::int64_t id, std::int64_t size = 4) {
  core::Layer layer = product_layer(id, size);
  layer.type = "Add";
  layer.loops = {{"M", size}, {"N", size}};
  layer.operands = {
      {"O", {"M", "N"}, 8, false, {}}, {"W", {"M", "N"}, 8, false, {}}, {"I", {"M", "N"}, 8, false, {}}};
  return layer;
}

inline core::Workload network(const std::vector<core::Layer>& layers,
                              std::vector<std::pair<std::int64_t, std::int64_t>> edges,
                              const std::vector<std::int64_t>& pass_through = {}) {
  core::Workload workload;
  workload.name = "network";
  for (const core::Layer& layer : layers) {
    workload.layers.push_back(std::make_shared<core::Layer>(layer));
    workload.node_order.push_back(layer.id);
  }
  for (const std::int64_t id : pass_through) {
    workload.pass_through.push_back({id, "node" + std::to_string(id), "relu", {}, 0, {}});
    workload.node_order.push_back(id);
  }
  workload.edges = std::move(edges);
  return workload;
}

}  // namespace zz::test
