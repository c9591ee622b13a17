// Ports that move data by requests. The product of hand_example.hpp has 4 tiles of I of 4 x 2 bytes, 8 of W
// of 1 x 6, and one of O of 4 x 6, which pass the port of its narrow memory for 32, 48 and 24 cycles.
#include <algorithm>
#include <doctest/doctest.h>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/cost/audit.hpp"
#include "core/hardware/further_keys.hpp"
#include "tests/unit/worlds/hand_example.hpp"

namespace {

using namespace zz::core;
using namespace zz::test;

Accelerator with_request(const PortRequests& request) {
  Accelerator accelerator = narrow_dram();
  accelerator.memories[1].ports[0].request = request;
  return accelerator;
}

Layer with_layout(Layer layer, const std::string& of_i, const std::string& of_w, const std::string& of_o) {
  layer.mapping.layout = {{"I", {"..", of_i}}, {"W", {"..", of_w}}, {"O", {"..", of_o}}};
  return layer;
}

const PortUseFigures& use_of(const PortFigures& port, const std::string& operand,
                             const std::string& direction) {
  for (const PortUseFigures& use : port.uses)
    if (use.operand == operand && (direction.empty() || use.direction == direction)) return use;
  FAIL("no use of " << operand);
  return port.uses.front();
}

/// The use of the port of the narrow memory.
const PortUseFigures& use_of(const Evaluation& evaluation, const std::string& operand) {
  return use_of(evaluation.ports.back(), operand, "");
}

}  // namespace

TEST_CASE("request: a tile takes as many requests as its stretches need") {
  // Stretches of two inputs are a request each, those of six weights or results two.
  const Evaluation evaluation =
      evaluated(with_request({4, 5}), with_layout(product_by_hand(), "C", "K", "K"), order_by_hand);
  CHECK(use_of(evaluation, "I").cycles == 4 * 5);
  CHECK(use_of(evaluation, "W").cycles == 2 * 5);
  CHECK(use_of(evaluation, "O").cycles == 4 * 2 * 5);
  CHECK(evaluation.ports.back().traffic == 4 * 20 + 8 * 10 + 40);
  CHECK(evaluation.latency_total2 == 200);
  const Evaluation plain = evaluated(narrow_dram(), product_by_hand(), order_by_hand);
  CHECK(evaluation.energy_total == plain.energy_total);
  CHECK(evaluation.operands[1].levels[1].accesses == plain.operands[1].levels[1].accesses);
}

TEST_CASE("request: along another dimension stretches have another length") {
  const Evaluation evaluation =
      evaluated(with_request({4, 5}), with_layout(product_by_hand(), "B", "C", "B"), order_by_hand);
  CHECK(use_of(evaluation, "I").cycles == 2 * 5);
  CHECK(use_of(evaluation, "W").cycles == 6 * 5);
  CHECK(use_of(evaluation, "O").cycles == 6 * 5);
}

TEST_CASE("request: what leaves the units may go by others, and no port is faster than its width") {
  const Evaluation evaluation = evaluated(with_request({64, 1, Request{2, 6}}),
                                          with_layout(product_by_hand(), "C", "K", "K"), order_by_hand);
  CHECK(use_of(evaluation, "I").cycles == 8);
  CHECK(use_of(evaluation, "W").cycles == 6);
  CHECK(use_of(evaluation, "O").cycles == 4 * 3 * 6);
}

TEST_CASE("request: a tile of Gemmini") {
  // 128 pixels of 768 channels, 16 output channels: the bus takes 64 bytes in four cycles, and 16 of
  // results.
  Accelerator accelerator = accelerator_with(
      "gemmini", {1},
      {one_port_memory("scratchpad", 1 << 24, {"I1", "I2", "O"}, {"D1"}, 1024, 1024),
       one_port_memory("dram", std::int64_t{1} << 30, {"I1", "I2", "O"}, {"D1"}, 128, 128)});
  accelerator.memories[1].ports[0].request = PortRequests{64, 4, Request{16, 4}};
  Layer product = with_layout(product_by_hand(), "C", "K", "K");
  product.loops = {{"B", 128}, {"K", 16}, {"C", 768}};
  product.mapping.spatial_mapping = {};
  const Evaluation evaluation = evaluated(accelerator, product, {{"C", 768}, {"K", 16}, {"B", 128}});
  CHECK(use_of(evaluation, "I").cycles == 6144);
  CHECK(use_of(evaluation, "W").cycles == 3072);
  CHECK(use_of(evaluation, "O").cycles == 512);
}

TEST_CASE("request: units that take from one memory at once share requests") {
  // The weights of three units on average are one stretch.
  Accelerator accelerator = narrow_dram();
  accelerator.memories[0].ports[0].request = PortRequests{2, 1};
  const Evaluation evaluation =
      evaluated(accelerator, with_layout(product_by_hand(), "C", "K", "K"), order_by_hand);
  CHECK(use_of(evaluation.ports.front(), "W", "rd_out_to_low").cycles == 2);
  CHECK(use_of(evaluation.ports.front(), "I", "rd_out_to_low").cycles == 1);
}

TEST_CASE("request: units that wait for requests are told so") {
  const Evaluation evaluation =
      evaluated(with_request({1, 9}), with_layout(product_by_hand(), "C", "K", "K"), order_by_hand);
  bool told = false;
  for (const LatencyPart& part : evaluation.latency_parts)
    told = told || (part.because == "requests" && part.limiter() == "dram.rw_port_1");
  CHECK(told);
}

TEST_CASE("request: the auditor counts requests by itself") {
  Evaluation evaluation =
      evaluated(with_request({4, 5}), with_layout(product_by_hand(), "C", "K", "K"), order_by_hand);
  CHECK(audit(evaluation, AuditScope::all).empty());
  const double to_offload = evaluation.latency_total2 - 199;
  evaluation.latency_total2 = 199;
  evaluation.data_offloading_cycle -= to_offload;
  const auto broken = audit(evaluation, AuditScope::all);
  const bool found = std::any_of(broken.begin(), broken.end(), [](const std::string& line) {
    return line.starts_with("port bandwidth:");
  });
  CHECK(found);
}

TEST_CASE("request: layouts must be known, and requests must be possible") {
  CHECK_THROWS_WITH_AS(
      evaluated(with_request({4, 5}), product_by_hand(), order_by_hand),
      doctest::Contains(
          "port 'rw_port_1' of memory 'dram' of 'hand' makes requests, which take as long as"),
      InputError);
  const auto says = [](const PortRequests& request, const std::string& text) {
    const auto problems = find_memory_key_problems(with_request(request));
    return !problems.empty() && problems.front().message.find(text) != std::string::npos;
  };
  CHECK(find_memory_key_problems(with_request({4, 5})).empty());
  CHECK(says({0, 5}, "the request of port 'rw_port_1' of memory 'dram' has 0 bytes; it must have from 1"));
  CHECK(says({4, 0},
             "the request of port 'rw_port_1' of memory 'dram' takes 0 cycles; it must take more than 0"));
  CHECK(says({4, 5, Request{4, -1}},
             "store in the request of port 'rw_port_1' of memory 'dram' takes -1 cycles"));
}
