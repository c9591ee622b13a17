#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace zz::core {

/// Numbers different keys 0, 1, 2, ... in the order in which they are seen first. A key is a sequence of
/// words, of any length.
class KeyNumbers {
 public:
  /// The number of the key; size() is its number if it is new, and then grows by one.
  std::uint32_t number_of(std::span<const std::uint32_t> key);
  std::size_t size() const { return hashes_.size(); }
  void clear();

 private:
  /// Makes room for twice as many keys, the next ones of about this size.
  void grow(std::size_t key_size);

  std::vector<std::uint32_t> words_;    ///< of all keys
  std::vector<std::uint32_t> ends_{0};  ///< of each key in words_, after a 0
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_;  ///< number + 1, or 0
};

}  // namespace zz::core
