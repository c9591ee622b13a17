#pragma once
#include <cstdint>
#include <string>

namespace zz::core {

/// A share of places that are counted from 0: every so many-th of them, so that shares take about the same
/// time. The default is all.
class Shard {
 public:
  /// "2/4" is the second of four, as is "2/4" of shares that are counted from 0, with "0/4" for "4/4".
  /// Throws InputError for what is none.
  static Shard of(const std::string& written);

  /// Number of those of `total` places that belong to it.
  std::uint64_t count_of(std::uint64_t total) const {
    return total > first_ ? (total - first_ - 1) / of_ + 1 : 0;
  }
  std::uint64_t place(std::uint64_t index) const { return first_ + index * of_; }
  bool whole() const { return of_ == 1; }

 private:
  std::uint64_t first_ = 0, of_ = 1;
};

}  // namespace zz::core
