#include "core/search/fused/fused_search.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/factors.hpp"
#include "core/cost/cost_model.hpp"
#include "core/search/fused/detail/fused_join.hpp"
#include "core/search/fused/detail/tile_summaries.hpp"
#include "core/search/fused/fused_check.hpp"
#include "core/search/methods/processor_time.hpp"
#include "core/search/optimal/multiset_tables.hpp"

namespace zz::core {
namespace {

/// What a layer's summaries follow from.
bool same_problem(const UnrolledLayer& a, const UnrolledLayer& b) {
  return a.unrolling == b.unrolling && same_work(*a.layer, *b.layer);
}

double energy_of(const MappingProblem& problem, const CompactMapping& mapping) {
  const CostModel model(problem.accelerator, problem.layer, problem.fractional, problem.integral,
                        problem.options);
  return model.score(mapping).energy_total;
}

/// Appends a loop as its prime factors, as the searches of layers have them.
void append(CompactMapping& mapping, int dimension, std::int64_t iterations) {
  for (const auto& [prime, count] : prime_factors(iterations)) {
    for (int i = 0; i < count; ++i) {
      mapping.dimension[mapping.loops] = static_cast<std::uint8_t>(dimension);
      mapping.size[mapping.loops++] = prime;
    }
  }
}

/// The search with one home.
class HomeSearch {
 public:
  HomeSearch(const FusedNetwork& network, int home, const FusedOptions& options,
             const ProcessorTime& stopwatch)
      : network_(network), home_(home), options_(options), stopwatch_(stopwatch) {}

  FusedOptimum search() {
    FusedOptimum best;
    if (!summarise()) {
      best.cut_off = true;
      return best;
    }
    const Accelerator& accelerator = *network_.layers[first_].problem.accelerator;
    const auto capacity = static_cast<double>(accelerator.memories[static_cast<std::size_t>(home_)].size);
    FusedJoin join(network_, tables_, summaries_, capacity, options_.keep);
    best.lower_bound = join.root_bound();
    JoinedLayers found = join.unfused();
    double value = best.unfused = found.value;
    const auto seconds = [this] { return stopwatch_.seconds(); };
    const auto cutoff = [&] { return value / (1 + options_.limits.gap); };
    const auto look = [&](std::size_t beam) {
      JoinedLayers run = join.run(beam > 0 ? value : cutoff(), beam, options_.limits, seconds);
      best.labels += run.labels;
      best.cut_off = best.cut_off || !run.complete;
      best.lower_bound = std::max(best.lower_bound, run.lower_bound);
      if (run.value < value) {
        value = run.value;
        found = std::move(run);
      }
      best.lower_bound = std::min(best.lower_bound, value);
      return value > best.lower_bound * (1 + options_.limits.gap) * (1 + rounding_tolerance);
    };
    // Beams of growing width find good groups; the last run proves that there is nothing better.
    constexpr std::size_t narrow = 100, wide = 1500, all = 0;
    for (const std::size_t beam : {narrow, wide, all})
      if (best.cut_off || !look(beam)) break;
    for (const auto& tiles : owned_) best.labels += tiles->labels();
    best.mapping.home = home_;
    best.value = 0;
    for (std::size_t layer = 0; layer < network_.layers.size(); ++layer) {
      best.mapping.layers.push_back(member(layer, found.layers[layer], join.lists()));
      best.value += best.mapping.layers.back().energy;
    }
    if (std::abs(best.value - value) > value * rounding_tolerance)
      throw std::logic_error(
          fmt::format("the layers' energies add up to {} pJ, the search found {}", best.value, value));
    best.lower_bound = std::min(best.lower_bound, best.value);
    return best;
  }

