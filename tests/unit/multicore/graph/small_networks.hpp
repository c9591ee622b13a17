#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/multicore/graph/split.hpp"

namespace zz::test {

/// Sizes of a convolution on data [b][g][c][iy][ix]; a layer of 1 by 1 filters is a matrix product.
struct ConvSizes {
  std::int64_t b = 1, g = 1, k = 1, c = 1, oy = 1, ox = 1, fy = 1, fx = 1;
  std::int64_t stride = 1, dilation = 1, padding = 0;
  std::int64_t iy = 1, ix = 1;  ///< real rows and columns of the input
};

/// A convolution whose input comes from `source`; from outside the network when that is -1.
inline core::Layer conv_layer(std::int64_t id, const ConvSizes& s, std::int64_t source) {
  core::Layer layer;
  layer.id = id;
  layer.name = "conv" + std::to_string(id);
  layer.type = "conv";
  layer.equation = "O[b][g][k][oy][ox] = W[g][k][c][fy][fx] * I[b][g][c][iy][ix]";
  layer.loops = {{"B", s.b},   {"G", s.g},   {"K", s.k},   {"C", s.c},
                 {"OY", s.oy}, {"OX", s.ox}, {"FY", s.fy}, {"FX", s.fx}};
  layer.relations = {{"IY", s.stride, "OY", s.dilation, "FY", s.iy, s.padding, s.padding, true},
                     {"IX", s.stride, "OX", s.dilation, "FX", s.ix, s.padding, s.padding, true}};
  layer.operands = {{"O", {"B", "G", "K", "OY", "OX"}, 16, false, {}},
                    {"W", {"G", "K", "C", "FY", "FX"}, 8, true, {}},
                    {"I", {"B", "G", "C", "IY", "IX"}, 8, source < 0, {}}};
  layer.source_order = source < 0 ? std::vector<int>{2, 1} : std::vector<int>{1, 2};
  if (source >= 0) layer.operands[2].sources = {source};
  layer.final_output_precision = 8;
  layer.mapping.memory_operands = {{"O", "O"}, {"W", "I2"}, {"I", "I1"}};
  layer.mapping.core_allocation = {0, 1};
  return layer;
}

/// O[d][k] = W[c][k] * I[d][c]
inline core::Layer gemm_layer(std::int64_t id, std::int64_t d, std::int64_t c, std::int64_t k,
                              std::int64_t source) {
  core::Layer layer;
  layer.id = id;
  layer.name = "gemm" + std::to_string(id);
  layer.type = "gemm";
  layer.equation = "O[d][k] = W[c][k] * I[d][c]";
  layer.loops = {{"D", d}, {"C", c}, {"K", k}};
  layer.operands = {{"O", {"D", "K"}, 16, false, {}},
                    {"W", {"C", "K"}, 8, true, {}},
                    {"I", {"D", "C"}, 8, false, {source}}};
  layer.source_order = {1, 2};
  layer.final_output_precision = 8;
  layer.mapping.memory_operands = {{"O", "O"}, {"W", "I2"}, {"I", "I1"}};
  layer.mapping.core_allocation = {0, 1};
  return layer;
}

/// O[b][k][oy][ox] = W[b][k][oy][ox] + I[b][k][oy][ox], both from other nodes.
inline core::Layer add_layer(std::int64_t id, std::int64_t b, std::int64_t k, std::int64_t oy,
                             std::int64_t ox, std::int64_t first, std::int64_t second) {
  core::Layer layer;
  layer.id = id;
  layer.name = "add" + std::to_string(id);
  layer.type = "add";
  layer.equation = "O[b][k][oy][ox] = W[b][k][oy][ox] + I[b][k][oy][ox]";
  layer.loops = {{"B", b}, {"K", k}, {"OY", oy}, {"OX", ox}};
  const std::vector<std::string> dimensions = {"B", "K", "OY", "OX"};
  layer.operands = {{"O", dimensions, 16, false, {}},
                    {"W", dimensions, 8, false, {first}},
                    {"I", dimensions, 8, false, {second}}};
  layer.source_order = {1, 2};
  layer.final_output_precision = 8;
  layer.mapping.memory_operands = {{"O", "O"}, {"W", "I2"}, {"I", "I1"}};
  layer.mapping.core_allocation = {0};
  return layer;
}

/// Collects nodes; edges follow from the sources.
class NetworkBuilder {
 public:
  NetworkBuilder() { workload_.name = "small"; }

  void add(core::Layer layer) {
    workload_.node_order.push_back(layer.id);
    for (const core::LayerOperand& operand : layer.operands)
      for (const std::int64_t source : operand.sources) connect(source, layer.id);
    workload_.layers.push_back(std::make_shared<const core::Layer>(std::move(layer)));
  }
  void add(std::int64_t id, const core::ShapeChange& change, std::vector<std::int64_t> sources,
           std::int64_t output_elements = 0) {
    workload_.node_order.push_back(id);
    for (const std::int64_t source : sources) connect(source, id);
    core::PassThroughNode node;
    node.id = id;
    node.name = "node" + std::to_string(id);
    node.type = "operator";
    node.sources = std::move(sources);
    node.output_elements = output_elements;
    node.shape_change = change;
    workload_.pass_through.push_back(std::move(node));
  }
  const core::Workload& workload() const { return workload_; }

 private:
  void connect(std::int64_t from, std::int64_t to) {
    for (const auto& edge : workload_.edges)
      if (edge == std::pair(from, to)) return;
    workload_.edges.emplace_back(from, to);
  }
  core::Workload workload_;
};

/// Cut with default rules, warnings left aside.
inline core::ComputationNodeGraph split(const core::Workload& workload, const core::SplitOptions& options) {
  std::vector<std::string> warnings;
  return core::split_into_nodes(workload, core::MultiCoreAccelerator{}, options, warnings);
}

}  // namespace zz::test
