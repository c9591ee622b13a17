#include "tests/unit/worlds/layers.hpp"

#include <memory>

#include "core/workload/window_positions.hpp"

namespace zz::test {
namespace {

/// A layer without loops.
core::Layer layer_named(const std::string& name, const std::string& type, const std::string& equation) {
  core::Layer layer;
  layer.name = name;
  layer.type = type;
  layer.equation = equation;
  layer.final_output_precision = 8;
  layer.mapping.memory_operands = {{"O", "O"}, {"W", "I2"}, {"I", "I1"}};
  return layer;
}

/// A layer of a network on two cores.
core::Layer layer_on_cores(std::int64_t id, const std::string& type, const std::string& equation) {
  core::Layer layer = layer_named(type + std::to_string(id), type, equation);
  layer.id = id;
  layer.source_order = {1, 2};
  layer.mapping.core_allocation = {0, 1};
  return layer;
}

}  // namespace

core::Layer gemm(std::int64_t m, std::int64_t n, std::int64_t c) {
  core::Layer layer = layer_named("small", "Test", "O[m][n] = I[m][c] * W[c][n]");
  layer.loops = {{"M", m}, {"N", n}, {"C", c}};
  layer.operands = {
      {"O", {"M", "N"}, 8, false, {}}, {"I", {"M", "C"}, 8, true, {}}, {"W", {"C", "N"}, 8, true, {}}};
  return layer;
}

core::Layer convolution(std::int64_t k, std::int64_t c, std::int64_t out, std::int64_t filter,
                        std::int64_t stride) {
  core::Layer layer = layer_named("small", "Test", "O[k][oy][ox] = W[k][c][fy][fx] * I[c][iy][ix]");
  layer.loops = {{"K", k}, {"C", c}, {"OY", out}, {"OX", out}, {"FY", filter}, {"FX", filter}};
  const std::int64_t in = core::distinct_positions(stride, out, 1, filter, false);
  layer.relations = {{"IX", stride, "OX", 1, "FX", in, 0, 0, false},
                     {"IY", stride, "OY", 1, "FY", in, 0, 0, false}};
  layer.operands = {{"O", {"K", "OY", "OX"}, 8, false, {}},
                    {"W", {"K", "C", "FY", "FX"}, 8, true, {}},
                    {"I", {"C", "IY", "IX"}, 8, true, {}}};
  return layer;
}

core::Layer product_layer(std::int64_t id, std::int64_t size) {
  core::Layer layer = gemm(size, size, size);
  layer.id = id;
  layer.name = "layer" + std::to_string(id);
  layer.operands[1].constant = false;
  return layer;
}

core::Layer sum_layer(std::int64_t id, std::int64_t size) {
  core::Layer layer = product_layer(id, size);
  layer.type = "Add";
  layer.loops = {{"M", size}, {"N", size}};
  layer.operands = {
      {"O", {"M", "N"}, 8, false, {}}, {"W", {"M", "N"}, 8, false, {}}, {"I", {"M", "N"}, 8, false, {}}};
  return layer;
}

core::Workload network(const std::vector<core::Layer>& layers,
                       std::vector<std::pair<std::int64_t, std::int64_t>> edges,
                       const std::vector<std::int64_t>& pass_through) {
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

core::Layer conv_layer(std::int64_t id, const ConvSizes& s, std::int64_t source) {
  core::Layer layer =
      layer_on_cores(id, "conv", "O[b][g][k][oy][ox] = W[g][k][c][fy][fx] * I[b][g][c][iy][ix]");
  layer.loops = {{"B", s.b},   {"G", s.g},   {"K", s.k},   {"C", s.c},
                 {"OY", s.oy}, {"OX", s.ox}, {"FY", s.fy}, {"FX", s.fx}};
  layer.relations = {{"IY", s.stride, "OY", s.dilation, "FY", s.iy, s.padding, s.padding, true},
                     {"IX", s.stride, "OX", s.dilation, "FX", s.ix, s.padding, s.padding, true}};
  layer.operands = {{"O", {"B", "G", "K", "OY", "OX"}, 16, false, {}},
                    {"W", {"G", "K", "C", "FY", "FX"}, 8, true, {}},
                    {"I", {"B", "G", "C", "IY", "IX"}, 8, source < 0, {}}};
  if (source < 0) layer.source_order = {2, 1};
  if (source >= 0) layer.operands[2].sources = {source};
  return layer;
}

core::Layer gemm_layer(std::int64_t id, std::int64_t d, std::int64_t c, std::int64_t k,
                       std::int64_t source) {
  core::Layer layer = layer_on_cores(id, "gemm", "O[d][k] = W[c][k] * I[d][c]");
  layer.loops = {{"D", d}, {"C", c}, {"K", k}};
  layer.operands = {{"O", {"D", "K"}, 16, false, {}},
                    {"W", {"C", "K"}, 8, true, {}},
                    {"I", {"D", "C"}, 8, false, {source}}};
  return layer;
}

core::Layer add_layer(std::int64_t id, std::int64_t b, std::int64_t k, std::int64_t oy, std::int64_t ox,
                      std::int64_t first, std::int64_t second) {
  core::Layer layer = layer_on_cores(id, "add", "O[b][k][oy][ox] = W[b][k][oy][ox] + I[b][k][oy][ox]");
  layer.loops = {{"B", b}, {"K", k}, {"OY", oy}, {"OX", ox}};
  const std::vector<std::string> dimensions = {"B", "K", "OY", "OX"};
  layer.operands = {{"O", dimensions, 16, false, {}},
                    {"W", dimensions, 8, false, {first}},
                    {"I", dimensions, 8, false, {second}}};
  layer.mapping.core_allocation = {0};
  return layer;
}

void NetworkBuilder::add(core::Layer layer) {
  workload_.node_order.push_back(layer.id);
  for (const core::LayerOperand& operand : layer.operands)
    for (const std::int64_t source : operand.sources) connect(source, layer.id);
  workload_.layers.push_back(std::make_shared<const core::Layer>(std::move(layer)));
}

void NetworkBuilder::add(std::int64_t id, const core::ShapeChange& change,
                         std::vector<std::int64_t> sources, std::int64_t output_elements) {
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

void NetworkBuilder::connect(std::int64_t from, std::int64_t to) {
  for (const auto& edge : workload_.edges)
    if (edge == std::pair(from, to)) return;
  workload_.edges.emplace_back(from, to);
}

core::ComputationNodeGraph split(const core::Workload& workload, const core::SplitOptions& options) {
  std::vector<std::string> warnings;
  return core::split_into_nodes(workload, core::MultiCoreAccelerator{}, options, warnings);
}

}  // namespace zz::test