 private:
  bool summarise() {
    const std::size_t count = network_.layers.size();
    tables_.assign(count, nullptr);
    summaries_.assign(count, nullptr);
    std::size_t bytes = 0;
    bool first = true;
    for (std::size_t layer = 0; layer < count; ++layer) {
      const UnrolledLayer& own = network_.layers[layer];
      if (own.set < 0) continue;
      if (std::exchange(first, false)) first_ = layer;
      for (std::size_t earlier = 0; earlier < layer && tables_[layer] == nullptr; ++earlier) {
        if (tables_[earlier] == nullptr || !same_problem(network_.layers[earlier], own)) continue;
        tables_[layer] = tables_[earlier];
        summaries_[layer] = summaries_[earlier];
      }
      if (tables_[layer] != nullptr) continue;
      owned_tables_.push_back(std::make_unique<MultisetTables>(own.problem));
      tables_[layer] = owned_tables_.back().get();
      owned_.push_back(std::make_unique<TileSummaries>(*tables_[layer], home_, [&](std::size_t more) {
        return options_.limits.stop(stopwatch_.seconds(), bytes + more);
      }));
      summaries_[layer] = owned_.back().get();
      if (!owned_.back()->complete()) return false;
      bytes += owned_.back()->memory_bytes();
    }
    return true;
  }

  /// The layer as a member of its group, with the nest that the join has chosen.
  FusedLayer member(std::size_t index, const JoinedLayers::Layer& joined, const SharedLists& lists) const {
    const UnrolledLayer& own = network_.layers[index];
    FusedLayer layer;
    layer.problem = own.problem;
    layer.mapping = own.mapping;
    layer.energy = own.unfused;
    if (joined.unfused) return layer;
    layer.shared = lists.loops(joined.shared);
    layer.with_next = joined.with_next;
    layer.operands = joined.operands;
    const TileSummaries& summaries = *summaries_[index];
    CompactMapping mapping = summaries.trace(joined.label);
    const CompactMapping tile = mapping;
    const int operands = static_cast<int>(own.layer->operands.size());
    std::vector<std::string> exchanged;
    for (int operand = 0; operand < operands; ++operand)
      if (layer.operands[operand].place == FusedOperand::Place::exchanged)
        exchanged.push_back(own.problem.layer->memory_operand(operand));
    end_tile(index, layer, mapping);
    std::vector<int> loops_above{mapping.loops};  // by depth, from the innermost shared loop outwards
    for (std::size_t loop = layer.shared.size(); loop-- > 0;) {
      append(mapping, network_.axis_of(static_cast<int>(index), layer.shared[loop].axis)->dimension,
             layer.shared[loop].iterations);
      loops_above.push_back(mapping.loops);
    }
    if (mapping.loops == 0) mapping.size[mapping.loops++] = 1, loops_above.back() = 1;
    std::reverse(loops_above.begin(), loops_above.end());
    for (int operand = 0; operand < operands; ++operand) {
      const int levels = summaries.levels(operand);
      const int home = summaries.home_level(operand);
      auto& cuts = mapping.stationary[operand];
      const FusedOperand& of = layer.operands[operand];
      // Cuts above all loops of the tile are cuts at its end.
      for (int level = 0; level < levels; ++level)
        cuts[level] = tile.stationary[operand][level] < tile.loops || tile.loops == 0
                          ? tile.stationary[operand][level]
                          : static_cast<std::uint8_t>(loops_above[layer.shared.size()]);
      if (of.place != FusedOperand::Place::brought)
        cuts[home] = static_cast<std::uint8_t>(loops_above[static_cast<std::size_t>(of.depth)]);
      const int top = of.place == FusedOperand::Place::exchanged ? home + 1 : levels - 1;
      cuts[top] = static_cast<std::uint8_t>(mapping.loops);
      std::fill(cuts.begin() + top, cuts.end(), static_cast<std::uint8_t>(mapping.loops));
    }
    mapping.allocated = mapping.stationary;
    if (!exchanged.empty()) {
      layer.problem = unrolled_problem(
          *own.layer,
          std::make_shared<const Accelerator>(exchanging(*own.problem.accelerator, home_, exchanged)),
          own.unrolling, own.problem.options);
    }
    layer.mapping = mapping;
    layer.energy = energy_of(layer.problem, mapping);
    return layer;
  }

