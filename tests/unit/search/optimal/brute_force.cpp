#include "tests/unit/search/optimal/brute_force.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "core/cost/port_load.hpp"
#include "core/hardware/layer_sparsity.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/search/temporal/loop_factors.hpp"
#include "core/workload/tile_bits.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::test {

using namespace zz::core;

namespace {

class Enumeration {
 public:
  Enumeration(const MappingProblem& problem, const MappingLimits& within)
      : problem_(problem),
        within_(within),
        layer_(*problem.layer),
        hierarchy_(*problem.accelerator),
        model_(problem.accelerator, problem.layer, problem.fractional, problem.integral, problem.options) {
    result_.least.fill(std::numeric_limits<double>::infinity());
    result_.second = result_.least;
    for (const RemainingLoop& loop : remaining_loops(layer_, *problem.fractional, problem.options.rules)) {
      std::int64_t rest = loop.size;
      for (std::int64_t prime = 2; rest > 1; ++prime) {
        for (; rest % prime == 0; rest /= prime) loops_.emplace_back(loop.dimension, prime);
      }
    }
    std::sort(loops_.begin(), loops_.end());
    for (std::size_t operand = 0; operand < layer_.operands.size(); ++operand)
      memories_.push_back(hierarchy_.levels[static_cast<std::size_t>(
          hierarchy_.operand_index(layer_.memory_operand(static_cast<int>(operand))))]);
  }

  /// Every order of the loops of every chain of each dimension.
  BruteForce find_chains() {
    std::vector<std::pair<int, std::int64_t>> rounds;
    for (const RemainingLoop& loop : remaining_loops(layer_, *problem_.fractional, problem_.options.rules))
      rounds.emplace_back(loop.dimension, loop.size);
    choose_chains(rounds, 0, {});
    return result_;
  }

  BruteForce find() {
    do {
      mapping_ = {};
      for (const auto& [dimension, size] : loops_) {
        mapping_.dimension[mapping_.loops] = static_cast<std::uint8_t>(dimension);
        mapping_.size[mapping_.loops++] = size;
      }
      try_cuts();
    } while (std::next_permutation(loops_.begin(), loops_.end()));
    return result_;
  }

 private:
  /// All chains of so many rounds that are no coarser than another one: sizes, innermost first.
  static void chains_of(std::int64_t rounds, std::vector<std::int64_t> sizes,
                        std::vector<std::vector<std::int64_t>>& found) {
    if (rounds == 1) {
      found.push_back(sizes);
      return;
    }
    for (std::int64_t size = 2; size <= rounds; ++size) {
      sizes.push_back(size);
      chains_of((rounds + size - 1) / size, sizes, found);
      sizes.pop_back();
    }
  }

  void choose_chains(const std::vector<std::pair<int, std::int64_t>>& rounds, std::size_t next,
                     std::vector<std::vector<std::int64_t>> chosen) {
    if (next < rounds.size()) {
      std::vector<std::vector<std::int64_t>> chains;
      chains_of(rounds[next].second, {}, chains);
      for (const auto& chain : chains) {
        chosen.push_back(chain);
        choose_chains(rounds, next + 1, chosen);
        chosen.pop_back();
      }
      return;
    }
    // Orders of dimensions; the loops of one come in the order of its chain.
    std::vector<int> order;
    for (std::size_t i = 0; i < chosen.size(); ++i)
      order.insert(order.end(), chosen[i].size(), static_cast<int>(i));
    do {
      mapping_ = {};
      std::vector<std::size_t> taken(chosen.size(), 0);
      for (const int i : order) {
        mapping_.dimension[mapping_.loops] = static_cast<std::uint8_t>(rounds[i].first);
        mapping_.size[mapping_.loops++] = chosen[i][taken[i]++];
      }
      try_cuts();
    } while (std::next_permutation(order.begin(), order.end()));
  }

  bool irrelevant(int operand, int position) const { return (irrelevant_[operand] >> position & 1U) != 0; }

  int memory(int operand, int level) const { return memories_[operand][level]; }
  int levels(int operand) const { return static_cast<int>(memories_[operand].size()); }

  /// Every way to cut the order that mapping_ has.
  void try_cuts() {
    used_.clear();
    bits_.clear();
    for (std::size_t operand = 0; operand < layer_.operands.size(); ++operand) {
      irrelevant_[operand] = 0;
      for (int position = 0; position < mapping_.loops; ++position)
        if (layer_.relevancy(static_cast<int>(operand), mapping_.dimension[position]) ==
            Relevancy::irrelevant)
          irrelevant_[operand] |= 1U << position;
    }
    cut(0, 0);
  }

