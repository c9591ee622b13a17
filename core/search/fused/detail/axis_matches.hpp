#pragma once
#include <cstdint>
#include <vector>

namespace zz::core {

/// An axis of an output that becomes one of an input: the dimension of either side, the product of the
/// sizes of what stands inside of the axis there, and its size.
struct AxisMatch {
  int from = 0, to = 0;  ///< index into the lists of sizes
  std::int64_t from_inside = 1, to_inside = 1;
  std::int64_t size = 1;
};

/// Finds by the sizes alone how a tensor of these sizes (outermost axis first) is read with other ones:
///  * the same sizes in the same order;
///  * else with axes in another order, or several axes of one side as one of the other;
///  * else rows and columns of one side as heads, rows of several queries and elements of the other.
/// Empty where there is no way, or more than one.
std::vector<AxisMatch> match_axes(const std::vector<std::int64_t>& from,
                                  const std::vector<std::int64_t>& to);

}  // namespace zz::core
