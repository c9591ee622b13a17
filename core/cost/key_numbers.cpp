#include "core/cost/key_numbers.hpp"

#include <algorithm>
#include <bit>

namespace zz::core {
namespace {

std::uint64_t hash_of(std::span<const std::uint32_t> key) {
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;
  std::uint64_t hash = key.size();
  std::size_t i = 0;
  for (; i + 1 < key.size(); i += 2)
    hash = std::rotl((hash ^ key[i] ^ std::uint64_t{key[i + 1]} << 32) * factor, 29);
  if (i < key.size()) hash = (hash ^ key[i]) * factor;
  return hash ^ hash >> 32;
}

}  // namespace

std::uint32_t KeyNumbers::number_of(std::span<const std::uint32_t> key) {
  if (2 * size() >= slots_.size()) grow(key.size());
  const std::uint64_t hash = hash_of(key);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const std::uint32_t number = slots_[slot] - 1;
    if (hashes_[number] != hash) continue;
    if (std::equal(key.begin(), key.end(), words_.begin() + ends_[number],
                   words_.begin() + ends_[number + 1]))
      return number;
  }
  const auto number = static_cast<std::uint32_t>(size());
  words_.insert(words_.end(), key.begin(), key.end());
  ends_.push_back(static_cast<std::uint32_t>(words_.size()));
  hashes_.push_back(hash);
  slots_[slot] = number + 1;
  return number;
}

void KeyNumbers::clear() {
  words_.clear();
  ends_.assign(1, 0);
  hashes_.clear();
  std::fill(slots_.begin(), slots_.end(), 0);
}

void KeyNumbers::grow(std::size_t key_size) {
  slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), 0);
  const std::size_t keys = slots_.size() / 2;
  words_.reserve(words_.size() + (keys - size()) * key_size);
  ends_.reserve(keys + 1);
  hashes_.reserve(keys);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t number = 0; number < size(); ++number) {
    std::size_t slot = hashes_[number] & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(number + 1);
  }
}

}  // namespace zz::core
