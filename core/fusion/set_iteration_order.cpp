#include "core/fusion/set_iteration_order.hpp"

#include <bit>

namespace zz::core {
namespace {

std::uint64_t integer_hash(std::int64_t number) {
  return static_cast<std::uint64_t>(number == -1 ? -2 : number);
}

std::uint64_t pair_hash(std::uint64_t first, std::uint64_t second) {
  constexpr std::uint64_t prime1 = 11400714785074694791U, prime2 = 14029467366897019727U,
                          prime5 = 2870177450012600261U, salt = 3527539U;
  std::uint64_t sum = prime5;
  for (const std::uint64_t part : {first, second}) sum = std::rotl(sum + part * prime2, 31) * prime1;
  sum += 2 ^ (prime5 ^ salt);
  return sum == ~std::uint64_t{0} ? 1546275796U : sum;
}

std::uint64_t node_hash(const NodeIdentity& node) {
  return pair_hash(integer_hash(node.layer_id), integer_hash(node.sub_id));
}

constexpr std::size_t none = ~std::size_t{0};
constexpr std::size_t linear_probes = 9;

void place(std::vector<std::size_t>& slots, std::uint64_t hash, std::size_t item) {
  const std::size_t mask = slots.size() - 1;
  std::size_t start = hash & mask;
  for (std::uint64_t perturbation = hash;;) {
    const std::size_t last = start + linear_probes <= mask ? start + linear_probes : start;
    for (std::size_t slot = start; slot <= last; ++slot) {
      if (slots[slot] != none) continue;
      slots[slot] = item;
      return;
    }
    perturbation >>= 5;
    start = (start * 5 + 1 + perturbation) & mask;
  }
}

}  // namespace

std::vector<std::size_t> set_iteration_order(
    const std::vector<std::pair<NodeIdentity, NodeIdentity>>& pairs) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(pairs.size());
  std::vector<std::size_t> slots(8, none);
  for (std::size_t item = 0; item < pairs.size(); ++item) {
    hashes.push_back(pair_hash(node_hash(pairs[item].first), node_hash(pairs[item].second)));
    place(slots, hashes[item], item);
    const std::size_t count = item + 1;
    if (5 * count < 3 * (slots.size() - 1)) continue;
    std::size_t size = 8;
    while (size <= count * (count > 50000 ? 2 : 4)) size *= 2;
    std::vector<std::size_t> old(size, none);
    old.swap(slots);
    for (const std::size_t earlier : old)
      if (earlier != none) place(slots, hashes[earlier], earlier);
  }
  std::vector<std::size_t> order;
  order.reserve(pairs.size());
  for (const std::size_t item : slots)
    if (item != none) order.push_back(item);
  return order;
}

}  // namespace zz::core
