#include "core/multicore/graph/graph_deviations.hpp"

#include <doctest/doctest.h>
#include <set>
#include <string>
#include <utility>

#include "tests/unit/multicore/graph/small_networks.hpp"

// Which layers of a graph Stream would cut or connect otherwise: each rule where it applies, and not where
// it does not.
namespace zz::test {
namespace {

using core::Rules;
using core::SplitOptions;

std::set<std::string> layers_with(bool Rules::*rule, const core::Workload& workload,
                                  const SplitOptions& options) {
  std::set<std::string> layers;
  for (const core::LayerDeviation& deviation :
       core::deviations_of_graph(workload, split(workload, options), core::MultiCoreAccelerator{}, options))
    if (deviation.rule == rule) layers.insert(deviation.layer);
  return layers;
}

SplitOptions cut(const std::string& loop, std::int64_t count) {
  SplitOptions options;
  options.loops = {{loop, count}};
  return options;
}

using Names = std::set<std::string>;

ConvSizes image() {
  ConvSizes sizes;
  sizes.c = sizes.k = 4;
  sizes.oy = sizes.ox = sizes.iy = sizes.ix = 4;
  return sizes;
}

}  // namespace

TEST_CASE("graph deviations: a plain chain of layers has none") {
  NetworkBuilder network;
  network.add(conv_layer(0, image(), -1));
  network.add(conv_layer(1, image(), 0));
  const SplitOptions options = cut("OY", 4);
  CHECK(core::deviations_of_graph(network.workload(), split(network.workload(), options), {}, options)
            .empty());
}

TEST_CASE("graph deviations: padding, and loops that Stream enlarges") {
  ConvSizes padded = image();
  padded.fy = padded.fx = 3;
  padded.padding = 1;
  NetworkBuilder network;
  network.add(conv_layer(0, padded, -1));
  network.add(conv_layer(1, image(), 0));
  ConvSizes odd = image();
  odd.k = 5;
  network.add(conv_layer(2, odd, 1));
  CHECK(layers_with(&Rules::padding_is_data, network.workload(), cut("OY", 2)) == Names{"conv0"});
  // For two pieces of 5 channels Stream takes the loop as 6.
  CHECK(layers_with(&Rules::padding_is_data, network.workload(), cut("K", 2)) == Names{"conv0", "conv2"});
}

TEST_CASE("graph deviations: slices of a sum") {
  NetworkBuilder network;
  network.add(conv_layer(0, image(), -1));
  CHECK(layers_with(&Rules::partial_sums_unordered, network.workload(), cut("C", 2)) == Names{"conv0"});
  CHECK(layers_with(&Rules::partial_sums_unordered, network.workload(), cut("K", 2)).empty());
}

TEST_CASE("graph deviations: groups, and rows that a stride skips") {
  ConvSizes grouped = image(), strided = image();
  grouped.g = 2;
  strided.stride = 2;
  strided.iy = strided.ix = 7;
  NetworkBuilder network;
  network.add(conv_layer(0, grouped, -1));
  network.add(conv_layer(1, strided, -1));
  CHECK(layers_with(&Rules::inexact_dependencies, network.workload(), cut("OY", 2)) ==
        Names{"conv0", "conv1"});
  strided.fy = strided.fx = 2;
  strided.iy = strided.ix = 8;
  NetworkBuilder dense;
  dense.add(conv_layer(1, strided, -1));
  CHECK(layers_with(&Rules::inexact_dependencies, dense.workload(), cut("OY", 2)).empty());
}

TEST_CASE("graph deviations: additions, and data behind a reshape") {
  NetworkBuilder network;
  network.add(conv_layer(0, image(), -1));
  network.add(conv_layer(1, image(), 0));
  network.add(add_layer(2, 1, 4, 4, 4, 0, 1));
  network.add(3, {core::ShapeChange::Kind::reshape, {16, 4}, {}}, {2}, 64);
  network.add(4, {}, {3}, 64);
  network.add(gemm_layer(5, 16, 4, 4, 4));
  CHECK(layers_with(&Rules::addition_operands_mixed, network.workload(), cut("OY", 2)) == Names{"add2"});
  CHECK(layers_with(&Rules::reshaped_data_repeated, network.workload(), cut("OY", 2)) == Names{"gemm5"});
}

TEST_CASE("graph deviations: what follows Stream's rule does not deviate from it") {
  NetworkBuilder network;
  network.add(conv_layer(0, image(), -1));
  SplitOptions options = cut("C", 2);
  options.rules = core::rules_of("stream-0.0.8");
  CHECK(core::deviations_of_graph(network.workload(), split(network.workload(), options), {}, options)
            .empty());
}

}  // namespace zz::test
