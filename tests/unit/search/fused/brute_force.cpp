#include "tests/unit/search/fused/brute_force.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/cost/cost_model.hpp"
#include "core/search/fused/fused_mapping.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"

namespace zz::test {
namespace {

using Loop = std::pair<char, std::int64_t>;  ///< letter and iterations
using List = std::vector<Loop>;              ///< outermost first

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::size_t most_depth = 6;
constexpr char rows_letter = 'r';  ///< along which windows slide

constexpr std::size_t most_memories = 5;

/// What a layer costs, or a part of it: pJ, and cycles of each memory's port.
struct Figures {
  double energy = 0;
  std::array<double, most_memories> busy{};
  void add(const Figures& other, double times = 1) {
    energy += times * other.energy;
    for (std::size_t memory = 0; memory < most_memories; ++memory)
      busy[memory] += times * other.busy[memory];
  }
};

struct Choice {
  double energy = 0, latency = 0, own = 0, made = 0;
  std::array<double, most_depth> kept{};
  bool no_worse(const Choice& other) const {
    if (energy > other.energy || latency > other.latency || own > other.own || made > other.made)
      return false;
    for (std::size_t i = 0; i < most_depth; ++i)
      if (kept[i] > other.kept[i]) return false;
    return true;
  }
};

void add(std::vector<Choice>& front, const Choice& choice) {
  for (const Choice& known : front)
    if (known.no_worse(choice)) return;
  std::erase_if(front, [&](const Choice& known) { return choice.no_worse(known); });
  front.push_back(choice);
}

struct Tensor {
  std::string letters;
  int producer = -1;
  std::vector<std::pair<int, int>> uses;  ///< layer, operand
};

class Search {
 public:
  Search(const EinsumNetwork& network, const core::FusedNetwork& layers, core::Objective objective)
      : network_(network),
        layers_(layers),
        objective_(objective),
        count_(static_cast<int>(network.einsums.size())) {
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
      // What is added is read along with the output.
      for (const std::string& tensor : einsum.added)
        tensors_[static_cast<std::size_t>(written.at(tensor))].uses.emplace_back(i, 0);
      letters_.push_back(letters);
      written[einsum.output.first] = static_cast<int>(tensors_.size());
      tensors_.push_back({einsum.output.second, i, {}});
    }
    const core::Accelerator& accelerator = *core::array_of(layers);
    while (accelerator.memories[static_cast<std::size_t>(home_)].name != "buffer") ++home_;
    capacity_ = static_cast<double>(accelerator.memories[static_cast<std::size_t>(home_)].size);
    moved_ = !accelerator.memories[static_cast<std::size_t>(home_)].holds("O");
  }

  BruteForce run() {
    std::vector<List> lists(static_cast<std::size_t>(count_ - 1));
    each_list(0, lists);
    return {best_, combinations_};
  }

