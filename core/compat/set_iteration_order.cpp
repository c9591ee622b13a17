#include "core/compat/set_iteration_order.hpp"

#include <bit>

#include "core/compat/set_walk.hpp"

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

}  // namespace

std::vector<std::size_t> set_iteration_order(
    const std::vector<std::pair<NodeIdentity, NodeIdentity>>& pairs) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(pairs.size());
  for (const auto& [producer, consumer] : pairs)
    hashes.push_back(pair_hash(node_hash(producer), node_hash(consumer)));
  return set_walk(hashes);
}

}  // namespace zz::core
