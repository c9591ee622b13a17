#include "tests/unit/search/fused/brute_force.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/cost/cost_model.hpp"
#include "core/search/fused/fused_mapping.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "tests/unit/search/fused/loop_trees.hpp"

namespace zz::test {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::size_t most_depth = 6;

constexpr std::size_t most_memories = 6;
constexpr std::size_t most_shared = 2;

/// The cost of a layer, or a part of it: pJ, and cycles of each memory's port.
struct Figures {
  double energy = 0;
  std::array<double, most_memories> busy{};
  void add(const Figures& other, double times = 1) {
    energy += times * other.energy;
    for (std::size_t memory = 0; memory < most_memories; ++memory)
      busy[memory] += times * other.busy[memory];
  }
};

/// Where a tensor is exchanged, and below how many shared loops.
struct Exchange {
  int exchange_memory = -1;  ///< number of the memory; -1: nowhere
  int depth = 0;
  auto operator<=>(const Exchange&) const = default;
};
using Exchanges = std::array<Exchange, 3>;          ///< by operand
using PerMemory = std::array<double, most_shared>;  ///< of those that operands share

struct Choice {
  double energy = 0, latency = 0, made = 0;
  PerMemory own{};
  std::array<PerMemory, most_depth> kept{};
  bool no_worse(const Choice& other) const {
    if (energy > other.energy || latency > other.latency || made > other.made) return false;
    for (std::size_t exchange_memory = 0; exchange_memory < most_shared; ++exchange_memory) {
      if (own[exchange_memory] > other.own[exchange_memory]) return false;
      for (std::size_t i = 0; i < most_depth; ++i)
        if (kept[i][exchange_memory] > other.kept[i][exchange_memory]) return false;
    }
    return true;
  }
};

template <class One>
void add(std::vector<One>& front, const One& choice) {
  for (const One& known : front)
    if (known.no_worse(choice)) return;
  std::erase_if(front, [&](const One& known) { return choice.no_worse(known); });
  front.push_back(choice);
}

class Search : private LoopTrees {
 public:
  Search(const EinsumNetwork& network, const core::FusedNetwork& layers, core::Objective objective,
         const std::string& exchange_memory)
      : LoopTrees(network), layers_(layers), objective_(objective) {
    const core::Accelerator& accelerator = *core::array_of(layers);
    for (std::size_t memory = 0; memory < accelerator.memories.size(); ++memory) {
      const core::Memory& of = accelerator.memories[memory];
      if (of.name != "buffer" && of.name != "store") continue;
      if (of.name == exchange_memory) exchange_memory_ = static_cast<int>(shared_.size());
      shared_.push_back(static_cast<int>(memory));
      capacity_.push_back(static_cast<double>(of.size));
    }
  }

  BruteForce run() {
    std::vector<List> lists(static_cast<std::size_t>(count_ - 1));
    each_list(0, lists);
    return {best_, combinations_};
  }

 private:
  const core::NetworkLayer& own_of(int layer) const {
    return layers_.layers[static_cast<std::size_t>(layer)];
  }
  int shared() const { return static_cast<int>(shared_.size()); }
  static std::string loop_of(char letter) { return std::string(1, static_cast<char>(letter - 'a' + 'A')); }
  /// Iterations that the layer has: at most those whose tiles compete.
  std::int64_t layer_size(int layer, char letter) const {
    return own_of(layer).layer->loop_size(loop_of(letter));
  }
  /// A memory that operands share, as the layer's accelerator has it.
  int there(int layer, int number) const {
    return own_of(layer).memory(shared_[static_cast<std::size_t>(number)]);
  }

