#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/unit/search/fused/einsums.hpp"

namespace zz::test {

/// Trees of shared loops over the layers of a network, each given by its lists between neighbours, and what
/// is valid below them, by walking elements phase by phase.
class LoopTrees {
 public:
  using Loop = std::pair<char, std::int64_t>;  ///< letter and iterations
  using List = std::vector<Loop>;              ///< outermost first
  struct Tensor {
    std::string letters;
    int producer = -1;
    std::vector<std::pair<int, int>> uses;  ///< layer, operand
  };

  explicit LoopTrees(const EinsumNetwork& network)
      : network_(network), count_(static_cast<int>(network.einsums.size())) {
    std::map<std::string, int> written;
    for (int i = 0; i < count_; ++i) {
      const Einsum& einsum = network.einsums[static_cast<std::size_t>(i)];
      std::string letters = einsum.output.second;
      for (std::size_t input = 0; input < einsum.inputs.size(); ++input) {
        for (const char letter : einsum.inputs[input].second)
          if (letters.find(letter) == std::string::npos) letters += letter;
        const auto from = written.find(einsum.inputs[input].first);
        if (from != written.end())
          tensors_[static_cast<std::size_t>(from->second)].uses.emplace_back(i,
                                                                             static_cast<int>(input) + 1);
      }
      // A tensor that is added is read along with the output.
      for (const std::string& tensor : einsum.added)
        tensors_[static_cast<std::size_t>(written.at(tensor))].uses.emplace_back(i, 0);
      letters_.push_back(letters);
      written[einsum.output.first] = static_cast<int>(tensors_.size());
      tensors_.push_back({einsum.output.second, i, {}});
    }
  }

  std::int64_t size(int layer, char letter) const { return network_.size(einsum(layer), letter); }
  const Einsum& einsum(int layer) const { return network_.einsums[static_cast<std::size_t>(layer)]; }
  /// The window through which an operand is read; nullptr: none.
  const Window* window(int layer, int operand) const {
    return operand == 1 && einsum(layer).window.filter != 0 ? &einsum(layer).window : nullptr;
  }
  bool has(int layer, char letter) const {
    return letters_[static_cast<std::size_t>(layer)].find(letter) != std::string::npos;
  }
  const std::string& letters_of(int layer, int operand) const {
    const Einsum& einsum = network_.einsums[static_cast<std::size_t>(layer)];
    if (operand == 0) return einsum.output.second;
    const auto input = static_cast<std::size_t>(operand - 1);
    return einsum.inputs[input < einsum.inputs.size() ? input : 0].second;
  }

  bool both_have(int at, const List& list) const {
    return std::all_of(list.begin(), list.end(),
                       [&](const Loop& loop) { return may_share(at, loop) && may_share(at + 1, loop); });
  }
  bool may_share(int layer, const Loop& loop) const {
    return has(layer, loop.first) && size(layer, loop.first) % loop.second == 0;
  }

  int length(const std::vector<List>& lists, int at) const {
    return at < 0 || at + 1 >= count_ ? 0 : static_cast<int>(lists[static_cast<std::size_t>(at)].size());
  }
  const List& head(const std::vector<List>& lists, int layer) const {
    static const List none;
    if (length(lists, layer - 1) == 0 && length(lists, layer) == 0) return none;
    return lists[static_cast<std::size_t>(length(lists, layer - 1) > length(lists, layer) ? layer - 1
                                                                                          : layer)];
  }

  // --- What is valid, by walking all phases.

  struct Phase {
    int layer = 0;
    std::vector<std::int64_t> at;  ///< iteration of each loop of its head
  };
  void walk(const std::vector<List>& lists, int begin, int end, int depth, std::vector<std::int64_t>& at,
            std::vector<Phase>& phases) const {
    for (int first = begin; first < end;) {
      int last = first;
      while (last + 1 < end && length(lists, last) > depth) ++last;
      if (last == first) {
        Phase phase{first, at};
        bool runs = true;
        for (std::size_t i = 0; i < at.size(); ++i) {
          const Loop& loop = head(lists, first)[i];
          phase.at[i] -= behind(first, loop);
          runs = runs && phase.at[i] >= 0 && phase.at[i] < loop.second;
        }
        if (runs) phases.push_back(std::move(phase));
        ++first;
        continue;
      }
      const Loop& loop = lists[static_cast<std::size_t>(first)][static_cast<std::size_t>(depth)];
      for (std::int64_t i = 0; i < loop.second + most_behind(loop); ++i) {
        at.push_back(i);
        walk(lists, first, last + 1, depth + 1, at, phases);
        at.pop_back();
      }
      first = last + 1;
    }
  }

