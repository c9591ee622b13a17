#include "core/search/spatial/spatial_space.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "core/base/interruption.hpp"
#include "core/compat/python_set_order.hpp"
#include "core/search/spatial/spatial_limits.hpp"

namespace zz::core {
namespace {

/// The loops that may go onto an array dimension, in the order in which options are made: those of the
/// mapping's hints for it, else all; never a sequential one. A hint without any loop of the layer is not
/// used.
std::vector<int> hinted_loops(const Layer& layer, const std::string& array_dimension) {
  std::vector<std::string> names;
  for (const UnrollingHint& hint : layer.mapping.spatial_hints) {
    if (hint.array_dimension != array_dimension) continue;
    if (std::any_of(hint.dimensions.begin(), hint.dimensions.end(),
                    [&](const std::string& name) { return layer.loop_index(name) >= 0; }))
      names = hint.dimensions;
  }
  if (names.empty()) {
    for (const LoopDimension& loop : layer.loops) names.push_back(loop.name);
  }
  std::vector<int> loops;
  for (const std::string& name : python_set_order(names, NameClass::layer_dimension)) {
    const int index = layer.loop_index(name);
    if (index >= 0 && !layer.loops[index].sequential) loops.push_back(index);
  }
  return loops;
}

}  // namespace

SpatialSpace::SpatialSpace(const Layer& layer, const Accelerator& accelerator,
                           const SpatialSpaceOptions& options)
    : layer_(layer),
      accelerator_(accelerator),
      options_(options),
      limits_(layer, accelerator, options.rules),
      prescription_(
          reduce_prescription(layer.mapping.spatial_mapping, layer, accelerator, limits_, warnings_)) {
  UnrollingNotes notes(layer, accelerator, warnings_);
  if (options.list == UnrollingList::distinct)
    limits_.fit_capacity(prescription_, &layer.mapping.spatial_mapping, &notes);
  fixed_ = limits_.by_array(prescription_);
  find_alike();
  const auto& arrays = accelerator.array.dimensions;
  for (const ArrayUnrolling& entry : prescription_.dimensions) {
    const auto named = [&](const ArrayDimension& array) { return array.name == entry.array_dimension; };
    order_.push_back(static_cast<int>(std::find_if(arrays.begin(), arrays.end(), named) - arrays.begin()));
  }
  for (std::size_t array = 0; array < arrays.size(); ++array) {
    if (prescription_.find(arrays[array].name) != nullptr) continue;
    order_.push_back(static_cast<int>(array));
    open_dimension(static_cast<int>(array));
    if (dimensions_.back().by_units.empty()) return;  // nothing is legal
  }
  if (options.list == UnrollingList::distinct) find_twins();
  most_units_above_.assign(dimensions_.size() + 1, 1);
  for (std::size_t i = dimensions_.size(); i-- > 0;) {
    const Dimension& dimension = dimensions_[i];
    most_units_above_[i] = most_units_above_[i + 1] * dimension.options.units(dimension.by_units.front());
  }
  if (!dimensions_.empty()) push_options(0, reach({}), 0);
}

void SpatialSpace::open_dimension(int array) {
  const ArrayDimension& dimension = accelerator_.array.dimensions[array];
  std::vector<UnrollableLoop> loops;
  for (const int loop : hinted_loops(layer_, dimension.name))
    loops.push_back(
        {loop, layer_.loops[loop].size, limits_.maximum(array, loop), lists_fewest_units(loop)});
  Dimension opened{array, {loops, dimension.size, options_.mixed, options_.factors, options_.list}, {}};
  opened.by_units.resize(opened.options.size());
  std::iota(opened.by_units.begin(), opened.by_units.end(), 0);
  std::stable_sort(opened.by_units.begin(), opened.by_units.end(), [&](std::uint32_t a, std::uint32_t b) {
    return opened.options.units(a) > opened.options.units(b);
  });
  dimensions_.push_back(std::move(opened));
}

bool SpatialSpace::lists_fewest_units(int loop) const {
  const auto prescribed = [&](const auto& loops) {
    return std::any_of(loops.begin(), loops.end(),
                       [&](const UnrolledIndex& one) { return one.loop == loop; });
  };
  return !accelerator_.array.imc && !options_.rules.unrolling_beyond_loop &&
         std::none_of(fixed_.begin(), fixed_.end(), prescribed);
}

double SpatialSpace::combinations() const {
  double product = 1;
  for (const Dimension& dimension : dimensions_) {
    const UnrollingOptions& options = dimension.options;
    std::size_t unrolled = 0;
    for (std::size_t option = 0; option < options.size(); ++option)
      unrolled += options.units(option) > 1 ? 1 : 0;
    // All that unroll nothing are one.
    product *= static_cast<double>(unrolled + (unrolled < options.size() ? 1 : 0));
  }
  return product;
}

void SpatialSpace::find_alike() {
  const auto& arrays = accelerator_.array.dimensions;
  const auto served_alike = [&](const ArrayDimension& a, const ArrayDimension& b) {
    return std::all_of(
        accelerator_.memories.begin(), accelerator_.memories.end(),
        [&](const Memory& memory) { return memory.serves(a.name) == memory.serves(b.name); });
  };
  for (std::size_t array = 0; array < arrays.size(); ++array) {
    std::size_t first = 0;
    // Wordlines and bitlines differ.
    while (first < array && (accelerator_.array.imc || !served_alike(arrays[first], arrays[array])))
      ++first;
    alike_.push_back(static_cast<int>(first));
  }
}

void SpatialSpace::find_twins() {
  for (std::size_t later = 0; later < dimensions_.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      const Dimension &a = dimensions_[earlier], &b = dimensions_[later];
      if (alike_[static_cast<std::size_t>(a.array)] == alike_[static_cast<std::size_t>(b.array)] &&
          a.options == b.options)
        dimensions_[later].twin = static_cast<int>(earlier);
    }
  }
}

