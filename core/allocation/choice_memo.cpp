#include "core/allocation/choice_memo.hpp"

#include <cstdint>
#include <cstring>

namespace zz::core {
namespace {

/// Mixes one word into a hash (the finaliser of splitmix64).
std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  std::uint64_t x = hash + 0x9e3779b97f4a7c15ULL + word;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::uint64_t mix(std::uint64_t hash, double number) {
  std::uint64_t word = 0;
  if (number != 0) std::memcpy(&word, &number, sizeof word);  // 0 and -0 are equal
  return mix(hash, word);
}

}  // namespace

std::size_t ChoiceMemo::Hash::operator()(const ScheduleChoice& choice) const {
  std::uint64_t hash = mix(choice.cores.size(), static_cast<std::uint64_t>(choice.dispatch));
  for (const int core : choice.cores) hash = mix(hash, static_cast<std::uint64_t>(core));
  hash = mix(hash, choice.weight);
  hash = mix(hash, static_cast<std::uint64_t>(choice.back_filling));
  for (const double offset : choice.layer_offset) hash = mix(hash, offset);
  for (const double slope : choice.layer_slope) hash = mix(hash, slope);
  return hash;
}

const ScheduleFigures* ChoiceMemo::find(const ScheduleChoice& choice) const {
  const auto found = figures_.find(choice);
  return found == figures_.end() ? nullptr : &found->second;
}

}  // namespace zz::core