 private:
  /// The memory of the home, as the layer's accelerator has it.
  int home(int layer) const { return layers_.layers[static_cast<std::size_t>(layer)].memory(home_); }
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
  bool both_have(int at, const List& list) const {
    return std::all_of(list.begin(), list.end(),
                       [&](const Loop& loop) { return may_share(at, loop) && may_share(at + 1, loop); });
  }
  bool may_share(int layer, const Loop& loop) const {
    return has(layer, loop.first) && size(layer, loop.first) % loop.second == 0;
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
  /// Of the rows that were made before an iteration of a loop, those that are read in it or later: the
  /// most.
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

  // --- What a layer can do below a head.

  /// The choices of one operand in one order: what each adds to the energy, and holds in the buffer.
  struct OperandChoice {
    Figures figures;
    double bits = 0;
    int depth = -1;  ///< kept
  };

  const std::vector<Choice>& choices(int layer, const List& head, const std::array<int, 3>& exchanged) {
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
              if (exchanged[operand] >= 0) {
                if (operand == 0) choice.made = all[operand]->bits;
              } else if (all[operand]->depth >= 0) {
                choice.kept[static_cast<std::size_t>(all[operand]->depth)] += all[operand]->bits;
              } else {
                choice.own += all[operand]->bits;
              }
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
  double floor(int layer, const std::array<int, 3>& exchanged) {
    std::vector<std::string> operands;
    const core::UnrolledLayer& own = layers_.layers[static_cast<std::size_t>(layer)];
    for (int operand = 0; operand < 3; ++operand)
      if (exchanged[static_cast<std::size_t>(operand)] >= 0)
        operands.push_back(own.layer->memory_operand(operand));
    const auto known = floors_.find({layer, operands});
    if (known != floors_.end()) return known->second;
    const core::MappingProblem problem =
        core::unrolled_problem(*own.layer,
                               std::make_shared<const core::Accelerator>(
                                   core::exchanging(*own.problem.accelerator, home(layer), operands)),
                               own.unrolling, own.problem.options);
    core::OptimumOptions options;
    options.objective = core::Objective::latency;
    double least = infinite;
    try {
      least = core::find_optimal_mapping(problem, options).lower_bound;
    } catch (const core::NoResult&) {
    }
    return floors_[{layer, operands}] = least;
  }

  std::vector<OperandChoice> operand_choices(int layer, const List& head, const std::vector<Loop>& tile,
                                             int operand, int exchanged, Figures& base) {
    const core::UnrolledLayer& own = layers_.layers[static_cast<std::size_t>(layer)];
    // The nest, with a loop of one iteration over each letter where the tile ends: nothing is reused
    // beyond.
    core::CompactMapping nest;
    std::vector<char> letters;
    const auto push = [&](char letter, std::int64_t iterations) {
      nest.dimension[static_cast<std::size_t>(nest.loops)] = static_cast<std::uint8_t>(
          own.layer->loop_index(std::string(1, static_cast<char>(letter - 'a' + 'A'))));
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
    const bool below = has_memory_below(layer, operand);
    const auto bits_below = static_cast<double>(own.problem.accelerator->memories.front().size);
    const int top = levels(layer, operand, exchanged >= 0);
    const auto all = static_cast<std::uint8_t>(nest.loops);
    for (int other = 0; other < 3; ++other) {
      auto& cuts = nest.stationary[static_cast<std::size_t>(other)];
      cuts.fill(all);
      for (int level = 0; level < levels(layer, other, false); ++level)
        cuts[static_cast<std::size_t>(level)] = static_cast<std::uint8_t>(of_tile);
    }
    nest.allocated = nest.stationary;
    base = figures(layer, model(layer, -1), nest);
    std::vector<OperandChoice> found;
    const auto bits = [&](int upper, int lower) {
      double elements = 1, taps = 1, outputs = 1;
      bool partial = false;
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
          elements *= iterations;
        if (!relevant && loop >= lower && iterations > 1) partial = true;
      }
      if (slides != nullptr)
        elements *= std::min({static_cast<double>(slides->stride) * (outputs - 1) + taps, outputs * taps,
                              static_cast<double>(slides->data)});
      const bool there =
          operand < 1 + static_cast<int>(network_.einsums[static_cast<std::size_t>(layer)].inputs.size());
      if (!there) return 0.0;
      return elements * static_cast<double>(operand == 0 && partial ? network_.sum_bits : network_.bits);
    };
    const auto try_cuts = [&](int lower, int upper, int depth) {
      if (below && bits(lower, 0) > bits_below) return;
      core::CompactMapping mapping = nest;
      auto& cuts = mapping.stationary[static_cast<std::size_t>(operand)];
      if (below) cuts[0] = static_cast<std::uint8_t>(lower);
      if (top > 1 || !below) cuts[static_cast<std::size_t>(top) - 1] = static_cast<std::uint8_t>(upper);
      mapping.allocated = mapping.stationary;
      Figures value = figures(layer, model(layer, exchanged >= 0 ? operand : -1), mapping);
      const double held = moved_ && operand == 0 && exchanged < 0 ? 0 : bits(upper, below ? lower : 0);
      const bool possible = value.energy < infinite;
      value.add(base, -1);
      if (possible && held <= capacity_) found.push_back({value, held, depth});
    };
    for (int lower = 0; lower <= (below ? of_tile : 0); ++lower) {
      if (moved_ && operand == 0 && exchanged < 0) {
        try_cuts(lower, lower, -1);  // past the buffer
        continue;
      }
      if (exchanged >= 0) {
        try_cuts(lower, above[static_cast<std::size_t>(exchanged)], -1);
        continue;
      }
      for (int upper = lower; upper <= of_tile; ++upper) try_cuts(lower, upper, -1);
      for (int depth = 0; depth < static_cast<int>(head.size()); ++depth)
        try_cuts(lower, above[static_cast<std::size_t>(depth)], depth);
    }
    return found;
  }

  bool has_memory_below(int layer, int operand) const { return moved_ ? operand == 0 : home(layer) > 0; }
  /// Memories of an operand below its topmost one.
  int levels(int layer, int operand, bool exchanged) const {
    if (moved_) return operand == 0 && exchanged ? 2 : 1;
    return home(layer) > 0 ? 2 : 1;
  }

  const core::CostModel& model(int layer, int exchanged) {
    const auto key = std::make_pair(layer, exchanged);
    const auto known = models_.find(key);
    if (known != models_.end()) return known->second;
    const core::UnrolledLayer& own = layers_.layers[static_cast<std::size_t>(layer)];
    core::MappingProblem problem = own.problem;
    if (exchanged >= 0) {
      problem = core::unrolled_problem(
          *own.layer,
          std::make_shared<const core::Accelerator>(core::exchanging(
              *own.problem.accelerator, home(layer), {own.layer->memory_operand(exchanged)})),
          own.unrolling, own.problem.options);
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
      // That of the buffer to the memory of what is exchanged comes second.
      if (port.port > 0 || port.memory > home(layer) + 1) continue;
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
      if (legal) combine(lists, depth, fused);
    }
  }

  /// The loop of a depth that a layer runs in, by the first layer that it runs; -1: none.
  int node(const std::vector<List>& lists, int layer, int depth) const {
    if (static_cast<int>(head(lists, layer).size()) <= depth) return -1;
    while (layer > 0 && length(lists, layer - 1) > depth) --layer;
    return layer;
  }

  void combine(const std::vector<List>& lists, const std::vector<int>& depth, unsigned fused) {
    std::vector<const std::vector<Choice>*> of;
    for (int layer = 0; layer < count_; ++layer) {
      std::array<int, 3> exchanged = {-1, -1, -1};
      for (std::size_t tensor = 0; tensor < tensors_.size(); ++tensor) {
        if ((fused >> tensor & 1U) == 0) continue;
        if (tensors_[tensor].producer == layer) exchanged[0] = depth[tensor];
        for (const auto& [user, operand] : tensors_[tensor].uses)
          if (user == layer && operand > 0) exchanged[static_cast<std::size_t>(operand)] = depth[tensor];
      }
      of.push_back(&choices(layer, head(lists, layer), exchanged));
      if (of.back()->empty()) return;
    }
    std::vector<const Choice*> chosen(static_cast<std::size_t>(count_));
    const std::function<void(int, double, double)> choose = [&](int layer, double energy, double latency) {
      const double value = core::value_of(objective_, energy, latency);
      if (!(value < best_)) return;
      if (layer == count_) {
        ++combinations_;
        if (fits(lists, depth, fused, chosen)) best_ = value;
        return;
      }
      for (const Choice& choice : *of[static_cast<std::size_t>(layer)]) {
        chosen[static_cast<std::size_t>(layer)] = &choice;
        choose(layer + 1, energy + choice.energy, latency + choice.latency);
      }
    };
    choose(0, 0, 0);
  }

  /// Of earlier iterations, while a layer runs in the loops that they are kept for.
  double kept_bits(const std::vector<List>& lists, int layer, const Tensor& tensor, int depth) const {
    double bits = 0, whole = static_cast<double>(network_.bits);
    for (const char letter : tensor.letters) whole *= static_cast<double>(size(tensor.producer, letter));
    const List& loops = head(lists, tensor.producer);
    for (int above = 0; above < depth; ++above) {
      const Loop& loop = loops[static_cast<std::size_t>(above)];
      const int own = node(lists, tensor.producer, above);
      if (own >= 0 && own == node(lists, layer, above) && loop.first == rows_letter)
        bits += whole * static_cast<double>(kept_rows(tensor, loop)) /
                static_cast<double>(size(tensor.producer, rows_letter));
      whole /= static_cast<double>(loop.second);
    }
    return bits;
  }

  bool fits(const std::vector<List>& lists, const std::vector<int>& depth, unsigned fused,
            const std::vector<const Choice*>& chosen) const {
    for (int layer = 0; layer < count_; ++layer) {
      double bits = chosen[static_cast<std::size_t>(layer)]->own;
      const auto meanwhile = [&](int other, int loop) {
        return other == layer ||
               (node(lists, other, loop) >= 0 && node(lists, other, loop) == node(lists, layer, loop));
      };
      for (int other = 0; other < count_; ++other)
        for (int loop = 0; loop < static_cast<int>(most_depth); ++loop)
          if (meanwhile(other, loop))
            bits += chosen[static_cast<std::size_t>(other)]->kept[static_cast<std::size_t>(loop)];
      for (std::size_t tensor = 0; tensor < tensors_.size(); ++tensor) {
        if ((fused >> tensor & 1U) == 0) continue;
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
        double elements = 1;
        for (const char letter : tensors_[tensor].letters)
          elements *= static_cast<double>(size(first, letter));
        for (int loop = 0; loop < depth[tensor]; ++loop)
          elements /= static_cast<double>(head(lists, first)[static_cast<std::size_t>(loop)].second);
        bits += elements * static_cast<double>(network_.bits);
      }
      if (bits > capacity_) return false;
    }
    return true;
  }

  const EinsumNetwork& network_;
  const core::FusedNetwork& layers_;
  core::Objective objective_;
  int count_;
  std::vector<Tensor> tensors_;
  std::vector<std::string> letters_;  ///< by layer
  int home_ = 0;                      ///< on the array
  double capacity_ = 0;
  bool moved_ = false;  ///< results come to the buffer from the memory of sums
  std::map<std::tuple<int, List, std::array<int, 3>>, std::vector<Choice>> choices_;
  std::map<std::pair<int, int>, core::CostModel> models_;
  std::map<std::pair<int, std::vector<std::string>>, double> floors_;
  double best_ = infinite;
  std::uint64_t combinations_ = 0;
};

}  // namespace

BruteForce brute_force(const EinsumNetwork& network, const core::FusedNetwork& layers,
                       core::Objective objective) {
  return Search(network, layers, objective).run();
}

}  // namespace zz::test