/// The order of the heap: by rank, then by position in the product of the choices. A node comes before the
/// nodes that it stands for.
auto SpatialSpace::worse() const {
  return [this](const Branch& a, const Branch& b) {
    return a.rank != b.rank ? a.rank < b.rank : comes_after(a.node, b.node);
  };
}

std::optional<SpatialSpace::Choice> SpatialSpace::next() {
  while (!open_.empty()) {
    end_if_interrupted();
    std::pop_heap(open_.begin(), open_.end(), worse());
    const Branch branch = open_.back();
    open_.pop_back();
    if (branch.turn != all_of_it) {
      split(nodes_[branch.node].parent, branch.turn);
      continue;
    }
    Choice chosen = path_to(branch.node);
    if (chosen.size() < dimensions_.size()) {
      const int twin = dimensions_[chosen.size()].twin;
      // Distinct options lie by their units, so that an option is its turn.
      push_options(branch.node, reach(chosen), twin < 0 ? 0 : chosen[static_cast<std::size_t>(twin)]);
    } else if (is_listed(chosen)) {
      return chosen;
    }
  }
  return std::nullopt;
}

bool SpatialSpace::comes_after(std::uint32_t a, std::uint32_t b) const {
  const bool a_is_longer = nodes_[a].depth > nodes_[b].depth;
  while (nodes_[a].depth > nodes_[b].depth) a = nodes_[a].parent;
  while (nodes_[b].depth > nodes_[a].depth) b = nodes_[b].parent;
  std::uint32_t option_of_a = 0, option_of_b = 0;  // the first that differ
  for (; nodes_[a].depth > 0; a = nodes_[a].parent, b = nodes_[b].parent) {
    if (nodes_[a].option == nodes_[b].option) continue;
    option_of_a = nodes_[a].option;
    option_of_b = nodes_[b].option;
  }
  return option_of_a != option_of_b ? option_of_a > option_of_b : a_is_longer;
}

SpatialSpace::Choice SpatialSpace::path_to(std::uint32_t node) const {
  Choice chosen(nodes_[node].depth);
  for (; nodes_[node].depth > 0; node = nodes_[node].parent)
    chosen[nodes_[node].depth - 1] = nodes_[node].option;
  return chosen;
}

void SpatialSpace::push_options(std::uint32_t node, Reach reach, std::uint32_t turn) {
  const Dimension& dimension = dimensions_[nodes_[node].depth];
  if (turn == dimension.by_units.size()) return;
  reach.units *= dimension.options.units(dimension.by_units[turn]);
  push(node, dimension.by_units[turn], reach, turn);
}