  // --- Rows that windows slide along.

  /// Rows of an operand that a tile of so many output rows touches: from the first to before the last.
  std::pair<std::int64_t, std::int64_t> rows(int layer, int operand, std::int64_t from,
                                             std::int64_t to) const {
    const Window* const slides = window(layer, operand);
    if (slides == nullptr) return {from, to};
    const std::int64_t first = slides->stride * from - slides->padding;
    const std::int64_t end =
        slides->stride * (to - 1) - slides->padding + network_.sizes.at(slides->filter);
    return {std::max<std::int64_t>(first, 0), std::min(end, slides->data)};
  }
  /// Iterations that a layer runs behind a loop over rows: until all rows of each tile are there.
  std::int64_t behind(int layer, const Loop& loop) const {
    if (loop.first != rows_letter || !may_share(layer, loop)) return 0;
    std::int64_t most = 0;
    for (const Tensor& tensor : tensors_) {
      for (const auto& [user, operand] : tensor.uses) {
        if (user != layer || !may_share(tensor.producer, loop)) continue;
        const std::int64_t made = size(tensor.producer, rows_letter) / loop.second;
        const std::int64_t own = size(layer, rows_letter) / loop.second;
        for (std::int64_t tile = 0; tile < loop.second; ++tile) {
          const std::int64_t end = rows(layer, operand, tile * own, (tile + 1) * own).second;
          most = std::max(most, behind(tensor.producer, loop) + (end - 1) / made - tile);
        }
      }
    }
    return most;
  }
  std::int64_t most_behind(const Loop& loop) const {
    std::int64_t most = 0;
    for (int layer = 0; layer < count_; ++layer) most = std::max(most, behind(layer, loop));
    return most;
  }
  /// The most rows that were made before an iteration of a loop and are read in it or later.
  std::int64_t kept_rows(const Tensor& tensor, const Loop& loop) const {
    if (loop.first != rows_letter) return 0;
    const std::int64_t all = size(tensor.producer, rows_letter), made = all / loop.second;
    std::int64_t most = 0;
    for (std::int64_t iteration = 0; iteration < loop.second + most_behind(loop); ++iteration) {
      std::set<std::int64_t> kept;
      for (const auto& [layer, operand] : tensor.uses) {
        const std::int64_t own = size(layer, rows_letter) / loop.second;
        for (std::int64_t at = iteration; at < loop.second + most_behind(loop); ++at) {
          const std::int64_t tile = at - behind(layer, loop);
          if (tile < 0 || tile >= loop.second) continue;
          const auto [first, end] = rows(layer, operand, tile * own, (tile + 1) * own);
          for (std::int64_t row = first; row < end; ++row)
            if (row / made + behind(tensor.producer, loop) < iteration) kept.insert(row);
        }
      }
      most = std::max(most, static_cast<std::int64_t>(kept.size()));
    }
    return most;
  }

  /// Calls use(element) for each element of a tensor that a phase touches.
  void each_element(const std::vector<List>& lists, const Phase& phase, int operand,
                    const std::function<void(std::int64_t)>& use) const {
    const List& loops = head(lists, phase.layer);
    const std::string& letters = letters_of(phase.layer, operand);
    const Window* const slides = window(phase.layer, operand);
    const std::function<void(std::size_t, std::int64_t)> go = [&](std::size_t i, std::int64_t element) {
      if (i == letters.size()) {
        use(element);
        return;
      }
      std::int64_t from = 0, to = size(phase.layer, letters[i]);
      for (std::size_t loop = 0; loop < phase.at.size(); ++loop) {
        if (loops[loop].first != letters[i]) continue;
        const std::int64_t block = to / loops[loop].second;
        from = phase.at[loop] * block;
        to = from + block;
      }
      std::int64_t all = size(phase.layer, letters[i]);
      if (slides != nullptr && letters[i] == slides->rows) {
        std::tie(from, to) = rows(phase.layer, operand, from, to);
        all = slides->data;
      }
      for (std::int64_t index = from; index < to; ++index) go(i + 1, element * all + index);
    };
    go(0, 0);
  }

