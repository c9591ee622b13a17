#pragma once
#include <cstdint>
#include <vector>

#include "core/search/spatial/spatial_options.hpp"

namespace zz::core {

/// A way to fill the open array dimensions: per dimension the option that it takes.
struct RankedChoice {
  double score = 0;  ///< units used + units used / largest total unroll of one loop - 1
  std::vector<std::uint32_t> options;
};

/// The best `limit` choices of one option per array dimension in which no loop is unrolled more often than
/// it has iterations; best first, of equally good ones the first in the order of the Cartesian product
/// whose first dimension varies slowest. `limit` 0 gives all. `prescribed` is unrolled already.
///
/// What cannot be among the best is left out in whole branches, so that products of 10^8 take
/// milliseconds, of 10^10 less than a tenth of a second; the result is that of full enumeration.
std::vector<RankedChoice> rank_choices(const std::vector<SpatialOptions>& dimensions,
                                       const std::vector<std::int64_t>& loop_sizes,
                                       const std::vector<UnrolledIndex>& prescribed, std::size_t limit);

}  // namespace zz::core