void SpatialSpace::split(std::uint32_t node, std::uint32_t turn) {
  const Dimension& dimension = dimensions_[nodes_[node].depth];
  const double units = dimension.options.units(dimension.by_units[turn]);
  const Reach before = reach(path_to(node));
  for (; turn < dimension.by_units.size(); ++turn) {
    const std::uint32_t option = dimension.by_units[turn];
    if (dimension.options.units(option) != units) break;
    Reach reach = before;
    for (const UnrolledIndex& unrolled : dimension.options.loops(option)) unroll(unrolled, reach);
    for (const UnrolledIndex& unrolled : dimension.options.loops(option))
      totals_[unrolled.loop] /= unrolled.factor;
    if (reach.is_legal) push(node, option, reach, all_of_it);
  }
  push_options(node, before, turn);
}

void SpatialSpace::push(std::uint32_t node, std::uint32_t option, Reach reachable, std::uint32_t turn) {
  const std::uint32_t depth = nodes_[node].depth + 1;
  reachable.units *= most_units_above_[depth];
  open_.push_back({rank(reachable), static_cast<std::uint32_t>(nodes_.size()), turn});
  nodes_.push_back({node, depth, option});
  std::push_heap(open_.begin(), open_.end(), worse());
}

SpatialSpace::Reach SpatialSpace::reach(const Choice& chosen) const {
  totals_.assign(layer_.loops.size(), 1);
  Reach reach;
  for (const auto& loops : fixed_) {
    for (const UnrolledIndex& unrolled : loops) unroll(unrolled, reach);
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (const UnrolledIndex& unrolled : dimensions_[i].options.loops(chosen[i])) unroll(unrolled, reach);
  }
  return reach;
}

void SpatialSpace::unroll(const UnrolledIndex& unrolled, Reach& reach) const {
  std::int64_t& total = totals_[unrolled.loop];
  total *= unrolled.factor;
  reach.units *= static_cast<double>(unrolled.factor);
  reach.largest = std::max(reach.largest, total);
  reach.is_legal = reach.is_legal && total <= layer_.loops[unrolled.loop].size;
}

double SpatialSpace::rank(const Reach& reach) const {
  if (options_.list == UnrollingList::distinct) return reach.units;
  return reach.units + reach.units / static_cast<double>(reach.largest) - 1;
}

SpatialUnrolling SpatialSpace::unrolling(const Choice& choice) const {
  const UnrolledByArray unrolled = by_array(choice);
  SpatialUnrolling mapping;
  for (const int array : order_) {
    ArrayUnrolling entry{accelerator_.array.dimensions[array].name, {}};
    for (const UnrolledIndex& loop : unrolled[array])
      entry.loops.push_back({layer_.loops[loop.loop].name, loop.factor});
    mapping.dimensions.push_back(std::move(entry));
  }
  return mapping;
}

bool SpatialSpace::is_listed(const Choice& choice) const {
  if (options_.list == UnrollingList::zigzag) return true;
  const UnrolledByArray unrolled = by_array(choice);
  return has_wanted_factors(unrolled) && limits_.admit(unrolled) && !repeats_another(unrolled);
}

bool SpatialSpace::has_wanted_factors(const UnrolledByArray& unrolled) const {
  if (options_.factors == UnrollingFactors::even) return is_even(unrolled);
  return options_.factors != UnrollingFactors::uneven || !has_even_factors(unrolled) || !is_even(unrolled);
}

bool SpatialSpace::has_even_factors(const UnrolledByArray& unrolled) const {
  return std::all_of(dimensions_.begin(), dimensions_.end(), [&](const Dimension& open) {
    const auto& loops = unrolled[static_cast<std::size_t>(open.array)];
    return std::all_of(loops.begin(), loops.end(), [&](const UnrolledIndex& one) {
      return layer_.loops[one.loop].size % one.factor == 0 ||
             one.factor == limits_.maximum(open.array, one.loop);
    });
  });
}

