#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/workload/layer.hpp"

namespace zz::test {

/// O[m][n] += I[m][c] * W[c][n]; 8-bit inputs.
core::Layer gemm(std::int64_t m, std::int64_t n, std::int64_t c);

/// O[k][oy][ox] += W[k][c][fy][fx] * I[c][iy][ix] without padding; 8-bit inputs.
core::Layer convolution(std::int64_t k, std::int64_t c, std::int64_t out, std::int64_t filter,
                        std::int64_t stride);

/// A memory whose every port moves words of `word` bits, one port for each direction of each operand.
core::Memory memory(const std::string& name, std::int64_t size, std::vector<std::string> operands,
                    std::vector<std::string> served, std::int64_t word);

/// A 2 x 2 array; registers for weights (per unit) and outputs (along D1), a shared buffer, and a memory
/// for all. Every access moves one word of `word` bits.
core::Accelerator small_accelerator(std::int64_t register_bits, std::int64_t buffer_bits,
                                    std::int64_t word);

}  // namespace zz::test