  double bits(int operand, int level, int lower_cut, int upper_cut) const {
    std::map<std::string, double> sizes;
    for (const LoopDimension& loop : layer_.loops) sizes[loop.name] = 1;
    for (int position = 0; position < upper_cut; ++position)
      sizes[layer_.loops[mapping_.dimension[position]].name] *=
          static_cast<double>(mapping_.size[position]);
    const bool average = problem_.options.rules.room_of_average_round;  // else the fullest round
    const auto& unrolled = problem_.fractional->operands[operand].levels;
    bool partial = false;
    for (std::size_t i = 0; i < unrolled.size(); ++i) {
      for (const UnrolledLoop& loop : unrolled[i]) {
        if (static_cast<int>(i) <= level)
          sizes[loop.dimension] *= average ? loop.factor : std::ceil(loop.factor * (1 - 1e-9));
        else
          partial = partial ||
                    layer_.relevancy(operand, layer_.loop_index(loop.dimension)) == Relevancy::irrelevant;
      }
    }
    for (const LoopDimension& loop : layer_.loops)
      if (!average) sizes[loop.name] = std::min(sizes[loop.name], static_cast<double>(loop.size));
    for (int position = lower_cut; position < mapping_.loops; ++position)
      partial = partial || irrelevant(operand, position);
    double elements = 1;
    for (const std::string& name : layer_.operands[operand].dimensions) {
      const auto relation =
          std::find_if(layer_.relations.begin(), layer_.relations.end(),
                       [&](const DimensionRelation& candidate) { return candidate.data == name; });
      if (relation == layer_.relations.end()) {
        elements *= sizes.at(name);
        continue;
      }
      const auto whole = [&](const std::string& loop) {
        return static_cast<std::int64_t>(sizes.at(loop) + 1e-9);
      };
      elements *= static_cast<double>(std::min(
          relation->size, distinct_positions(relation->stride, whole(relation->output_loop),
                                             relation->dilation, whole(relation->filter_loop), false)));
    }
    const bool finished = operand == 0 && !partial;
    const HeldBits held = held_bits_of(layer_, operand, *problem_.accelerator, {memory(operand, level)});
    if (!held.in_format.empty())
      return held.at(0, finished).of_room(elements, [&](int loop) {
        return sizes.at(layer_.loops[static_cast<std::size_t>(loop)].name);
      });
    const std::int64_t precision =
        finished ? layer_.final_output_precision : layer_.operands[operand].precision;
    const BlockScale& scale = finished ? layer_.final_output_scale : layer_.operands[operand].scale;
    double bits = elements * static_cast<double>(precision);
    if (!scale.any()) return bits;
    const std::string& along =
        scale.along.empty() ? layer_.loops[static_cast<std::size_t>(scale_axis(layer_, operand))].name
                            : scale.along;
    const double row = sizes.at(along);
    for (double begun = 0; begun < row - 1e-9; begun += static_cast<double>(scale.every))
      bits += elements / row * static_cast<double>(scale.bits);
    return bits;
  }

  /// bits(), counted once for each order: of those below the cut only whether sums go on there matters.
  double known_bits(int operand, int level, int lower_cut, int upper_cut) {
    const bool goes_on = irrelevant_[operand] >> lower_cut != 0;
    const auto at = static_cast<std::size_t>(
        ((operand * max_memory_levels + level) * (mapping_.loops + 1) + upper_cut) * 2 + (goes_on ? 1 : 0));
    if (bits_.size() <= at) bits_.resize(at + 1, -1);
    if (bits_[at] < 0) bits_[at] = bits(operand, level, lower_cut, upper_cut);
    return bits_[at];
  }

  bool shares_tiles(int operand) const {
    for (const SharedTiles& tiles : model_.tables().shared_tiles)
      for (const OperandLevel& at : tiles)
        if (at.operand == operand) return true;
    return false;
  }

  /// And no other cut of these operands is below loops that could be moved down.
  bool shared_tiles_end_together() const {
    for (const SharedTiles& tiles : model_.tables().shared_tiles)
      for (const OperandLevel& at : tiles)
        if (mapping_.stationary[at.operand][at.level] !=
            mapping_.stationary[tiles.front().operand][tiles.front().level])
          return false;
    for (int operand = 0; operand < static_cast<int>(layer_.operands.size()); ++operand) {
      if (!shares_tiles(operand)) continue;
      for (int level = 0; level + 1 < levels(operand); ++level) {
        const int end = mapping_.stationary[operand][level];
        if (end < mapping_.loops && irrelevant(operand, end) && !is_end_of_tiles(operand, level, end))
          return false;
      }
    }
    return true;
  }