  /// All lists behind layer `at`, each a beginning of the one before it or the other way round.
  void each_list(int at, std::vector<List>& lists) {
    if (at + 1 == count_) {
      try_lists(lists);
      return;
    }
    const List before = at > 0 ? lists[static_cast<std::size_t>(at) - 1] : List();
    List& own = lists[static_cast<std::size_t>(at)];
    for (std::size_t length = 0; length < before.size(); ++length) {
      own.assign(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(length));
      if (both_have(at, own)) each_list(at + 1, lists);
    }
    own = before;
    if (both_have(at, own)) longer(at, lists);
  }
  void longer(int at, std::vector<List>& lists) {
    List& own = lists[static_cast<std::size_t>(at)];
    each_list(at + 1, lists);
    for (const char letter : letters_[static_cast<std::size_t>(at)]) {
      if (!has(at + 1, letter) ||
          std::any_of(own.begin(), own.end(), [&](const Loop& loop) { return loop.first == letter; }))
        continue;
      for (std::int64_t iterations = 2; iterations <= size(at, letter); ++iterations) {
        if (!may_share(at, {letter, iterations}) || !may_share(at + 1, {letter, iterations})) continue;
        own.emplace_back(letter, iterations);
        longer(at, lists);
        own.pop_back();
      }
    }
  }

  // --- What a layer can do below a head.

  /// The choices of one operand in one order: what each adds to the energy, and holds in memories.
  struct OperandChoice {
    Figures figures;
    PerMemory own{};
    double made = 0;  ///< bits of what is exchanged
    double kept = 0;
    int depth = -1, exchange_memory = -1;  ///< of what is kept

    bool no_worse(const OperandChoice& other) const {
      bool all = figures.energy <= other.figures.energy && made <= other.made && kept <= other.kept &&
                 (depth < 0 || (depth == other.depth && exchange_memory == other.exchange_memory));
      for (std::size_t memory = 0; memory < most_memories; ++memory)
        all = all && figures.busy[memory] <= other.figures.busy[memory];
      for (std::size_t at = 0; at < most_shared; ++at) all = all && own[at] <= other.own[at];
      return all;
    }
  };

  const std::vector<Choice>& choices(int layer, const List& head, const Exchanges& exchanged) {
    const auto key = std::make_tuple(layer, head, exchanged);
    const auto known = choices_.find(key);
    if (known != choices_.end()) return known->second;
    std::vector<Choice>& front = choices_[key];
    std::vector<Loop> tile;  // prime factors
    for (const char letter : letters_[static_cast<std::size_t>(layer)]) {
      std::int64_t left = size(layer, letter);
      for (const Loop& loop : head)
        if (loop.first == letter) left /= loop.second;
      for (std::int64_t factor = 2; left > 1; ++factor)
        for (; left % factor == 0; left /= factor) tile.emplace_back(letter, factor);
    }
    std::sort(tile.begin(), tile.end());
    do {
      std::array<std::vector<OperandChoice>, 3> of;
      Figures base;
      for (int operand = 0; operand < 3; ++operand)
        of[static_cast<std::size_t>(operand)] =
            operand_choices(layer, head, tile, operand, exchanged[static_cast<std::size_t>(operand)], base);
      for (const OperandChoice& a : of[0]) {
        for (const OperandChoice& b : of[1]) {
          for (const OperandChoice& c : of[2]) {
            Choice choice;
            Figures all_figures = base;
            const std::array<const OperandChoice*, 3> all = {&a, &b, &c};
            for (std::size_t operand = 0; operand < 3; ++operand) {
              all_figures.add(all[operand]->figures);
              if (operand == 0) choice.made = all[operand]->made;
              for (std::size_t exchange_memory = 0; exchange_memory < most_shared; ++exchange_memory)
                choice.own[exchange_memory] += all[operand]->own[exchange_memory];
              if (all[operand]->depth >= 0)
                choice.kept[static_cast<std::size_t>(all[operand]->depth)]
                           [static_cast<std::size_t>(all[operand]->exchange_memory)] += all[operand]->kept;
            }
            if (objective_ != core::Objective::latency) choice.energy = all_figures.energy;
            if (objective_ != core::Objective::energy) {
              choice.latency = floor(layer, exchanged);
              for (const double busy : all_figures.busy) choice.latency = std::max(choice.latency, busy);
            }
            add(front, choice);
          }
        }
      }
    } while (std::next_permutation(tile.begin(), tile.end()));
    return front;
  }

