#include "core/multicore/cuts/cut_menu.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <string>

#include "core/base/diagnostics.hpp"
#include "tests/unit/worlds/searches.hpp"

using namespace zz;

TEST_CASE("counts of pieces divide a loop or nearly do") {
  for (const std::int64_t size : {2, 7, 28, 56, 112, 540, 1000}) {
    CAPTURE(size);
    const std::vector<std::int64_t> counts = core::piece_counts(size, 1, size);
    CHECK(counts.back() == size);
    for (const std::int64_t count : counts) {
      const std::int64_t piece = (size + count - 1) / count;
      CHECK(piece * count <= size + size / 20);
      CHECK((size + piece - 1) / piece == count);
    }
    for (std::int64_t divisor = 2; divisor <= size; ++divisor)
      if (size % divisor == 0) CHECK(std::count(counts.begin(), counts.end(), divisor) == 1);
  }
  CHECK(core::piece_counts(1, 1, 1).empty());
  CHECK(core::piece_counts(64, 4, 64) == std::vector<std::int64_t>{2, 8, 32, 64});
}

TEST_CASE("counts of pieces are found without walking through all that there are") {
  // Each of these would take years or all memory.
  const std::int64_t size = std::int64_t{1} << 50;
  CHECK(core::piece_counts(size, 1.4, size).size() < 100);
  CHECK(core::piece_counts(size, 1, 1000).back() <= 1000);
  const std::vector<std::int64_t> all = core::piece_counts(100'000'000, 1, 100'000'000);
  CHECK(all.back() == 100'000'000);
  CHECK(std::count(all.begin(), all.end(), 50'000'000) == 1);
}

TEST_CASE("any loop of a layer may be cut, but those that a window slides over") {
  const test::ShippedCase shipped("resnet18.onnx", "systolic_quad_core");
  const core::Layer& first = *core::layers_by_id(shipped.workload).front();
  REQUIRE(first.loop_size("FX") == 7);
  std::set<std::string> cut;
  std::set<std::string> texts;
  for (const core::Cut& loops : core::cut_menu(first, {{}, 100})) {
    CHECK(loops.size() <= 2);
    CHECK(core::pieces(loops, first) <= 100);
    std::string text;
    for (const core::CutLoop& loop : loops) {
      cut.insert(loop.dimension);
      text += loop.dimension + std::to_string(loop.count.value()) + (loop.spread ? " spread " : " ");
    }
    CHECK(texts.insert(text).second);
  }
  CHECK(cut == std::set<std::string>{"K", "OX", "OY", "C"});
}

TEST_CASE("pieces that read the same constants may be spread over several cores") {
  const test::ShippedCase shipped("resnet18.onnx", "systolic_quad_core");
  const auto layers = core::layers_by_id(shipped.workload);
  const auto spread = [&](const core::Layer& layer) {
    std::set<std::string> loops;
    for (const core::Cut& cut : core::cut_menu(layer, {{}, 100}))
      for (const core::CutLoop& loop : cut)
        if (loop.spread) loops.insert(loop.dimension);
    return loops;
  };
  const auto convolution = std::find_if(layers.begin() + 1, layers.end(), [](const auto& layer) {
    return layer->loop_size("FX") == 3 && layer->type == "conv";
  });
  REQUIRE(convolution != layers.end());
  CHECK(spread(**convolution) == std::set<std::string>{"OX", "OY"});
  CHECK(spread(*layers.front()) ==
        std::set<std::string>{"OX", "OY"});  // the image is cut, the weights are not
}

TEST_CASE("named loops only are cut, and unknown names refused") {
  const test::ShippedCase shipped("resnet18.onnx", "systolic_quad_core");
  for (const std::vector<core::Cut>& cuts : core::cut_menus(shipped.workload, {{"OY"}, 100}))
    for (const core::Cut& loops : cuts)
      for (const core::CutLoop& loop : loops) CHECK(loop.dimension == "OY");
  CHECK_THROWS_WITH_AS(core::cut_menus(shipped.workload, {{"OZ"}, 100}),
                       doctest::Contains("no loop of any layer"), core::InputError);
}
