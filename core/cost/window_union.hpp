#pragma once
#include <cstdint>
#include <span>

namespace zz::core {

/// One transfer on a port: for `count` periods of `period` cycles it may use the first `allowed` cycles of
/// each and needs `real` of them.
struct PortActivity {
  std::int64_t real, allowed, period, count;
};

/// Cycles in which at least one of the activities may use the port. Each period divides the longer ones, as
/// those of nested loops do, which allows a closed form instead of marking cycles one by one.
std::int64_t window_union(std::span<const PortActivity> activities);

}  // namespace zz::core
