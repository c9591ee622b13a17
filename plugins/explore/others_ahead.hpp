#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>

#include "zz/stage.hpp"

namespace zz::plugins {

/// Pieces of work that are done in order until one suffices, of which this is the first: `first()` does it
/// and says whether it sufficed, which is what comes back. Meanwhile threads that have nothing else to do
/// call `ahead(i, over)` for the pieces that follow, 0 < i < n; `over()` says that the first one sufficed.
/// What they find may only save work later: which pieces they come to is a matter of time. A piece that
/// fails ahead fails again in its turn.
template <class First, class Ahead>
bool with_others_ahead(std::size_t n, First&& first, Ahead&& ahead) {
  std::atomic<bool> done = false, enough = false;
  std::exception_ptr failure;
  const std::function<bool()> over = [&] { return enough.load(std::memory_order_relaxed); };
  for_each(static_cast<uint32_t>(std::min<std::size_t>(n, threads())), [&](uint32_t i) {
    if (i > 0) {
      if (done) return;
      try {
        ahead(i, over);
      } catch (...) {
        // Told in its turn.
      }
      return;
    }
    try {
      enough = first();
    } catch (...) {
      failure = std::current_exception();
      enough = true;
    }
    done = true;
  });
  if (failure) std::rethrow_exception(failure);
  return enough;
}

}  // namespace zz::plugins