  /// Marks the end of the tile with a loop of one iteration for each input that its units would else use on
  /// into the next tile: nothing is reused across shared loops.
  void end_tile(std::size_t index, const FusedLayer& layer, CompactMapping& mapping) const {
    if (layer.shared.empty()) return;
    const Layer& own = *network_.layers[index].layer;
    const auto relevant = [&](int operand, int loop) {
      return own.relevancy(operand, loop) != Relevancy::irrelevant;
    };
    for (int operand = 1; operand < static_cast<int>(own.operands.size()); ++operand) {
      if (summaries_[index]->home_level(operand) != 0 ||
          layer.operands[operand].place == FusedOperand::Place::brought)
        continue;
      bool used_on = true;
      for (int loop = 0; loop < mapping.loops; ++loop)
        used_on = used_on && !relevant(operand, mapping.dimension[loop]);
      for (int loop = 0; loop < static_cast<int>(own.loops.size()) && used_on; ++loop) {
        if (!relevant(operand, loop)) continue;
        mapping.dimension[mapping.loops] = static_cast<std::uint8_t>(loop);
        mapping.size[mapping.loops++] = 1;
        used_on = false;
      }
    }
  }

  const FusedNetwork& network_;
  int home_;
  const FusedOptions& options_;
  const ProcessorTime& stopwatch_;
  std::size_t first_ = 0;
  std::vector<std::unique_ptr<MultisetTables>> owned_tables_;
  std::vector<std::unique_ptr<TileSummaries>> owned_;
  std::vector<const MultisetTables*> tables_;
  std::vector<const TileSummaries*> summaries_;
};

}  // namespace

std::vector<std::string> possible_homes(const Accelerator& accelerator) {
  std::vector<std::string> names;
  for (std::size_t index = 0; index + 1 < accelerator.memories.size(); ++index) {
    const Memory& memory = accelerator.memories[index];
    const bool topmost =
        std::all_of(memory.operands.begin(), memory.operands.end(), [&](const std::string& operand) {
          return std::none_of(accelerator.memories.begin() + static_cast<std::ptrdiff_t>(index) + 1,
                              accelerator.memories.end(),
                              [&](const Memory& above) { return above.holds(operand); });
        });
    if (topmost || accelerator.instances(memory) != 1 || !memory.holds("O")) continue;
    if (memory.holds("I1") || memory.holds("I2")) names.push_back(memory.name);
  }
  return names;
}

FusedOptimum find_fused_mapping(const FusedNetwork& network, const FusedOptions& options) {
  const ProcessorTime stopwatch;
  FusedOptimum best;
  best.unfused = 0;
  double unfused_bound = 0;
  const Accelerator* accelerator = nullptr;
  for (const UnrolledLayer& layer : network.layers) {
    best.unfused += layer.unfused;
    unfused_bound += layer.unfused_bound;
    if (layer.set >= 0) accelerator = layer.problem.accelerator.get();
    FusedLayer member;
    member.problem = layer.problem;
    member.mapping = layer.mapping;
    member.energy = layer.unfused;
    best.mapping.layers.push_back(std::move(member));
  }
  best.value = best.unfused;
  best.lower_bound = std::min(best.value, unfused_bound);
  if (accelerator == nullptr) return best;
  const std::vector<std::string> possible = possible_homes(*accelerator);
  for (const std::string& home : options.homes) {
    if (std::find(possible.begin(), possible.end(), home) == possible.end())
      throw InputError(fmt::format(
          "memory '{}' of '{}' cannot be the home of tensors between layers; {}", home, accelerator->name,
          possible.empty() ? "no memory can: none below the topmost one is there "
                             "once and holds outputs and an input"
                           : fmt::format("possible: {}", fmt::join(possible, ", "))));
  }
  for (std::size_t index = 0; index < accelerator->memories.size(); ++index) {
    const std::string& name = accelerator->memories[index].name;
    const auto in = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (!in(possible) || (!options.homes.empty() && !in(options.homes))) continue;
    FusedOptimum found = HomeSearch(network, static_cast<int>(index), options, stopwatch).search();
    best.labels += found.labels;
    best.cut_off = best.cut_off || found.cut_off;
    best.lower_bound = std::min(best.lower_bound, found.lower_bound);
    best.unfused = std::min(best.unfused, found.unfused);
    if (!(found.value < best.value)) continue;
    best.value = found.value;
    best.mapping = std::move(found.mapping);
  }
  best.lower_bound = std::min(best.lower_bound, best.value);
  const std::vector<std::string> wrong = fused_violations(network, best.mapping);
  if (!wrong.empty())
    throw std::logic_error(fmt::format("a fused mapping is not sound: {}", wrong.front()));
  return best;
}

}  // namespace zz::core
