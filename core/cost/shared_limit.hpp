#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "core/cost/kept_orders.hpp"

namespace zz::core {

/// What the threads of one search tell each other, so that each can leave out what the others have enough
/// better orders than. A search is cut into parts, numbered as they are enumerated.
class SharedLimit {
 public:
  /// A thread keeps as many orders as are wanted, none of them worse than these figures, none of a later
  /// part.
  struct Word {
    OrderFigures::Values figures;
    std::int64_t last_part;
  };

  explicit SharedLimit(std::size_t threads) : words_(threads) {}

  /// Takes the place of what the thread said before.
  void say(std::size_t thread, const Word& word) {
    const std::lock_guard lock(mutex_);
    words_[thread] = word;
    version_.fetch_add(1, std::memory_order_relaxed);
  }

  /// Grows when somebody says something.
  std::uint32_t version() const { return version_.load(std::memory_order_relaxed); }

  std::vector<std::optional<Word>> words() {
    const std::lock_guard lock(mutex_);
    return words_;
  }

 private:
  std::mutex mutex_;
  std::atomic<std::uint32_t> version_{0};
  std::vector<std::optional<Word>> words_;
};

}  // namespace zz::core
