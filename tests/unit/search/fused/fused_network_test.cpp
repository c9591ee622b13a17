#include "core/search/fused/fused_network.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <memory>

#include "core/base/diagnostics.hpp"
#include "core/search/fused/detail/axis_matches.hpp"
#include "core/search/fused/exchange_memories.hpp"
#include "core/search/fused/fused_search.hpp"
#include "tests/unit/search/fused/einsums.hpp"
#include "tests/unit/worlds/layers.hpp"

namespace zz {
namespace {

/// "0>1 4 (1, 1)": dimension of either side, size, and what stands inside of the axis there.
std::vector<std::string> texts(const std::vector<core::AxisMatch>& matches) {
  std::vector<std::string> texts;
  for (const core::AxisMatch& match : matches)
    texts.push_back(std::to_string(match.from) + ">" + std::to_string(match.to) + " " +
                    std::to_string(match.size) + " (" + std::to_string(match.from_inside) + ", " +
                    std::to_string(match.to_inside) + ")");
  std::sort(texts.begin(), texts.end());
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("axes of a tensor: the same sizes in the same order are the same axes") {
  CHECK(texts(core::match_axes({2048, 4096}, {2048, 4096})) == Texts{"0>0 2048 (1, 1)", "1>1 4096 (1, 1)"});
  CHECK(texts(core::match_axes({8, 8}, {8, 8})) == Texts{"0>0 8 (1, 1)", "1>1 8 (1, 1)"});
  CHECK(texts(core::match_axes({1, 6, 4}, {6, 1, 4})) == Texts{"1>0 6 (1, 1)", "2>2 4 (1, 1)"});
}

TEST_CASE("axes of a tensor: columns are heads and elements, and rows come last in keys") {
  CHECK(texts(core::match_axes({2048, 1024}, {8, 128, 2048})) ==
        Texts{"0>2 2048 (1, 1)", "1>0 8 (128, 1)", "1>1 128 (1, 1)"});
  CHECK(texts(core::match_axes({8, 2048, 128}, {2048, 1024})) ==
        Texts{"0>1 8 (1, 128)", "1>0 2048 (1, 1)", "2>1 128 (1, 1)"});
}

TEST_CASE("axes of a tensor: queries of one head are rows of it") {
  CHECK(texts(core::match_axes({2048, 4096}, {8, 8192, 128})) ==
        Texts{"0>1 2048 (1, 1)", "1>0 8 (512, 1)", "1>1 4 (128, 2048)", "1>2 128 (1, 1)"});
  CHECK(texts(core::match_axes({8, 8192, 128}, {2048, 4096})).size() == 4);
}

TEST_CASE("axes of a tensor: nothing is said where sizes leave two ways open, or none") {
  CHECK(core::match_axes({128, 1024}, {8, 128, 128}).empty());
  CHECK(core::match_axes({6, 4}, {5, 4}).empty());
  CHECK(core::match_axes({6, 4}, {8, 3}).empty());
}

TEST_CASE("fused network: an axis goes through all layers that have it, and no layer has one twice") {
  // Keys are made of the tokens that queries are made of, and read along another axis than these.
  test::EinsumNetwork attention{"attention",
                                {{'m', 4}, {'p', 4}, {'d', 6}, {'e', 2}, {'f', 2}},
                                {{"input", {{"i", "md"}}, {"x", "md"}},
                                 {"query", {{"x", "md"}, {"wq", "de"}}, {"q", "me"}},
                                 {"key", {{"x", "pd"}, {"wk", "de"}}, {"k", "pe"}},
                                 {"scores", {{"q", "me"}, {"k", "pe"}}, {"s", "mp"}}}};
  const core::FusedNetwork network = test::fusable(test::workload(attention), test::accelerator({4096, 8}));
  REQUIRE(network.tensors.size() == 3);
  for (const core::NetworkTensor& tensor : network.tensors) CHECK(tensor.exchangeable);
  for (const auto& axes : network.axes) {
    for (std::size_t i = 0; i < axes.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) CHECK(axes[i].axis != axes[j].axis);
  }
  // One of the uses of the input, which two layers read, can be tiled along both axes, the other along one.
  CHECK(network.tensors[0].uses[0].axes.size() + network.tensors[0].uses[1].axes.size() == 3);
  CHECK(network.tensors[1].uses[0].axes.size() == 2);
  CHECK(network.tensors[2].uses[0].axes.size() == 2);
}

TEST_CASE("fused network: says why a tensor cannot be exchanged") {
  test::EinsumNetwork chain{"chain",
                            {{'m', 4}, {'a', 4}, {'b', 4}},
                            {{"first", {{"x", "ma"}, {"u", "ab"}}, {"y", "mb"}},
                             {"second", {{"y", "mb"}, {"y", "mb"}}, {"z", "mb"}}}};
  const core::Workload workload = test::workload(chain);
  CHECK(test::fusable(workload, test::accelerator({4096, 8})).tensors.front().obstacle ==
        "'second' reads it twice");
}

TEST_CASE("fused network: layers that mean other blocks do not exchange a tensor, and say why") {
  test::EinsumNetwork chain{"chain",
                            {{'m', 4}, {'a', 4}, {'b', 6}, {'c', 2}},
                            {{"first", {{"x", "ma"}, {"u", "ab"}}, {"y", "mb"}},
                             {"second", {{"y", "mb"}, {"v", "bc"}}, {"z", "mc"}}}};
  chain.sum_bits = 16;
  chain.block = {8, 4, ""};
  const auto obstacle = [&](const auto& change) {
    core::Workload workload = test::workload(chain);
    auto second = std::make_shared<core::Layer>(*workload.layers[1]);
    change(*second);
    workload.layers[1] = std::move(second);
    return test::fusable(workload, test::accelerator({4096, 8})).tensors.front().obstacle;
  };
  CHECK(obstacle([](core::Layer&) {}) == "");
  CHECK(obstacle([](core::Layer& layer) { layer.operands[1].scale.along.clear(); }) == "");
  CHECK(obstacle([](core::Layer& layer) { layer.operands[1].scale.along = "M"; }) ==
        "'second' reads blocks along M where 'first' writes them along B, which is another axis");
  CHECK(obstacle([](core::Layer& layer) { layer.operands[1].scale.every = 2; }) ==
        "'second' reads numbers of 8 bits and a scale of 8 for each 2 along B where 'first' writes 8 bits "
        "and a scale of 8 for each 4 along B");
  CHECK(obstacle([](core::Layer& layer) { layer.operands[1].scale = {}; }) ==
        "'second' reads numbers of 8 bits where 'first' writes 8 bits and a scale of 8 for each 4 along B");
}

TEST_CASE(
    "fused network: an addition without a cost belongs to the layer that makes the last of its operands") {
  test::EinsumNetwork residual{"residual",
                               {{'m', 4}, {'a', 2}, {'b', 3}, {'c', 5}, {'d', 2}},
                               {{"first", {{"x", "ma"}, {"u", "ab"}}, {"y", "mb"}},
                                {"second", {{"r", "mc"}, {"v", "cb"}}, {"z", "mb"}, {"y"}},
                                {"third", {{"z", "mb"}, {"w", "bd"}}, {"o", "md"}}}};
  core::Workload workload = test::workload(residual);
  const core::FusedNetwork network = test::fusable(workload, test::accelerator({4096, 8}));
  REQUIRE(network.tensors.size() == 2);
  for (const core::NetworkTensor& tensor : network.tensors) {
    CHECK(tensor.exchangeable);
    REQUIRE(tensor.uses.size() == 1);
    CHECK(tensor.uses.front().axes.size() == 2);
  }
  CHECK(network.tensors[0].uses.front().layer == 1);
  CHECK(network.tensors[0].uses.front().operand == core::NetworkTensor::added);
  CHECK(network.tensors[1].producer == 1);
  CHECK(network.tensors[1].uses.front().operand == 1);
  CHECK(network.tensor_at(2, 1) == 1);

  // Behind a norm rows are whole: columns of what is added are not cut.
  core::PassThroughNode norm{10, "norm", "layernormalization", {0}, 12, {}};
  workload.pass_through.front().sources.front() = 10;
  workload.pass_through.push_back(norm);
  const core::FusedNetwork by_rows = test::fusable(workload, test::accelerator({4096, 8}));
  CHECK(by_rows.tensors[0].exchangeable);
  CHECK(by_rows.tensors[0].uses.front().axes.size() == 1);
}

TEST_CASE("fused network: a result that is read without the addition, too, is not added by its layer") {
  test::EinsumNetwork residual{"residual",
                               {{'m', 4}, {'a', 2}, {'b', 3}, {'d', 2}},
                               {{"first", {{"x", "ma"}, {"u", "ab"}}, {"y", "mb"}},
                                {"second", {{"y", "mb"}, {"v", "b"}}, {"z", "mb"}, {"y"}},
                                {"third", {{"z", "mb"}, {"w", "bd"}}, {"o", "md"}}}};
  core::Workload workload = test::workload(residual);
  auto fourth = std::make_shared<core::Layer>(*workload.layers.back());
  fourth->id = 10;
  fourth->operands[1].sources = {1};  // of "second", beside the addition
  workload.layers.push_back(fourth);
  workload.node_order.push_back(10);
  const core::FusedNetwork network = test::fusable(workload, test::accelerator({4096, 8}));
  for (const core::NetworkTensor& tensor : network.tensors)
    CHECK(tensor.obstacle == "'third' reads it mixed with others");
}

TEST_CASE(
    "fused network: rows, columns and channels are cut through all filters, and windows slide along rows") {
  test::NetworkBuilder builder;
  builder.add(test::conv_layer(0, {.k = 4, .c = 2, .oy = 3, .ox = 5, .iy = 3, .ix = 5}, -1));
  builder.add(
      test::conv_layer(1, {.g = 4, .oy = 3, .ox = 5, .fy = 3, .fx = 3, .padding = 1, .iy = 3, .ix = 5}, 0));
  builder.add(test::conv_layer(2, {.k = 2, .c = 4, .oy = 3, .ox = 5, .iy = 3, .ix = 5}, 1));
  const core::FusedNetwork network = test::fusable(builder.workload(), test::accelerator({4096, 8}));
  const auto names = [&](std::size_t tensor) {
    Texts names;
    for (const int axis : network.tensors[tensor].uses.front().axes)
      names.push_back(network.axis_names[static_cast<std::size_t>(axis)]);
    return names;
  };
  REQUIRE(network.tensors.size() == 2);
  CHECK(network.tensors[0].exchangeable);
  CHECK(network.tensors[1].exchangeable);
  CHECK(names(0) == Texts{"conv0.K", "conv0.OY", "conv0.OX"});
  CHECK(names(1) == Texts{"conv0.K", "conv0.OY", "conv0.OX"});
  for (const core::SlidingWindow& window : network.tensors[0].uses.front().windows) {
    CHECK(window.stride == 1);
    CHECK(window.reach == 2);
    CHECK(window.padding == 1);
  }
  CHECK(network.tensors[0].uses.front().windows.size() == 2);
  CHECK(network.tensors[1].uses.front().windows.empty());
}

TEST_CASE("fused network: a filter that steps over elements leaves some of what is written") {
  test::NetworkBuilder builder;
  builder.add(test::conv_layer(0, {.k = 4, .c = 2, .oy = 4, .ox = 4, .iy = 4, .ix = 4}, -1));
  builder.add(test::conv_layer(1, {.k = 2, .c = 4, .oy = 2, .ox = 2, .stride = 2, .iy = 4, .ix = 4}, 0));
  const core::FusedNetwork network = test::fusable(builder.workload(), test::accelerator({4096, 8}));
  CHECK(network.tensors.front().exchangeable);
  const core::NetworkTensor::Use& use = network.tensors.front().uses.front();
  CHECK(use.axes.size() == 3);
  REQUIRE(use.windows.size() == 2);
  CHECK(use.windows.front().stride == 2);
  CHECK(use.windows.front().reach == 0);
}

TEST_CASE("fused: exchange memories are for outputs and inputs below the topmost one") {
  const core::Accelerator accelerator = test::accelerator({4096, 8, 1, 1, 0, 0, 64});
  CHECK(core::exchange_memories(accelerator) == std::vector<std::string>{"buffer"});
  const std::string none =
      "'" + accelerator.name + "' has no memory 'nope' in which layers could exchange tensors; ";
  CHECK_THROWS_WITH_AS(core::exchange_memories(accelerator, {"nope"}), (none + "known: buffer").c_str(),
                       core::InputError);
}

TEST_CASE("fused: a search without time keeps the layers' own mappings, and says so") {
  test::EinsumNetwork chain{"chain",
                            {{'m', 4}, {'a', 4}, {'b', 4}, {'c', 4}},
                            {{"first", {{"x", "ma"}, {"u", "ab"}}, {"y", "mb"}},
                             {"second", {{"y", "mb"}, {"v", "bc"}}, {"z", "mc"}}}};
  const core::FusedNetwork network = test::fusable(test::workload(chain), test::accelerator({400, 8}));
  core::FusedOptions options;
  options.limits.seconds = 0;
  const core::FusedOptimum found = core::find_fused_mapping(network, options);
  CHECK(found.cut_off);
  CHECK(found.value == found.unfused);
  CHECK(found.lower_bound < found.value);
}

TEST_CASE("fused: chains beside each other end within their limits") {
  // One tensor for all, then the first layer of each chain, then the second ones: any of the tensors
  // between may be on chip.
  constexpr int chains = 22;
  test::EinsumNetwork network{
      "chains", {{'m', 4}, {'a', 4}, {'b', 4}}, {{"first", {{"x", "ma"}, {"u", "ab"}}, {"y", "mb"}}}};
  for (int chain = 0; chain < chains; ++chain)
    network.einsums.push_back({fmt::format("early {}", chain),
                               {{"y", "mb"}, {fmt::format("v{}", chain), "ba"}},
                               {fmt::format("z{}", chain), "ma"}});
  for (int chain = 0; chain < chains; ++chain)
    network.einsums.push_back({fmt::format("late {}", chain),
                               {{fmt::format("z{}", chain), "ma"}, {fmt::format("w{}", chain), "ab"}},
                               {fmt::format("r{}", chain), "mb"}});
  core::FusedOptions options;
  options.limits.seconds = 0.2;
  const core::FusedOptimum found = core::find_fused_mapping(
      test::fusable(test::workload(network), test::accelerator({400, 8})), options);
  CHECK(found.value <= found.unfused);
  CHECK(found.lower_bound > 0);
}

}  // namespace zz
