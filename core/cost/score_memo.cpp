#include "core/cost/score_memo.hpp"

#include <algorithm>

namespace zz::core {
namespace {

/// Two lanes, because each step waits for the multiplication before it.
std::uint64_t hash_of(std::span<const std::uint64_t> key) {
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;
  std::uint64_t even = key.size(), odd = 0;
  std::size_t i = 0;
  for (; i + 1 < key.size(); i += 2) {
    even = (even ^ key[i]) * factor;
    odd = (odd ^ key[i + 1]) * factor;
  }
  if (i < key.size()) even = (even ^ key[i]) * factor;
  const std::uint64_t hash = (even ^ odd >> 32) * factor;
  return hash ^ hash >> 32;
}

}  // namespace

Score& ScoreMemo::at(std::span<const std::uint64_t> key, bool& is_new) {
  if (2 * scores_.size() >= slots_.size()) grow();
  const std::uint64_t hash = hash_of(key);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const std::size_t entry = slots_[slot] - 1;
    if (hashes_[entry] != hash) continue;
    if (!std::equal(key.begin(), key.end(),
                    keys_.begin() + static_cast<std::ptrdiff_t>(entry * key.size())))
      continue;
    is_new = false;
    return scores_[entry];
  }
  is_new = true;
  if (scores_.size() == most_entries) {
    keys_.clear();
    hashes_.clear();
    scores_.clear();
    std::fill(slots_.begin(), slots_.end(), 0);
    slot = hash & mask;
  }
  keys_.insert(keys_.end(), key.begin(), key.end());
  hashes_.push_back(hash);
  slots_[slot] = static_cast<std::uint32_t>(hashes_.size());
  return scores_.emplace_back();
}

void ScoreMemo::grow() {
  slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t entry = 0; entry < hashes_.size(); ++entry) {
    std::size_t slot = hashes_[entry] & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(entry + 1);
  }
}

}  // namespace zz::core