  /// Cycles of the fastest mapping that exchanges these operands, by the search for one layer.
  double floor(int layer, const Exchanges& exchanged) {
    std::vector<std::string> operands;
    const core::NetworkLayer& own = own_of(layer);
    for (int operand = 0; operand < 3; ++operand)
      if (exchanged[static_cast<std::size_t>(operand)].exchange_memory >= 0)
        operands.push_back(own.layer->memory_operand(operand));
    const auto known = floors_.find({layer, operands});
    if (known != floors_.end()) return known->second;
    const core::MappingProblem problem =
        core::unrolled_problem(*own.layer,
                               std::make_shared<const core::Accelerator>(core::exchanging(
                                   *own.problem.accelerator, there(layer, exchange_memory_), operands)),
                               own.unrolling(), own.problem.options);
    core::OptimumOptions options;
    options.objective = core::Objective::latency;
    double least = infinite;
    try {
      least = core::find_optimal_mapping(problem, options).lower_bound;
    } catch (const core::NoResult&) {
    }
    return floors_[{layer, operands}] = least;
  }

  /// A memory of an operand below its topmost one.
  struct Level {
    int exchange_memory = -1;  ///< its number, if operands share it
    double bits = 0;
  };
  /// From the lowest one on; of what is exchanged those up to its exchange memory, which is the last one.
  std::vector<Level> levels(int layer, int operand, int exchanged) const {
    std::vector<Level> found;
    const auto& memories = own_of(layer).problem.accelerator->memories;
    const std::string& name = own_of(layer).layer->memory_operand(operand);
    for (int memory = 0; memory + 1 < static_cast<int>(memories.size()); ++memory) {
      const core::Memory& of = memories[static_cast<std::size_t>(memory)];
      Level level{-1, static_cast<double>(of.size)};
      for (int at = 0; at < shared(); ++at)
        if (there(layer, at) == memory) level.exchange_memory = at;
      const bool comes_there = level.exchange_memory >= 0 && level.exchange_memory == exchanged;
      if (of.holds(name) || comes_there) found.push_back(level);
      if (comes_there) break;
    }
    return found;
  }

