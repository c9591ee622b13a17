#include "core/compat/set_walk.hpp"

namespace zz::core {
namespace {

constexpr std::size_t none = ~std::size_t{0};
constexpr std::size_t linear_probes = 9;

void place(std::vector<std::size_t>& slots, std::uint64_t hash, std::size_t element) {
  const std::size_t mask = slots.size() - 1;
  std::size_t start = hash & mask;
  for (std::uint64_t perturbation = hash;;) {
    const std::size_t last = start + linear_probes <= mask ? start + linear_probes : start;
    for (std::size_t slot = start; slot <= last; ++slot) {
      if (slots[slot] != none) continue;
      slots[slot] = element;
      return;
    }
    perturbation >>= 5;
    start = (start * 5 + 1 + perturbation) & mask;
  }
}

}  // namespace

std::vector<std::size_t> set_walk(std::span<const std::uint64_t> hashes) {
  std::vector<std::size_t> slots(8, none);
  for (std::size_t element = 0; element < hashes.size(); ++element) {
    place(slots, hashes[element], element);
    const std::size_t count = element + 1;
    if (5 * count < 3 * (slots.size() - 1)) continue;
    std::size_t size = 8;
    while (size <= count * (count > 50000 ? 2 : 4)) size *= 2;
    std::vector<std::size_t> old(size, none);
    old.swap(slots);
    for (const std::size_t earlier : old)
      if (earlier != none) place(slots, hashes[earlier], earlier);
  }
  std::vector<std::size_t> order;
  order.reserve(hashes.size());
  for (const std::size_t element : slots)
    if (element != none) order.push_back(element);
  return order;
}

}  // namespace zz::core
