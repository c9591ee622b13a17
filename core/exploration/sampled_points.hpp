#pragma once
#include <cstdint>
#include <vector>

#include "core/exploration/design_space.hpp"

namespace zz::core {

/// Some of the points of a space, each once: `count` of them, or all where there are no more.
std::vector<std::uint64_t> random_points(const DesignSpace& space, std::uint64_t count, std::uint64_t seed);

/// The same by the low-discrepancy sequence of Sobol, which spreads over all axes evenly (I. M. Sobol, USSR
/// Computational Mathematics and Mathematical Physics 7, 1967; directions of Joe and Kuo). It may give
/// fewer where the sequence meets no further point.
std::vector<std::uint64_t> sobol_points(const DesignSpace& space, std::uint64_t count);

}  // namespace zz::core
