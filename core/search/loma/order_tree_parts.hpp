#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/search/loma/order_tree.hpp"

namespace zz::core {

/// An OrderTree in parts, numbered in the sequence of its orders, for several threads: each walks the
/// uppermost levels of its own copy of the tree, and below them the parts that it is the first to claim.
/// Parts are the branches of a certain depth, and single orders above it.
class OrderTreeParts {
 public:
  /// What the threads share.
  class Claims {
   public:
    std::int64_t next() { return next_.fetch_add(1, std::memory_order_relaxed); }
    /// Somebody came to the end of the tree: nothing is left to begin.
    bool all_taken() const { return all_taken_.load(std::memory_order_relaxed); }
    void end() { all_taken_.store(true, std::memory_order_relaxed); }

   private:
    std::atomic<std::int64_t> next_{0};
    std::atomic<bool> all_taken_{false};
  };

  explicit OrderTreeParts(Claims& claims) : claims_(claims) {}

  /// Calls `begin(part)` for each part that this thread claims, by ascending number, and in it
  /// `enter(open)` and `visit()` as OrderTree::walk does. `enter` is also asked whether to pass over the
  /// branches above, at the first part that is claimed there.
  template <class Begin, class Enter, class Visit>
  void walk(OrderTree& tree, const Begin& begin, const Enter& enter, const Visit& visit) {
    const auto claimed = [&] {
      if (!mine_) mine_ = claims_.next();
      if (part_++ != *mine_) return false;
      begin(*std::exchange(mine_, std::nullopt));
      for (int above = 1; above <= std::min(level_, depth - 1); ++above) {
        Above& branch = above_[above];
        if (branch.passed_over == Answer::not_asked)
          branch.passed_over = enter(branch.open) ? Answer::no : Answer::yes;
        if (branch.passed_over == Answer::yes) return false;
      }
      return true;
    };
    tree.walk(
        [&](int open) {
          if (level_ + 1 < depth) {
            above_[++level_] = {open, Answer::not_asked};
            return true;
          }
          if (level_ + 1 == depth && !claimed()) return false;
          if (!enter(open)) return false;
          ++level_;
          return true;
        },
        [&] {
          // The order of the root is the first, that of any other branch its last.
          if (level_ >= depth || claimed()) visit();
          if (level_ > 0) --level_;
        });
    claims_.end();
  }

 private:
  static constexpr int depth = 2;
  enum class Answer { not_asked, no, yes };
  struct Above {
    int open = 0;
    Answer passed_over = Answer::not_asked;
  };

  Claims& claims_;
  std::array<Above, depth> above_;    ///< by level, from 1 on
  int level_ = 0;                     ///< of the branch at hand
  std::int64_t part_ = 0;             ///< the next one
  std::optional<std::int64_t> mine_;  ///< claimed, and not come to
};

}  // namespace zz::core
