#include "tests/unit/worlds/problems.hpp"

#include <utility>

#include "core/search/spatial/spatial_conversion.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

namespace zz::test {

using namespace zz::core;

namespace {

/// An array of 3 x 5 units, whose unrollings are thirds and fifths; the buffer may hold little or all.
std::shared_ptr<const Accelerator> odd_accelerator(std::int64_t buffer_bits) {
  auto accelerator = std::make_shared<Accelerator>(small_accelerator(512, buffer_bits, 8));
  accelerator->array.dimensions = {{"D1", 3}, {"D2", 5}};
  return accelerator;
}

/// No memory but the one for all is next to the units for outputs and activations.
std::shared_ptr<const Accelerator> without_output_memories(std::int64_t buffer_bits) {
  auto accelerator = std::make_shared<Accelerator>(small_accelerator(64, buffer_bits, 8));
  accelerator->memories = {accelerator->memories[0], memory("buffer", buffer_bits, {"I2"}, {"D1", "D2"}, 8),
                           accelerator->memories[3]};
  return accelerator;
}

/// A buffer for each column of D2.
std::shared_ptr<const Accelerator> with_buffers(std::int64_t buffer_bits) {
  auto accelerator = std::make_shared<Accelerator>(*odd_accelerator(buffer_bits));
  accelerator->memories[2].served_dimensions = {"D1"};
  return accelerator;
}

UnrolledProblem problem(const std::string& name, Layer layer,
                        std::shared_ptr<const Accelerator> accelerator, Unrolling unrolling) {
  layer.mapping.spatial_mapping.dimensions = std::move(unrolling);
  const ConvertedSpatialMapping converted = convert_spatial_mapping(layer, *accelerator, {});
  return {name, std::make_shared<Layer>(layer), std::move(accelerator),
          std::make_shared<SpatialMapping>(converted.fractional),
          std::make_shared<SpatialMapping>(converted.integral)};
}

}  // namespace

std::vector<UnrolledProblem> unrolled_problems() {
  std::vector<UnrolledProblem> all;
  for (const std::int64_t bits : {200, 2048, 8192, 1 << 20}) {
    const auto even = std::make_shared<const Accelerator>(small_accelerator(64, bits, 8));
    all.push_back(
        problem("whole", convolution(8, 6, 6, 3, 1), even, {{"D1", {{"K", 2}}}, {"D2", {{"C", 2}}}}));
    all.push_back(problem("gemm", gemm(12, 10, 9), even, {{"D1", {{"N", 2}}}}));
    all.push_back(
        problem("halves", convolution(7, 5, 7, 3, 2), even, {{"D1", {{"K", 2}}}, {"D2", {{"OX", 2}}}}));
    all.push_back(problem("single memories", convolution(6, 4, 5, 2, 1), without_output_memories(bits),
                          {{"D1", {{"K", 2}}}}));
    const auto odd = odd_accelerator(bits);
    // 29 on 2 takes 15 rounds: 29/15 times 3 and 5, whose product depends on the order of the loops.
    all.push_back(
        problem("fifteenths", convolution(29, 4, 5, 3, 1), odd, {{"D1", {{"K", 2}}}, {"D2", {{"C", 2}}}}));
    all.push_back(
        problem("thirds", convolution(22, 7, 8, 3, 1), odd, {{"D1", {{"K", 3}}}, {"D2", {{"OY", 3}}}}));
    all.push_back(problem("split window", convolution(4, 3, 10, 5, 2), with_buffers(bits),
                          {{"D1", {{"FY", 3}}}, {"D2", {{"OY", 4}}}}));
    all.push_back(
        problem("window", convolution(4, 4, 29, 5, 2), odd, {{"D1", {{"OX", 2}}}, {"D2", {{"FY", 4}}}}));
  }
  return all;
}

}  // namespace zz::test
