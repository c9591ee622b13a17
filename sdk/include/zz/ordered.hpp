// zz/ordered.hpp - the chain below over many contexts, worked on by the whole pool of the host, with the
// results in the order of the contexts. What a stage that opens the chain for each layer, each candidate or
// each point uses:
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

// What happens to the contexts after one for which the chain below failed.
enum class AfterFailure { stop, go_on };

// Made by Stage::ordered. ContextOf gives the context with a number, Value(uint32_t), and is called from
// several threads at once. Memory is bounded: a window of contexts is begun at a time, and of each one at
// most `most_held` results are found ahead; the rest is pulled when its turn comes.
template <class ContextOf>
class Ordered {
 public:
  // `display` may be null, or is advanced by one for each context that has come to its end. Both live
  // longer than this.
  Ordered(zz_place* at, uint32_t n, ContextOf context_of, Progress* display, AfterFailure after)
      : at_(at), n_(n), context_of_(std::move(context_of)), display_(display), after_(after) {}

  // The next result; false at the end. When the chain below failed for a context, its results come first
  // and then this throws: Below, or the Error of the function that gives contexts. With
  // AfterFailure::go_on the call after that goes on with the next context, else it gives false.
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

  // The number of the context that the last call of `next` was about.
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
    // The window, of which the reason may be a part, goes away below.
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

  // False when all contexts had their turn.
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
