// The project's own networks: published sizes, and that they are read as the layers they should be.
#include <algorithm>
#include <doctest/doctest.h>
#include <numeric>

#include "tests/unit/input/onnx/onnx_fixture.hpp"

#include "tools/model_generator/model_catalogue.hpp"

namespace {

using zz::core::Layer;
using zz::core::Workload;

std::int64_t macs(const Workload& workload) {
  return std::accumulate(workload.layers.begin(), workload.layers.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& layer) { return sum + layer->mac_count(); });
}

const Layer& layer_named(const Workload& workload, const std::string& name) {
  const auto found = std::find_if(workload.layers.begin(), workload.layers.end(),
                                  [&](const auto& layer) { return layer->name == name; });
  REQUIRE(found != workload.layers.end());
  return **found;
}

}  // namespace

TEST_CASE("generated networks have the published numbers of multiply-accumulates") {
  const Workload resnet = zz::test::read_bytes(zz::models::make_resnet18().SerializeAsString());
  CHECK(resnet.layers.size() == 21);
  CHECK(macs(resnet) == 1'814'073'344);
  const Workload mobilenet = zz::test::read_bytes(zz::models::make_mobilenet_v2().SerializeAsString());
  CHECK(mobilenet.layers.size() == 53);
  CHECK(macs(mobilenet) == 300'774'272);
  const Workload alexnet = zz::test::read_bytes(zz::models::make_alexnet().SerializeAsString());
  CHECK(alexnet.layers.size() == 8);
  CHECK(macs(alexnet) == 714'188'480);
  const Workload quantised = zz::test::read_bytes(zz::models::make_quantised_cnn().SerializeAsString());
  CHECK(quantised.layers.size() == 4);
  CHECK(macs(quantised) == 884'736 + 4'718'592 + 9'437'184 + 640);
}

TEST_CASE("generated transformer encoder: products of activations have batch and head loops") {
  const Workload encoder = zz::test::read_bytes(zz::models::make_transformer_encoder().SerializeAsString());
  CHECK(encoder.layers.size() == 16);
  constexpr std::int64_t projections = 4 * 128 * 256 * 256, feed_forward = 2 * 128 * 256 * 1024;
  constexpr std::int64_t products = 2 * 4 * 128 * 128 * 64;
  CHECK(macs(encoder) == 2 * (projections + feed_forward + products));

  const Layer& scores = layer_named(encoder, "layer1/attention/scores");
  CHECK(scores.equation == "O[b][h][d][k] = I[b][h][d][c] * W[b][h][c][k]");
  CHECK(scores.loop_size("H") == 4);
  CHECK(scores.loop_size("C") == 64);
  const Layer& query = layer_named(encoder, "layer1/attention/query");
  CHECK(query.equation == "O[b][d][k] = I[b][d][c] * W[c][k]");
  CHECK(query.operands[query.operand_index("W")].constant);
}

TEST_CASE("generated networks carry the shape of every tensor and no weights") {
  for (const auto& entry : zz::models::catalogue()) {
    CAPTURE(entry.name);
    const onnx::ModelProto model = entry.make();
    CHECK(model.ByteSizeLong() < 100'000);
    if (entry.has_open_lengths) continue;
    zz::core::Diagnostics diagnostics;
    const Workload workload =
        zz::test::read_bytes(model.SerializeAsString(), zz::test::zigzag_operators, &diagnostics);
    CHECK(zz::test::warnings_of(diagnostics) == "");
    for (const auto& node : workload.pass_through) CHECK(node.output_elements > 0);
  }
}
