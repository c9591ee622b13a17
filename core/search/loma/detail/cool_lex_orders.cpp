#include "core/search/loma/detail/cool_lex_orders.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace zz::core {

CoolLexOrders::CoolLexOrders(std::vector<std::uint8_t> items) : items_(std::move(items)) {
  std::sort(items_.begin(), items_.end(), std::greater<>());
}

bool CoolLexOrders::advance() {
  const std::size_t size = items_.size();
  if (size < 2) return false;
  std::size_t prefix = 1;  // length of the longest non-increasing prefix
  while (prefix < size && items_[prefix - 1] >= items_[prefix]) ++prefix;
  std::size_t moved;
  if (prefix >= size - 1) {
    if (items_[size - 1] >= items_[0]) return false;
    moved = size - 1;
  } else {
    moved = items_[prefix - 1] >= items_[prefix + 1] ? prefix + 1 : prefix;
  }
  std::rotate(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(moved),
              items_.begin() + static_cast<std::ptrdiff_t>(moved) + 1);
  return true;
}

std::int64_t CoolLexOrders::count(std::vector<std::uint8_t> items) {
  std::sort(items.begin(), items.end());
  // Multiply the binomial coefficients (placed choose equal) one factor at a time; each step divides
  // exactly.
  __extension__ unsigned __int128 count = 1;
  std::size_t equal = 0;
  for (std::size_t placed = 1; placed <= items.size(); ++placed) {
    equal = placed > 1 && items[placed - 1] == items[placed - 2] ? equal + 1 : 1;
    count = count * placed / equal;
    if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return std::numeric_limits<std::int64_t>::max();
    }
  }
  return static_cast<std::int64_t>(count);
}

}  // namespace zz::core