  std::vector<OperandChoice> operand_choices(int layer, const List& head, const std::vector<Loop>& tile,
                                             int operand, const Exchange& exchanged, Figures& base) {
    const core::NetworkLayer& own = own_of(layer);
    // The nest, with a loop of one iteration over each letter where the tile ends: nothing is reused
    // beyond.
    core::CompactMapping nest;
    std::vector<char> letters;
    const auto push = [&](char letter, std::int64_t iterations) {
      nest.dimension[static_cast<std::size_t>(nest.loops)] =
          static_cast<std::uint8_t>(own.layer->loop_index(loop_of(letter)));
      nest.size[static_cast<std::size_t>(nest.loops++)] = iterations;
      letters.push_back(letter);
    };
    for (const Loop& loop : tile) push(loop.first, loop.second);
    const int of_tile = nest.loops;
    for (const char letter : letters_[static_cast<std::size_t>(layer)]) push(letter, 1);
    std::vector<int> above(head.size() + 1, nest.loops);  // position of the cut below the loops of a depth
    for (std::size_t depth = head.size(); depth-- > 0;) {
      push(head[depth].first, head[depth].second);
      above[depth] = nest.loops;
    }
    const auto all = static_cast<std::uint8_t>(nest.loops);
    for (int other = 0; other < 3; ++other) {
      auto& cuts = nest.stationary[static_cast<std::size_t>(other)];
      cuts.fill(all);
      std::fill_n(cuts.begin(), levels(layer, other, -1).size(), static_cast<std::uint8_t>(of_tile));
    }
    nest.allocated = nest.stationary;
    base = figures(layer, model(layer, -1, -1), nest);
    std::vector<OperandChoice> found;
    const auto bits = [&](int upper, int lower) {
      double elements = 1, taps = 1, outputs = 1;
      bool partial = false;
      std::map<char, double> walked;
      const Window* const slides = window(layer, operand);
      for (int loop = 0; loop < nest.loops; ++loop) {
        const bool relevant =
            letters_of(layer, operand).find(letters[static_cast<std::size_t>(loop)]) != std::string::npos;
        const auto iterations = static_cast<double>(nest.size[static_cast<std::size_t>(loop)]);
        const char letter = letters[static_cast<std::size_t>(loop)];
        if (loop < upper && slides != nullptr && letter == slides->filter)
          taps *= iterations;
        else if (loop < upper && slides != nullptr && letter == slides->rows)
          outputs *= iterations;
        else if (relevant && loop < upper)
          walked.try_emplace(letter, 1).first->second *= iterations;
        if (!relevant && loop >= lower && iterations > 1) partial = true;
      }
      for (const auto& [letter, iterations] : walked)
        elements *= std::min(iterations, static_cast<double>(layer_size(layer, letter)));
      if (slides != nullptr)
        elements *= std::min({static_cast<double>(slides->stride) * (outputs - 1) + taps, outputs * taps,
                              static_cast<double>(slides->data)});
      const bool there =
          operand < 1 + static_cast<int>(network_.einsums[static_cast<std::size_t>(layer)].inputs.size());
      if (!there) return 0.0;
      if (operand == 0 && partial) return elements * static_cast<double>(network_.sum_bits);
      const char along = EinsumNetwork::block_letter(letters_of(layer, operand));
      const auto walked_along = walked.find(along);
      return network_.bits_of(
          elements, walked_along == walked.end()
                        ? 1
                        : std::min(walked_along->second, static_cast<double>(layer_size(layer, along))));
    };
    const std::vector<Level> all_levels = levels(layer, operand, exchanged.exchange_memory);
    const bool waits = exchanged.exchange_memory >= 0;
    if (waits && (all_levels.empty() || all_levels.back().exchange_memory != exchanged.exchange_memory))
      return found;
    core::CompactMapping mapping = nest;
    auto& cuts = mapping.stationary[static_cast<std::size_t>(operand)];
    cuts.fill(all);
    // Cuts from a level on, above the loops that the one below has.
    const std::function<void(std::size_t, int, const OperandChoice&)> cut_from =
        [&](std::size_t level, int lower, const OperandChoice& choice) {
          if (level == all_levels.size()) {
            mapping.allocated = mapping.stationary;
            OperandChoice made = choice;
            made.figures =
                figures(layer, model(layer, waits ? operand : -1, exchanged.exchange_memory), mapping);
            if (!(made.figures.energy < infinite)) return;
            made.figures.add(base, -1);
            add(found, made);
            return;
          }
          const Level& at = all_levels[level];
          const bool last = level + 1 == all_levels.size();
          const auto cut = [&](int upper, int depth) {
            const double held = bits(upper, lower);
            if (held > at.bits) return;
            cuts[level] = static_cast<std::uint8_t>(upper);
            OperandChoice longer = choice;
            if (waits && last) {
              longer.made = held;
            } else if (depth >= 0) {
              longer.kept = held;
              longer.depth = depth;
              longer.exchange_memory = at.exchange_memory;
            } else if (at.exchange_memory >= 0) {
              longer.own[static_cast<std::size_t>(at.exchange_memory)] += held;
            }
            cut_from(level + 1, upper, longer);
          };
          if (waits && last) {
            cut(above[static_cast<std::size_t>(exchanged.depth)], -1);
            return;
          }
          for (int upper = lower; upper <= of_tile; ++upper) cut(upper, -1);
          for (int depth = 0;
               depth < static_cast<int>(head.size()) && last && at.exchange_memory == exchange_memory_;
               ++depth)
            cut(above[static_cast<std::size_t>(depth)], depth);
        };
    cut_from(0, 0, {});
    return found;
  }

  const core::CostModel& model(int layer, int operand, int exchanged) {
    const auto key = std::make_tuple(layer, operand, exchanged);
    const auto known = models_.find(key);
    if (known != models_.end()) return known->second;
    const core::NetworkLayer& own = own_of(layer);
    core::MappingProblem problem = own.problem;
    if (operand >= 0) {
      problem = core::unrolled_problem(
          *own.layer,
          std::make_shared<const core::Accelerator>(core::exchanging(
              *own.problem.accelerator, there(layer, exchanged), {own.layer->memory_operand(operand)})),
          own.unrolling(), own.problem.options);
    }
    return models_
        .emplace(key, core::CostModel(problem.accelerator, problem.layer, problem.fractional,
                                      problem.integral, problem.options))
        .first->second;
  }
  Figures figures(int layer, const core::CostModel& model, const core::CompactMapping& mapping) const {
    Figures figures;
    figures.energy = model.score(mapping).energy_total;
    if (!(figures.energy >= 0)) figures.energy = infinite;
    if (objective_ == core::Objective::energy) return figures;
    for (const core::Boundaries::Port& port : model.boundaries().ports()) {
      // That of an exchange memory to the memory of what is exchanged comes second, and that memory last.
      if (port.port > 0 ||
          port.memory >= static_cast<int>(own_of(layer).problem.accelerator->memories.size()))
        continue;
      for (const core::Boundaries::PortUse& use : port.uses) {
        const core::Boundaries::Boundary& at = model.boundaries()[use.boundary];
        const core::BoundaryCost cost =
            core::cost_of(model.tables(), model.options(), mapping, at.operand, at.level);
        if (!use.partial_sums_back || cost.partial_sum)
          figures.busy[static_cast<std::size_t>(port.memory)] += cost.busy[use.direction];
      }
    }
    return figures;
  }

