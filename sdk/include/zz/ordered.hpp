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
#include <mutex>
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

  // alike[i] is the first of the contexts that are like i, perhaps i itself. Later ones of a kind are begun
  // when the first one is done, because they are quick then, and after the other first ones of their
  // window. Results stay in the order of the contexts. Before the first call of `next`.
  void begin_after_first(std::vector<uint32_t> alike) { alike_ = std::move(alike); }

  // So many contexts a thread make a window, 8 unless told: more even out better how long they take, and
  // hold more results. Before the first call of `next`.
  void window_per_thread(uint32_t contexts) { window_per_thread_ = contexts; }

  // The number of the context that the last call of `next` was about.
  uint32_t index() const { return index_; }

 private:
  static constexpr uint32_t most_held = 64;

  struct Opening {
    std::vector<Result> found;
    std::size_t taken = 0;
    std::optional<Substage> rest;  // not at its end yet
    detail::Failure failure;
  };

  // In which order the contexts of a window are begun. Nobody waits: one whose turn comes while the first
  // of its kind is worked on is left to the thread that does that. [any]
  class Turns {
   public:
    static constexpr uint32_t none = UINT32_MAX;

    Turns(const std::vector<uint32_t>& alike, uint32_t first, uint32_t size)
        : alike_(size), left_(size), done_(size, 0) {
      for (uint32_t i = 0; i < size; ++i) {
        const bool later = !alike.empty() && alike[first + i] >= first;
        alike_[i] = later ? alike[first + i] - first : i;
      }
      for (const bool later : {false, true}) {
        for (uint32_t i = 0; i < size; ++i)
          if ((alike_[i] != i) == later) order_.push_back(i);
      }
    }

    // The context to be begun at this turn, or none.
    uint32_t begin(uint32_t turn) {
      const uint32_t i = order_[turn];
      const std::lock_guard lock(mutex_);
      if (alike_[i] == i || done_[alike_[i]]) return i;
      left_[alike_[i]].push_back(i);
      return none;
    }
    // Says that context i is done; gives those that are left to its thread.
    std::vector<uint32_t> end(uint32_t i) {
      const std::lock_guard lock(mutex_);
      done_[i] = 1;
      return std::move(left_[i]);
    }

   private:
    std::mutex mutex_;
    std::vector<uint32_t> alike_, order_;
    std::vector<std::vector<uint32_t>> left_;
    std::vector<char> done_;
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
    // Several contexts a thread even out that some take longer than others.
    window_ = std::vector<Opening>(std::min(n_ - first_, width > 1 ? window_per_thread_ * width : 1));
    Turns turns(alike_, first_, static_cast<uint32_t>(window_.size()));
    std::atomic<uint32_t> failed_at = UINT32_MAX;
    const auto begin_one = [&](uint32_t i) {
      if (after_ == AfterFailure::stop && i > failed_at.load(std::memory_order_relaxed)) return;
      if (begin(window_[i], first_ + i, width > 1 ? most_held : 1)) return;
      uint32_t before = failed_at.load();
      while (i < before && !failed_at.compare_exchange_weak(before, i)) {
      }
    };
    for_each(static_cast<uint32_t>(window_.size()), [&](uint32_t turn) {
      const uint32_t i = turns.begin(turn);
      if (i == Turns::none) return;
      begin_one(i);
      for (const uint32_t later : turns.end(i)) begin_one(later);
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
  std::vector<uint32_t> alike_;
  uint32_t window_per_thread_ = 8;
  std::vector<Opening> window_;
  uint32_t first_ = 0;       // number of the first context of the window
  std::size_t current_ = 0;  // in the window
  uint32_t index_ = 0;
};

}  // namespace zz
#pragma GCC visibility pop
