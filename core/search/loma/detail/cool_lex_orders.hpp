#pragma once
#include <cstdint>
#include <vector>

namespace zz::core {

/// Visits every distinct order of a multiset of small numbers once, each a shift of a prefix of the one
/// before. (A. Williams: Loopless generation of multiset permutations using a constant number of variables
/// by prefix shifts, SODA 2009.) The first order is the non-increasing one.
class CoolLexOrders {
 public:
  explicit CoolLexOrders(std::vector<std::uint8_t> items);
  const std::vector<std::uint8_t>& current() const { return items_; }
  bool advance();  ///< false: the current order was the last

  /// Number of distinct orders; saturates at the largest int64_t.
  static std::int64_t count(std::vector<std::uint8_t> items);

 private:
  std::vector<std::uint8_t> items_;
};

}  // namespace zz::core