  /// Reads find finished elements; on chip, of the tile that is there.
  bool valid(const std::vector<List>& lists, const std::vector<Phase>& phases, const Tensor& tensor,
             int depth) const {
    const std::string& of_producer = letters_[static_cast<std::size_t>(tensor.producer)];
    std::int64_t sums = 1;
    for (const char letter : of_producer)
      if (tensor.letters.find(letter) == std::string::npos) sums *= size(tensor.producer, letter);
    struct Element {
      std::int64_t added = 0;
      std::vector<std::int64_t> tile;
    };
    std::map<std::int64_t, Element> elements;
    bool fine = true;
    // Rows wait for later iterations of their loop.
    const auto tile_of = [&](const Phase& phase) {
      std::vector<std::int64_t> tile;
      for (std::size_t loop = 0; loop < phase.at.size() && static_cast<int>(loop) < depth; ++loop)
        if (head(lists, phase.layer)[loop].first != rows_letter) tile.push_back(phase.at[loop]);
      return tile;
    };
    for (const Phase& phase : phases) {
      if (phase.layer == tensor.producer) {
        std::int64_t adds = 1;
        for (const char letter : of_producer) {
          if (tensor.letters.find(letter) != std::string::npos) continue;
          std::int64_t block = size(phase.layer, letter);
          for (std::size_t loop = 0; loop < phase.at.size(); ++loop)
            if (head(lists, phase.layer)[loop].first == letter)
              block /= head(lists, phase.layer)[loop].second;
          adds *= block;
        }
        each_element(lists, phase, 0, [&](std::int64_t element) {
          Element& known = elements[element];
          if (known.added > 0 && depth >= 0 && known.tile != tile_of(phase)) fine = false;
          known.added += adds;
          if (depth >= 0) known.tile = tile_of(phase);
        });
      }
      for (const auto& [layer, operand] : tensor.uses) {
        if (layer != phase.layer) continue;
        each_element(lists, phase, operand, [&](std::int64_t element) {
          const auto known = elements.find(element);
          if (known == elements.end() || known->second.added != sums ||
              (depth >= 0 && known->second.tile != tile_of(phase)))
            fine = false;
        });
      }
    }
    return fine;
  }

  /// The loop of a depth that a layer runs in, by the first layer that it runs; -1: none.
  int node(const std::vector<List>& lists, int layer, int depth) const {
    if (static_cast<int>(head(lists, layer).size()) <= depth) return -1;
    while (layer > 0 && length(lists, layer - 1) > depth) --layer;
    return layer;
  }

  /// Bits of earlier iterations, while a layer runs in the loops that they are kept for.
  double kept_bits(const std::vector<List>& lists, int layer, const Tensor& tensor, int depth) const {
    double bits = 0, whole = 1;
    for (const char letter : tensor.letters) whole *= static_cast<double>(size(tensor.producer, letter));
    const char in_blocks = EinsumNetwork::block_letter(tensor.letters);
    auto along = static_cast<double>(size(tensor.producer, in_blocks));
    const List& loops = head(lists, tensor.producer);
    for (int above = 0; above < depth; ++above) {
      const Loop& loop = loops[static_cast<std::size_t>(above)];
      const int own = node(lists, tensor.producer, above);
      if (own >= 0 && own == node(lists, layer, above) && loop.first == rows_letter)
        bits += network_.bits_of(whole, along) * static_cast<double>(kept_rows(tensor, loop)) /
                static_cast<double>(size(tensor.producer, rows_letter));
      whole /= static_cast<double>(loop.second);
      if (loop.first == in_blocks) along /= static_cast<double>(loop.second);
    }
    return bits;
  }

  const EinsumNetwork& network_;
  int count_;
  std::vector<Tensor> tensors_;
  std::vector<std::string> letters_;  ///< by layer

 private:
  static constexpr char rows_letter = 'r';  ///< along which windows slide
};

}  // namespace zz::test
