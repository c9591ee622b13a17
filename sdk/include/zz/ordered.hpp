// zz/ordered.hpp - runs the chain below over many contexts on the thread pool of the host, with the results
// in the order of the contexts. For stages that open the chain for each layer, candidate or point:
//
//   auto runs = ordered(layers.size(), [&](uint32_t i) { return with(ctx, {{"layer", layers[i]}}); });
//   for (Result result; runs.next(result);) co_yield std::move(result);
//
// Results never depend on the number of threads. With one thread, or a stage below that cannot be opened
// concurrently, everything runs in lockstep, one context after the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "zz/services.hpp"

#pragma GCC visibility push(hidden)
namespace zz {

// Continuation after a context for which the chain below failed.
enum class AfterFailure { stop, go_on };

// Made by Stage::ordered. ContextOf, a Value(uint32_t), gives the context with a number; several threads
// call it at once. Memory is bounded: a window of contexts is in work at a time, with at most `most_held`
// results found ahead for each. The others are pulled when their turn comes.
template <class ContextOf>
class Ordered {
 public:
  // Advances `display`, which may be null, by one for each finished context. Both must outlive this.
  Ordered(zz_place* at, uint32_t n, ContextOf context_of, Progress* display, AfterFailure after)
      : at_(at), n_(n), context_of_(std::move(context_of)), display_(display), after_(after) {}

  // Gives the next result; false at the end. When the chain below fails for a context, the results before
  // the failure come first; then this throws Below, or the Error of ContextOf. The call after that
  // continues with the next context (AfterFailure::go_on) or returns false.
  bool next(Result& out) {
    for (;;) {
      if (current_ == window_.size() && !begin_window()) return false;
      Opening& opening = window_[current_];
      index_ = first_ + current_;
      if (opening.taken < opening.found.size()) {
        out = std::move(opening.found[opening.taken++]);
        return true;
      }
      if (opening.failure) fail(opening.failure);
      if (opening.rest) {
        detail::Failure failure;
        try {
          if (opening.rest->next(out)) return true;
        } catch (...) {
          failure.capture();
        }
        if (failure) fail(failure);
        opening.rest.reset();
        if (display_) display_->advance();
      }
      ++current_;
    }
  }

  // The number of the context of the last call of `next`.
  uint32_t index() const { return index_; }

 private:
  static constexpr uint32_t contexts_a_thread = 8;  // evens out that some take longer than others
  static constexpr uint32_t most_held = 64;

  struct Opening {
    std::vector<Result> found;
    std::size_t taken = 0;
    std::optional<Substage> rest;  // not at its end yet
    detail::Failure failure;
  };

  [[noreturn]] void fail(const detail::Failure& reason) {
    // The reason may be a part of the window, which is cleared below.
    const detail::Failure failure = reason;
    window_[current_].rest.reset();
    ++current_;
    if (after_ == AfterFailure::stop) {
      window_.clear();
      current_ = 0;
      first_ = n_;
    }
    failure.rethrow();
  }

  // False when all contexts are finished.
  bool begin_window() {
    first_ += static_cast<uint32_t>(window_.size());
    window_.clear();
    current_ = 0;
    if (first_ >= n_) return false;
    if (cancelled()) throw Error(ZZ_E_CANCELLED, "interrupted");
    const uint32_t width = threads();
    window_ = std::vector<Opening>(std::min(n_ - first_, width > 1 ? contexts_a_thread * width : 1));
    std::atomic<uint32_t> failed_at = UINT32_MAX;
    for_each(static_cast<uint32_t>(window_.size()), [&](uint32_t i) {
      if (after_ == AfterFailure::stop && i > failed_at.load(std::memory_order_relaxed)) return;
      if (begin(window_[i], first_ + i, width > 1 ? most_held : 1)) return;
      uint32_t before = failed_at.load();
      while (i < before && !failed_at.compare_exchange_weak(before, i)) {
      }
    });
    return true;
  }

  // False when it failed.
  bool begin(Opening& opening, uint32_t number, uint32_t most) {
    try {
      opening.rest.emplace(at_, context_of_(number), 1);
      while (opening.found.size() < most) {
        Result result;
        if (!opening.rest->next(result)) {
          opening.rest.reset();
          if (display_) display_->advance();
          break;
        }
        opening.found.push_back(std::move(result));
      }
      return true;
    } catch (...) {
      opening.failure.capture();
    }
    opening.rest.reset();
    return false;
  }

  zz_place* at_;
  uint32_t n_;
  ContextOf context_of_;
  Progress* display_;
  AfterFailure after_;
  std::vector<Opening> window_;
  uint32_t first_ = 0;       // number of the first context of the window
  std::size_t current_ = 0;  // in the window
  uint32_t index_ = 0;
};

}  // namespace zz
#pragma GCC visibility pop
