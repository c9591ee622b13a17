#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace zz::core {

/// Lists of different lengths, one after the other in one array: row i is [begin[i], begin[i + 1]).
template <class Entry>
struct CompressedRows {
  std::vector<int> begin{0};
  std::vector<Entry> entries;

  void reserve(std::size_t rows, std::size_t count) {
    begin.reserve(rows + 1);
    entries.reserve(count);
  }
  /// Ends the row that received the latest entries.
  void end_row() { begin.push_back(static_cast<int>(entries.size())); }
  std::span<const Entry> operator[](std::size_t row) const {
    return {entries.data() + begin[row], static_cast<std::size_t>(begin[row + 1] - begin[row])};
  }
};

}  // namespace zz::core
