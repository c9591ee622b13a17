#include <doctest/doctest.h>

#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/input/zigzag/workload_yaml.hpp"

namespace {

using namespace zz::core;

const char* const two_stream_layers = R"(
- id: 0
  name: first
  operator_type: Gemm
  equation: O[d][k] += W[k][c] * I[d][c]
  loop_dims: [D, K, C]
  loop_sizes: [2, 3, 4]
  operand_precision: {O: 16, O_final: 8, W: 8, I: 8}
  operand_source: {I: 0, W: 0}
- id: 1
  operator_type: Gemm
  equation: O[d][k] += W[k][c] * I[d][c]
  loop_dims: [D, K, C]
  loop_sizes: [2, 5, 3]
  operand_precision: {O: 16, O_final: 8, W: 8, I: 8}
  operand_source: {I: 0}
)";

Workload read_layers(const Rules& rules) {
  Diagnostics diagnostics;
  const MappingFile mapping = read_mapping_text(
      "- name: default\n- name: first\n  core_allocation: 1\n- name: Gemm\n  core_allocation: [2, 3]\n",
      "m.yaml", diagnostics);
  return read_stream_workload_text(two_stream_layers, "w.yaml", mapping, rules, diagnostics);
}

}  // namespace

TEST_CASE("layers for several cores keep names, order of sources and cores") {
  const Workload workload = read_layers(Rules{});
  const Layer &first = *workload.layers[0], &second = *workload.layers[1];
  CHECK(first.name == "first");
  CHECK(first.type == "gemm");
  CHECK(first.source_order == std::vector<int>{2, 1});
  CHECK(first.mapping.core_allocation == std::vector<std::int64_t>{1});
  CHECK(second.name == "Gemm_1");
  CHECK(second.mapping.core_allocation == std::vector<std::int64_t>{2, 3});
  CHECK(second.operands[1].constant);
  CHECK(second.source_order == std::vector<int>{2, 1});
}

TEST_CASE("Stream forgets names, and inputs without a source") {
  const Workload workload = read_layers(rules_of("stream-0.0.8"));
  CHECK(workload.layers[0]->name == "Gemm_0");
  CHECK(workload.layers[0]->mapping.core_allocation == std::vector<std::int64_t>{1});
  CHECK_FALSE(workload.layers[1]->operands[1].constant);
  CHECK(workload.layers[1]->source_order == std::vector<int>{2});
}
