#include "tests/unit/cost/small_problems.hpp"

#include "core/workload/window_positions.hpp"

namespace zz::test {
namespace {

void link(core::Layer& layer) {
  layer.name = "small";
  layer.type = "Test";
  layer.final_output_precision = 8;
  layer.mapping.memory_operands = {{"O", "O"}, {"W", "I2"}, {"I", "I1"}};
}

}  // namespace

core::Layer gemm(std::int64_t m, std::int64_t n, std::int64_t c) {
  core::Layer layer;
  layer.equation = "O[m][n] = I[m][c] * W[c][n]";
  layer.loops = {{"M", m}, {"N", n}, {"C", c}};
  layer.operands = {
      {"O", {"M", "N"}, 8, false, {}}, {"I", {"M", "C"}, 8, true, {}}, {"W", {"C", "N"}, 8, true, {}}};
  link(layer);
  return layer;
}

core::Layer convolution(std::int64_t k, std::int64_t c, std::int64_t out, std::int64_t filter,
                        std::int64_t stride) {
  core::Layer layer;
  layer.equation = "O[k][oy][ox] = W[k][c][fy][fx] * I[c][iy][ix]";
  layer.loops = {{"K", k}, {"C", c}, {"OY", out}, {"OX", out}, {"FY", filter}, {"FX", filter}};
  const std::int64_t in = core::distinct_positions(stride, out, 1, filter, false);
  layer.relations = {{"IX", stride, "OX", 1, "FX", in, 0, 0, false},
                     {"IY", stride, "OY", 1, "FY", in, 0, 0, false}};
  layer.operands = {{"O", {"K", "OY", "OX"}, 8, false, {}},
                    {"W", {"K", "C", "FY", "FX"}, 8, true, {}},
                    {"I", {"C", "IY", "IX"}, 8, true, {}}};
  link(layer);
  return layer;
}

core::Memory memory(const std::string& name, std::int64_t size, std::vector<std::string> operands,
                    std::vector<std::string> served, std::int64_t word) {
  core::Memory result;
  result.name = name;
  result.size = size;
  result.read_cost = 1;
  result.write_cost = 1;
  for (const std::string& operand : operands) {
    for (int direction = 0; direction < core::direction_count; ++direction) {
      result.ports.push_back({operand + core::direction_codes[direction],
                              core::PortType::read_write,
                              word,
                              word,
                              {{operand, static_cast<core::Direction>(direction)}}});
    }
  }
  result.operands = std::move(operands);
  result.served_dimensions = std::move(served);
  return result;
}

core::Accelerator small_accelerator(std::int64_t register_bits, std::int64_t buffer_bits,
                                    std::int64_t word) {
  core::Accelerator accelerator;
  accelerator.name = "small";
  accelerator.array.dimensions = {{"D1", 2}, {"D2", 2}};
  accelerator.array.unit_energy = 1;
  accelerator.memories = {memory("weight_register", register_bits, {"I2"}, {}, word),
                          memory("output_register", register_bits, {"O"}, {"D1"}, word),
                          memory("buffer", buffer_bits, {"I1", "O"}, {"D1", "D2"}, word),
                          memory("dram", 1 << 30, {"I1", "I2", "O"}, {"D1", "D2"}, word)};
  return accelerator;
}

}  // namespace zz::test