  // --- All layers together.

  void try_lists(const std::vector<List>& lists) {
    std::vector<Phase> phases;
    std::vector<std::int64_t> at;
    walk(lists, 0, count_, 0, at, phases);
    std::vector<int> depth;
    std::vector<bool> off_chip, on_chip;
    for (const Tensor& tensor : tensors_) {
      int shared = 0;
      if (!tensor.uses.empty()) {
        shared = std::numeric_limits<int>::max();
        for (int k = tensor.producer; k < tensor.uses.front().first; ++k)
          shared = std::min(shared, length(lists, k));
      }
      depth.push_back(shared);
      off_chip.push_back(valid(lists, phases, tensor, -1));
      on_chip.push_back(!tensor.uses.empty() && valid(lists, phases, tensor, shared));
    }
    for (unsigned fused = 0; fused < 1U << tensors_.size(); ++fused) {
      bool legal = true;
      for (std::size_t tensor = 0; tensor < tensors_.size(); ++tensor)
        legal = legal && ((fused >> tensor & 1U) != 0 ? on_chip[tensor] : off_chip[tensor]);
      for (int k = 0; k + 1 < count_ && legal; ++k) {
        if (length(lists, k) == 0) continue;
        bool crossed = false;
        for (std::size_t tensor = 0; tensor < tensors_.size(); ++tensor)
          crossed = crossed || ((fused >> tensor & 1U) != 0 && tensors_[tensor].producer <= k &&
                                tensors_[tensor].uses.back().first > k);
        legal = crossed;
      }
      std::vector<int> exchange_memory_of;
      for (std::size_t tensor = 0; tensor < tensors_.size(); ++tensor)
        exchange_memory_of.push_back((fused >> tensor & 1U) != 0 ? exchange_memory_ : -1);
      if (legal) combine(lists, depth, exchange_memory_of);
    }
  }

  void combine(const std::vector<List>& lists, const std::vector<int>& depth,
               const std::vector<int>& exchange_memory_of) {
    std::vector<const std::vector<Choice>*> of;
    for (int layer = 0; layer < count_; ++layer) {
      Exchanges exchanged;
      for (std::size_t tensor = 0; tensor < tensors_.size(); ++tensor) {
        if (exchange_memory_of[tensor] < 0) continue;
        const Exchange there{exchange_memory_of[tensor], depth[tensor]};
        if (tensors_[tensor].producer == layer) exchanged[0] = there;
        for (const auto& [user, operand] : tensors_[tensor].uses)
          if (user == layer && operand > 0) exchanged[static_cast<std::size_t>(operand)] = there;
      }
      of.push_back(&choices(layer, head(lists, layer), exchanged));
      if (of.back()->empty()) return;
    }
    // The least of the layers from each one on.
    std::vector<double> least_energy(of.size() + 1, 0), least_latency(of.size() + 1, 0);
    for (std::size_t layer = of.size(); layer-- > 0;) {
      double energy = infinite, latency = infinite;
      for (const Choice& choice : *of[layer]) {
        energy = std::min(energy, choice.energy);
        latency = std::min(latency, choice.latency);
      }
      least_energy[layer] = least_energy[layer + 1] + energy;
      least_latency[layer] = least_latency[layer + 1] + latency;
    }
    std::vector<const Choice*> chosen(static_cast<std::size_t>(count_));
    const std::function<void(int, double, double)> choose = [&](int layer, double energy, double latency) {
      const double value = core::value_of(objective_, energy, latency);
      const auto next = static_cast<std::size_t>(layer);
      if (!(core::value_of(objective_, energy + least_energy[next], latency + least_latency[next]) < best_))
        return;
      if (layer == count_) {
        ++combinations_;
        if (value < best_ && fits(lists, depth, exchange_memory_of, chosen)) best_ = value;
        return;
      }
      for (const Choice& choice : *of[static_cast<std::size_t>(layer)]) {
        chosen[static_cast<std::size_t>(layer)] = &choice;
        choose(layer + 1, energy + choice.energy, latency + choice.latency);
      }
    };
    choose(0, 0, 0);
  }

