#include "core/multicore/bound/detail/uncut_network.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <limits>
#include <set>

#include "core/search/methods/random_numbers.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz;

TEST_CASE("what a window touches at least is counted as if each of its places were listed") {
  core::RandomNumbers random(7, 0);
  for (int i = 0; i < 1000; ++i) {
    const test::ConvSizes sizes{.oy = 1 + random.below(9),
                                .fy = 1 + random.below(6),
                                .stride = 1 + random.below(6),
                                .dilation = 1 + random.below(6),
                                .padding = random.below(5),
                                .iy = 1 + random.below(50)};
    test::NetworkBuilder network;
    network.add(test::conv_layer(0, sizes, -1));
    const core::ComputationNodeGraph graph = test::split(network.workload(), {});
    const core::CutLayer& whole = graph.layers.front();
    std::vector<std::int64_t> counts = whole.loop_sizes;
    const int outputs = whole.layer->loop_index("OY");
    counts[outputs] = 1 + random.below(static_cast<int>(sizes.oy));
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const std::int64_t first : {std::int64_t{0}, sizes.oy - counts[outputs]}) {
      std::set<std::int64_t> touched;
      for (std::int64_t y = first; y < first + counts[outputs]; ++y) {
        for (std::int64_t f = 0; f < sizes.fy; ++f) {
          const std::int64_t row = sizes.stride * y + sizes.dilation * f - sizes.padding;
          if (row >= 0 && row < sizes.iy) touched.insert(row);
        }
      }
      least = std::min(least, touched.size());
    }
    const auto& axes = whole.layer->operands[2].dimensions;
    const auto rows = static_cast<std::size_t>(std::find(axes.begin(), axes.end(), "IY") - axes.begin());
    CHECK(core::touched_along(whole, 2, rows, counts) == static_cast<std::int64_t>(least));
  }
}