UnrolledByArray SpatialSpace::by_array(const Choice& choice) const {
  UnrolledByArray unrolled = fixed_;
  for (std::size_t i = 0; i < choice.size(); ++i) {
    const auto loops = dimensions_[i].options.loops(choice[i]);
    unrolled[dimensions_[i].array].assign(loops.begin(), loops.end());
  }
  return unrolled;
}

bool SpatialSpace::is_even(const UnrolledByArray& unrolled) const {
  for (int loop = 0; loop < static_cast<int>(layer_.loops.size()); ++loop) {
    const Factors all = factors(unrolled, loop);
    const LoopRounds rounds = rounds_of(layer_.loops[loop].size, all, false);
    if (!is_open(rounds.adjusting) || all[rounds.adjusting] <= 1) continue;
    if (rounds.whole_share() < 1 &&
        all[rounds.adjusting] != limits_.maximum(order_[rounds.adjusting], loop))
      return false;
  }
  return true;
}

bool SpatialSpace::repeats_another(const UnrolledByArray& unrolled) const {
  const bool any =
      options_.factors == UnrollingFactors::any || options_.factors == UnrollingFactors::uneven;
  if (accelerator_.array.imc || !any) return false;
  const bool beyond_loop = options_.rules.unrolling_beyond_loop;
  for (int loop = 0; loop < static_cast<int>(layer_.loops.size()); ++loop) {
    const std::int64_t size = layer_.loops[loop].size;
    Factors all = factors(unrolled, loop);
    const LoopRounds rounds = rounds_of(size, all, beyond_loop);
    if (!is_open(rounds.adjusting) || all[rounds.adjusting] <= 1) continue;
    --all[rounds.adjusting];
    const LoopRounds fewer = rounds_of(size, all, beyond_loop);
    if (fewer.adjusting == rounds.adjusting && fewer.rounds == rounds.rounds) return true;
  }
  return false;
}

std::vector<LoopRounds> SpatialSpace::rounds(const Choice& choice) const {
  return rounds(by_array(choice));
}

std::vector<LoopRounds> SpatialSpace::rounds(const UnrolledByArray& unrolled) const {
  std::vector<LoopRounds> rounds;
  for (int loop = 0; loop < static_cast<int>(layer_.loops.size()); ++loop)
    rounds.push_back(rounds_of(layer_.loops[loop].size, factors(unrolled, loop), false));
  return rounds;
}

UnrolledNumbers SpatialSpace::numbers(const Choice& choice) const {
  const UnrolledByArray unrolled = by_array(choice);
  const int arrays = static_cast<int>(alike_.size());
  UnrolledNumbers numbers;
  for (int loop = 0; loop < static_cast<int>(layer_.loops.size()); ++loop) {
    const LoopRounds rounds = rounds_of(layer_.loops[loop].size, factors(unrolled, loop), false);
    numbers.rounds.push_back(rounds.rounds);
    std::vector<std::int64_t> units(alike_.size(), 1);
    std::int64_t all = 1;
    for (int array = 0; array < arrays; ++array) {
      for (const UnrolledIndex& one : unrolled[static_cast<std::size_t>(array)]) {
        if (one.loop != loop) continue;
        units[static_cast<std::size_t>(alike_[static_cast<std::size_t>(array)])] *= one.factor;
        all *= one.factor;
      }
    }
    const int adjusting = alike_[static_cast<std::size_t>(order_[rounds.adjusting])];
    for (int array = 0; array < arrays; ++array) {
      const std::int64_t own = units[static_cast<std::size_t>(array)];
      if (own == 1) continue;
      const std::int64_t others = all / own;  // exactly: own is a factor of all
      const double average = static_cast<double>(layer_.loops[loop].size) /
                             static_cast<double>(rounds.rounds) / static_cast<double>(others);
      numbers.parts.push_back({array, loop, array == adjusting ? average : static_cast<double>(own)});
    }
  }
  std::sort(numbers.parts.begin(), numbers.parts.end());
  return numbers;
}

SpatialSpace::Factors SpatialSpace::factors(const UnrolledByArray& unrolled, int loop) const {
  Factors factors(order_.size(), 0);
  for (std::size_t position = 0; position < order_.size(); ++position) {
    for (const UnrolledIndex& entry : unrolled[order_[position]])
      if (entry.loop == loop) factors[position] = entry.factor;
  }
  return factors;
}

}  // namespace zz::core
