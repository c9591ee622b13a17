#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/multicore/graph/split.hpp"
#include "core/workload/layer.hpp"
#include "core/workload/workload.hpp"

/// Small layers and networks. W is held in the memory operand I2, I in I1.
namespace zz::test {

/// O[m][n] += I[m][c] * W[c][n]; 8-bit data, both inputs constant.
core::Layer gemm(std::int64_t m, std::int64_t n, std::int64_t c);

/// O[k][oy][ox] += W[k][c][fy][fx] * I[c][iy][ix] without padding; 8-bit data, both inputs constant.
core::Layer convolution(std::int64_t k, std::int64_t c, std::int64_t out, std::int64_t filter,
                        std::int64_t stride);

/// A matrix product of size^3 of layers in a network: its weights are constant, its input is not.
core::Layer product_layer(std::int64_t id, std::int64_t size = 4);

/// An element-wise layer of two inputs, neither of which is constant.
core::Layer sum_layer(std::int64_t id, std::int64_t size = 4);

/// A network of one core. The nodes of `pass_through` only hand data on.
core::Workload network(const std::vector<core::Layer>& layers,
                       std::vector<std::pair<std::int64_t, std::int64_t>> edges,
                       const std::vector<std::int64_t>& pass_through = {});

// Layers for several cores: sums of 16 bits, other data of 8. A source of -1 is outside the network.

/// Sizes of a convolution on data [b][g][c][iy][ix]; a layer of 1 by 1 filters is a matrix product.
struct ConvSizes {
  std::int64_t b = 1, g = 1, k = 1, c = 1, oy = 1, ox = 1, fy = 1, fx = 1;
  std::int64_t stride = 1, dilation = 1, padding = 0;
  std::int64_t iy = 1, ix = 1;  ///< real rows and columns of the input
};
core::Layer conv_layer(std::int64_t id, const ConvSizes& sizes, std::int64_t source);

/// O[d][k] = W[c][k] * I[d][c]
core::Layer gemm_layer(std::int64_t id, std::int64_t d, std::int64_t c, std::int64_t k,
                       std::int64_t source);

/// O[b][k][oy][ox] = W[b][k][oy][ox] + I[b][k][oy][ox], both from other nodes.
core::Layer add_layer(std::int64_t id, std::int64_t b, std::int64_t k, std::int64_t oy, std::int64_t ox,
                      std::int64_t first, std::int64_t second);

/// Collects nodes; edges follow from the sources.
class NetworkBuilder {
 public:
  NetworkBuilder() { workload_.name = "small"; }

  void add(core::Layer layer);
  void add(std::int64_t id, const core::ShapeChange& change, std::vector<std::int64_t> sources,
           std::int64_t output_elements = 0);
  const core::Workload& workload() const { return workload_; }

 private:
  void connect(std::int64_t from, std::int64_t to);

  core::Workload workload_;
};

/// Cut with default rules, warnings left aside.
core::ComputationNodeGraph split(const core::Workload& workload, const core::SplitOptions& options);

}  // namespace zz::test
