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
