#include "core/search/fused/detail/kept_rows.hpp"

#include <algorithm>

namespace zz::core {
namespace {

/// The rows that one tile of a reader reads: from `first` to before `end`.
struct Rows {
  std::int64_t first = 0, end = 0;
};

/// A loop over the rows of a tensor, as one of its readers sees it.
class ReadRows {
 public:
  /// `written`, `read`: the axis of producer and reader.
  ReadRows(const NetworkTensor::Use& use, const LayerAxis& written, const LayerAxis& read,
           std::int64_t iterations)
      : all_(written.size), made_(written.tile(iterations)), rows_(read.tile(iterations)) {
    for (const SlidingWindow& window : use.windows)
      if (window.axis == written.axis) window_ = window;
  }

  Rows of(std::int64_t tile) const {
    const std::int64_t first = window_.stride * tile * rows_ - window_.padding;
    const std::int64_t last = window_.stride * ((tile + 1) * rows_ - 1) - window_.padding + window_.reach;
    return {std::clamp<std::int64_t>(first, 0, all_), std::clamp<std::int64_t>(last + 1, 0, all_)};
  }
  /// The tile of the producer with the last row of a reader's tile.
  std::int64_t last_tile(std::int64_t tile) const {
    return std::max<std::int64_t>(of(tile).end - 1, 0) / made_;
  }
  std::int64_t made() const { return made_; }  ///< rows of a tile

 private:
  std::int64_t all_, made_, rows_;
  SlidingWindow window_;
};

}  // namespace

const std::vector<int>& KeptRows::behind_all(const SharedLoop& loop) {
  const auto [entry, fresh] = behind_.try_emplace({loop.axis, loop.iterations});
  std::vector<int>& behind = entry->second;
  if (!fresh) return behind;
  behind.assign(network_.layers.size(), 0);
  // By producer; those stand in an order in which each comes behind what it reads.
  std::vector<const NetworkTensor*> tensors;
  for (const NetworkTensor& tensor : network_.tensors) tensors.push_back(&tensor);
  std::sort(tensors.begin(), tensors.end(),
            [](const auto* a, const auto* b) { return a->producer < b->producer; });
  for (const NetworkTensor* tensor : tensors) {
    const LayerAxis* const written = network_.axis_of(tensor->producer, loop.axis);
    for (const NetworkTensor::Use& use : tensor->uses) {
      if (!std::binary_search(use.axes.begin(), use.axes.end(), loop.axis)) continue;
      const LayerAxis* const read = network_.axis_of(use.layer, loop.axis);
      if (written->length % loop.iterations != 0 || read->length % loop.iterations != 0) continue;
      const ReadRows rows(use, *written, *read, loop.iterations);
      std::int64_t wait = 0;
      for (std::int64_t tile = 0; tile < loop.iterations; ++tile)
        wait = std::max(wait, rows.last_tile(tile) - tile);
      int& own = behind[use.layer];
      own = std::max(own, behind[tensor->producer] + static_cast<int>(wait));
    }
  }
  return behind;
}

std::int64_t KeptRows::of(int tensor, const SharedLoop& loop) {
  const auto [entry, fresh] = rows_.try_emplace({tensor, {loop.axis, loop.iterations}}, 0);
  std::int64_t& kept = entry->second;
  if (!fresh) return kept;
  const NetworkTensor& exchanged = network_.tensors[tensor];
  const LayerAxis& written = *network_.axis_of(exchanged.producer, loop.axis);
  for (const NetworkTensor::Use& use : exchanged.uses) {
    const ReadRows rows(use, written, *network_.axis_of(use.layer, loop.axis), loop.iterations);
    const std::int64_t behind = this->behind(use.layer, loop) - this->behind(exchanged.producer, loop);
    // While the reader is at its first tile, the producer has made as many as that is behind.
    for (std::int64_t tile = 0; tile < loop.iterations; ++tile) {
      const std::int64_t there = std::min(tile + behind, loop.iterations) * rows.made();
      kept = std::max(kept, there - rows.of(tile).first);
    }
  }
  return kept;
}

}  // namespace zz::core
