#include "core/multicore/graph/detail/piece_data.hpp"

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <set>

#include "core/base/diagnostics.hpp"
#include "core/search/methods/random_numbers.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz;

namespace {

constexpr int inputs = 2;  // operand of a convolution

std::size_t rows_of(const core::Layer& layer) {
  const auto& names = layer.operands[inputs].dimensions;
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), "IY") - names.begin());
}

core::ComputationNodeGraph whole(const test::ConvSizes& sizes) {
  test::NetworkBuilder network;
  network.add(test::conv_layer(0, sizes, -1));
  return test::split(network.workload(), {});
}

}  // namespace

TEST_CASE("the ranges of a window are the data that it touches, each once, with gaps between") {
  core::RandomNumbers random(5, 0);
  for (int i = 0; i < 500; ++i) {
    const test::ConvSizes sizes{.oy = 1 + random.below(9),
                                .fy = 1 + random.below(5),
                                .stride = 1 + random.below(5),
                                .dilation = 1 + random.below(5),
                                .padding = random.below(4),
                                .iy = 1 + random.below(40)};
    std::set<std::int64_t> touched;
    for (std::int64_t y = 0; y < sizes.oy; ++y) {
      for (std::int64_t f = 0; f < sizes.fy; ++f) {
        const std::int64_t row = sizes.stride * y + sizes.dilation * f - sizes.padding;
        if (row >= 0 && row < sizes.iy) touched.insert(row);
      }
    }
    const core::ComputationNodeGraph graph = whole(sizes);
    const core::CutLayer& layer = graph.layers.front();
    const auto intervals = core::piece_intervals(layer, inputs, {})[rows_of(*layer.layer)];
    std::set<std::int64_t> listed;
    std::int64_t end = -1;
    for (const core::Range& range : intervals.at(0)) {
      CHECK(range.low > end);
      CHECK(range.high > range.low);
      for (std::int64_t row = range.low; row < range.high; ++row) listed.insert(row);
      end = range.high;
    }
    CHECK(listed == touched);
  }
}

TEST_CASE("a piece has a scale in each row for every block that begins in it") {
  core::Layer product = test::gemm_layer(0, 2, 10, 3, -1);
  product.operands[2].sources.clear();
  product.operands[2].constant = true;
  product.operands[1].precision = 4;
  product.operands[1].scale = {8, 4, ""};
  product.operands[0].precision = 32;
  product.final_output_precision = 8;
  product.final_output_scale = {16, 2, "K"};
  test::NetworkBuilder network;
  network.add(product);
  const auto bits = [&](std::vector<core::CutLoop> loops, int operand) {
    core::SplitOptions options;
    options.loops = std::move(loops);
    const core::ComputationNodeGraph graph = test::split(network.workload(), options);
    std::vector<std::int64_t> found;
    for (const core::PieceTensor& tensor : graph.tensors)
      if (tensor.operand == operand) found.push_back(tensor.bits);
    return found;
  };
  using Bits = std::vector<std::int64_t>;
  CHECK(bits({}, 1) == Bits{3 * (10 * 4 + 3 * 8)});
  CHECK(bits({}, 1).front() == product.operand_bits(1, {}));
  // 10 summed elements as 4, 4 and 2, and as 5 and 5, which begin two blocks each.
  CHECK(bits({{"C", 3}}, 1) == Bits{3 * (16 + 8), 3 * (16 + 8), 3 * (8 + 8)});
  CHECK(bits({{"C", 2}}, 1) == Bits{3 * (20 + 16), 3 * (20 + 16)});
  CHECK(bits({}, 0) == Bits{2 * (3 * 8 + 2 * 16)});
  CHECK(bits({{"K", 3}}, 0) == Bits{2 * (8 + 16), 2 * (8 + 16), 2 * (8 + 16)});
}

TEST_CASE("windows that leave gaps in a hundred million places are refused, others are not listed") {
  const std::int64_t many = 100'000'000;
  CHECK_THROWS_WITH_AS(
      whole({.oy = many, .fy = 1, .stride = 2, .iy = 2 * many}),
      doctest::Contains("layer 0 'conv0' touches more than 16777216 ranges of IY with gaps between"),
      core::InputError);
  CHECK_THROWS_AS(whole({.oy = many, .fy = 3, .stride = 2, .dilation = 4, .iy = 2 * many}),
                  core::InputError);
  const core::ComputationNodeGraph dilated = whole({.oy = many, .fy = 3, .dilation = 512, .iy = many});
  CHECK(core::piece_intervals(dilated.layers.front(), inputs, {})[rows_of(*dilated.layers.front().layer)]
            .intervals.size() == 1);
}
