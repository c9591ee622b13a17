#pragma once
#include <cstddef>
#include <functional>

namespace zz::core {

/// Runs fn(0) .. fn(n - 1), perhaps on several threads; returns when all are done. May be called from
/// within fn.
using ParallelFor = std::function<void(std::size_t n, const std::function<void(std::size_t)>& fn)>;

/// Threads that work may be shared out to.
struct Threads {
  std::size_t count = 1;          ///< the calling one included
  ParallelFor parallel_for = {};  ///< needed for more than one
};

}  // namespace zz::core