  /// Shared tiles of the operand, in this memory or above, end there.
  bool is_end_of_tiles(int operand, int level, int end) const {
    for (const SharedTiles& tiles : model_.tables().shared_tiles)
      for (const OperandLevel& at : tiles)
        if (at.operand == operand && at.level >= level && mapping_.stationary[operand][at.level] == end)
          return true;
    return false;
  }

  /// Before the figures are taken over.
  void count_busy(int objective, double figure, double second) {
    const double least = result_.least[objective], least_second = result_.second[objective];
    const bool better =
        figure < least * (1 - 1e-9) || (figure <= least * (1 + 1e-9) && second < least_second * (1 - 1e-9));
    if (!better && (figure > least * (1 + 1e-9) || second > least_second * (1 + 1e-9))) return;
    std::vector<double> busy = busy_cycles(model_, mapping_);
    std::sort(busy.begin(), busy.end(), std::greater<>());
    std::vector<double>&low = result_.least_busy[objective], &high = result_.most_busy[objective];
    low = better ? busy : std::min(low, busy);
    high = better ? busy : std::max(high, busy);
  }

  void cut(int operand, int level) {
    if (operand == static_cast<int>(layer_.operands.size())) {
      for (const auto& [memory, used] : used_)
        if (used > static_cast<double>(problem_.accelerator->memories[memory].size)) return;
      if (!shared_tiles_end_together()) return;
      const Score score = model_.score(mapping_);
      ++result_.mappings;
      if (std::isnan(score.energy_total)) return;
      if (score.energy_total > within_.most_energy || score.latency_total2 > within_.most_latency) return;
      const double figures[] = {score.energy_total, score.latency_total2,
                                score.energy_total * score.latency_total2};
      for (int i = 0; i < 3; ++i) {
        const double second = figures[i == 0 ? 1 : 0];
        count_busy(i, figures[i], second);
        if (figures[i] < result_.least[i] * (1 - 1e-9))
          result_.second[i] = second;
        else if (figures[i] <= result_.least[i] * (1 + 1e-9))
          result_.second[i] = std::min(result_.second[i], second);
        if (figures[i] >= result_.least[i]) continue;
        result_.least[i] = figures[i];
        result_.mapping[i] = mapping_;
      }
      return;
    }
    const int lower = level > 0 ? mapping_.stationary[operand][level - 1] : 0;
    const bool topmost = level + 1 == levels(operand);
    for (int upper = topmost ? mapping_.loops : lower; upper <= mapping_.loops; ++upper) {
      // ZigZag moves such loops down, but not into tiles that end with those of another input.
      if (!topmost && !shares_tiles(operand) && upper < mapping_.loops && irrelevant(operand, upper))
        continue;
      const double needed = known_bits(operand, level, lower, upper);
      double& used = used_[memory(operand, level)];
      used += needed;
      mapping_.stationary[operand][level] = static_cast<std::uint8_t>(upper);
      if (used <= static_cast<double>(problem_.accelerator->memories[memory(operand, level)].size)) {
        if (topmost)
          cut(operand + 1, 0);
        else
          cut(operand, level + 1);
      }
      used_[memory(operand, level)] -= needed;
    }
  }

  const MappingProblem& problem_;
  MappingLimits within_;
  const Layer& layer_;
  MemoryHierarchy hierarchy_;
  CostModel model_;
  std::vector<std::pair<int, std::int64_t>> loops_;
  CompactMapping mapping_;
  std::vector<std::vector<int>> memories_;                ///< by operand, from the lowest up
  std::array<std::uint32_t, max_operands> irrelevant_{};  ///< loops of the order, by operand
  std::map<int, double> used_;
  std::vector<double> bits_;  ///< of known_bits(), below 0: not counted yet
  BruteForce result_;
};

}  // namespace

BruteForce try_every_chain(const MappingProblem& problem) { return Enumeration(problem, {}).find_chains(); }

BruteForce try_everything(const MappingProblem& problem, const MappingLimits& within) {
  return Enumeration(problem, within).find();
}

}  // namespace zz::test
