#pragma once
#include <cstdint>
#include <random>

namespace zz::core {

/// Random numbers that are the same on every machine and with every standard library, unlike those of the
/// standard distributions.
class RandomNumbers {
 public:
  /// Streams of one seed are independent of each other.
  RandomNumbers(std::uint64_t seed, std::uint64_t stream) {
    std::seed_seq sequence{low(seed), high(seed), low(stream), high(stream)};
    engine_.seed(sequence);
  }

  /// Uniform in [0, 1).
  double fraction() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  /// Uniform in [0, count), for counts far below 2^32.
  int below(int count) {
    return static_cast<int>(((engine_() >> 32) * static_cast<std::uint64_t>(count)) >> 32);
  }

 private:
  static std::uint32_t low(std::uint64_t number) { return static_cast<std::uint32_t>(number); }
  static std::uint32_t high(std::uint64_t number) { return static_cast<std::uint32_t>(number >> 32); }

  std::mt19937_64 engine_;
};

}  // namespace zz::core