  bool fits(const std::vector<List>& lists, const std::vector<int>& depth,
            const std::vector<int>& exchange_memory_of, const std::vector<const Choice*>& chosen) const {
    for (int exchange_memory = 0; exchange_memory < shared(); ++exchange_memory)
      for (int layer = 0; layer < count_; ++layer)
        if (held(lists, depth, exchange_memory_of, chosen, exchange_memory, layer) >
            capacity_[static_cast<std::size_t>(exchange_memory)])
          return false;
    return true;
  }

  /// Bits in a memory while a layer runs.
  double held(const std::vector<List>& lists, const std::vector<int>& depth,
              const std::vector<int>& exchange_memory_of, const std::vector<const Choice*>& chosen,
              int exchange_memory, int layer) const {
    const auto at = static_cast<std::size_t>(exchange_memory);
    double bits = chosen[static_cast<std::size_t>(layer)]->own[at];
    const auto meanwhile = [&](int other, int loop) {
      return other == layer ||
             (node(lists, other, loop) >= 0 && node(lists, other, loop) == node(lists, layer, loop));
    };
    for (int other = 0; other < count_; ++other)
      for (int loop = 0; loop < static_cast<int>(most_depth); ++loop)
        if (meanwhile(other, loop))
          bits += chosen[static_cast<std::size_t>(other)]->kept[static_cast<std::size_t>(loop)][at];
    for (std::size_t tensor = 0; tensor < tensors_.size(); ++tensor) {
      if (exchange_memory_of[tensor] != exchange_memory) continue;
      const int first = tensors_[tensor].producer, last = tensors_[tensor].uses.back().first;
      const bool there = (first <= layer && layer <= last) ||
                         (layer < first && meanwhile(first, depth[tensor])) ||
                         (layer > last && meanwhile(last, depth[tensor]));
      bits += kept_bits(lists, layer, tensors_[tensor], depth[tensor]);
      if (!there) continue;
      if (layer <= first) {
        bits += chosen[static_cast<std::size_t>(first)]->made;
        continue;
      }
      double elements = 1, along = 1;
      for (const char letter : tensors_[tensor].letters) {
        std::int64_t tile = size(first, letter);
        for (int loop = 0; loop < depth[tensor]; ++loop)
          if (const Loop& above = head(lists, first)[static_cast<std::size_t>(loop)]; above.first == letter)
            tile /= above.second;
        const auto walked = static_cast<double>(std::min(tile, layer_size(first, letter)));
        if (letter == EinsumNetwork::block_letter(tensors_[tensor].letters)) along = walked;
        elements *= walked;
      }
      bits += network_.bits_of(elements, along);
    }
    return bits;
  }

  const core::FusedNetwork& layers_;
  core::Objective objective_;
  std::vector<int> shared_;  ///< memories of the array
  int exchange_memory_ = 0;  ///< number of the exchange memory among them
  std::vector<double> capacity_;
  std::map<std::tuple<int, List, Exchanges>, std::vector<Choice>> choices_;
  std::map<std::tuple<int, int, int>, core::CostModel> models_;
  std::map<std::pair<int, std::vector<std::string>>, double> floors_;
  double best_ = infinite;
  std::uint64_t combinations_ = 0;
};

}  // namespace

BruteForce brute_force(const EinsumNetwork& network, const core::FusedNetwork& layers,
                       core::Objective objective, const std::string& exchange_memory) {
  return Search(network, layers, objective, exchange_memory).run();
}

}  // namespace zz::test
