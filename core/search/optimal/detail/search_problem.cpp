#include "core/search/optimal/detail/search_problem.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/search/temporal/allocation_problem.hpp"
#include "core/search/temporal/user_ordering.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {
namespace {

void add(std::vector<LoopKind>& kinds, int dimension, std::int64_t size, int count) {
  const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const LoopKind& kind) {
    return kind.dimension == dimension && kind.size == size;
  });
  if (same != kinds.end())
    same->count += count;
  else
    kinds.push_back({dimension, size, count});
}

}  // namespace

TemporalSpace::TemporalSpace(const MappingProblem& problem, int factor_limit,
                             std::vector<SharedTiles> shared_tiles)
    : operands_(static_cast<int>(problem.layer->operands.size())), shared_tiles_(std::move(shared_tiles)) {
  const Layer& layer = *problem.layer;
  const Rules& rules = problem.options.rules;
  for (const SharedTiles& tiles : shared_tiles_)
    for (const OperandLevel& at : tiles) shares_tiles_[at.operand] = true;
  const std::vector<RemainingLoop> remaining = searched_loops(problem);
  UserOrdering ordering = user_ordering(layer, remaining, OrderingUse::search, rules);
  if (ordering.ragged)
    throw NoResult(fmt::format(
        "layer '{}': temporal_ordering of mapping entry '{}' has a tile that does not divide its "
        "loop, for which no search proves the best cuts; give its cuts, or take LomaStage, which "
        "shares out this order",
        layer.name, layer.mapping.name));
  std::vector<LoopKind> kinds;
  if (ordering.complete) {
    for (const RemainingLoop& loop : ordering.loops) {
      constraints_.push_back({static_cast<int>(constraints_.size()), loop.dimension, loop.size});
      add(kinds, loop.dimension, loop.size, 1);
    }
  } else {
    constraints_ = std::move(ordering.constraints);
    for (const FactorTable& table : loop_factors(layer, remaining, constraints_, factor_limit, rules)) {
      for (const auto& [size, count] : table.entries)
        if (size > 1) add(kinds, table.dimension, size, count);
    }
  }
  int loops = 0;
  for (const LoopKind& kind : kinds) loops += kind.count;
  if (loops > max_temporal_loops) {
    throw InputError(fmt::format("layer '{}' has {} temporal loop factors; at most {} can be mapped",
                                 layer.name, loops, max_temporal_loops));
  }
  for (OrderConstraint& constraint : constraints_) {
    if (constraint.position < 0) constraint.position += loops;
  }
  lattice_.emplace(std::move(kinds));
  for (int operand = 0; operand < operands_; ++operand) {
    for (const LoopKind& kind : lattice_->kinds()) {
      const Relevancy relevancy = layer.relevancy(operand, kind.dimension);
      irrelevant_[operand].push_back(relevancy == Relevancy::irrelevant);
      replaces_[operand].push_back(relevancy == Relevancy::relevant);
    }
    for (auto* const table : {&all_irrelevant_, &irrelevant_above_, &changes_above_})
      (*table)[operand].resize(lattice_->size());
    std::vector<std::uint8_t> changing(lattice_->size(), 0);  // loops in the multiset, by multiset
    for (std::size_t multiset = 1; multiset < lattice_->size(); ++multiset) {
      const std::size_t kind = lattice_->first_kind(multiset);
      changing[multiset] = static_cast<std::uint8_t>(changing[multiset - lattice_->stride(kind)] +
                                                     (irrelevant_[operand][kind] ? 0 : 1));
    }
    const std::size_t full = lattice_->full();
    for (std::size_t multiset = 0; multiset <= full; ++multiset) {
      all_irrelevant_[operand][multiset] = changing[multiset] == 0;
      changes_above_[operand][multiset] = changing[multiset] < changing[full];
      irrelevant_above_[operand][multiset] =
          lattice_->placed(multiset) - changing[multiset] < lattice_->loops() - changing[full];
    }
  }
}

bool TemporalSpace::agrees(int position, std::size_t kind) const {
  const LoopKind& loop = lattice_->kinds()[kind];
  return std::all_of(constraints_.begin(), constraints_.end(), [&](const OrderConstraint& constraint) {
    return constraint.position != position ||
           (constraint.dimension == loop.dimension && constraint.size.value_or(loop.size) == loop.size);
  });
}

void TemporalSpace::begin_with(const std::vector<Stay>& stays) {
  next_.assign(lattice_->size(), 0);
  for (std::size_t multiset = 0; multiset < lattice_->size(); ++multiset) {
    for (std::size_t kind = 0; kind < lattice_->kinds().size(); ++kind) {
      const bool allowed = std::all_of(stays.begin(), stays.end(), [&](const Stay& stay) {
        if (stay.operand == ArrayTable::no_operand) return true;
        if (multiset == stay.multiset) return relevant(stay.operand, kind);
        bool within = true;
        for (std::size_t other = 0; other < lattice_->kinds().size(); ++other)
          within = within && lattice_->count(multiset, other) <= lattice_->count(stay.multiset, other);
        return !within || lattice_->count(multiset, kind) < lattice_->count(stay.multiset, kind);
      });
      if (allowed) next_[multiset] |= std::uint64_t{1} << kind;
    }
  }
}

MemoryFit::MemoryFit(const Layer& layer, const Accelerator& accelerator,
                     const SpatialMapping& spatial_mapping, const TemporalSpace& space,
                     const Rules& rules) {
  const ExponentLattice& lattice = space.lattice();
  const AllocationProblem problem(layer, accelerator, spatial_mapping, rules);
  std::array<std::array<int, max_memory_levels>, max_operands> memory_of{};  // index into memories
  for (const AllocationProblem::Node& node : problem.nodes)
    for (const AllocationProblem::Held& held : node.held) memory_of[held.operand][held.level] = node.memory;
  for (int index = 0; index < space.operands(); ++index) {
    const AllocationProblem::Operand& operand = problem.operands[index];
    // Rest of each multiset without irrelevant loops, which change nothing.
    std::vector<std::size_t> relevant_part(lattice.size(), 0);
    for (std::size_t multiset = 1; multiset < lattice.size(); ++multiset) {
      const std::size_t kind = lattice.first_kind(multiset), stride = lattice.stride(kind);
      relevant_part[multiset] =
          relevant_part[multiset - stride] + (space.irrelevant(index, kind) ? 0 : stride);
    }
    for (int level = 0; level + 1 < static_cast<int>(operand.spatial.size()); ++level) {
      Memory memory;
      memory.capacity = static_cast<double>(accelerator.memories[memory_of[index][level]].size);
      // All temporal loops are above the lower cut of the lowest memory.
      memory.partial_always = operand.irrelevant_above[level + 1] ||
                              (operand.output && level == 0 && space.irrelevant_above(index, 0));
      const bool results = operand.output && operand.bits.at(level, true) != operand.bits.at(level, false);
      if (results && !memory.partial_always) partial_matters_ = true;
      const AllocationProblem::Products unrolled = problem.unrolled_below(operand, level);
      memory.bits.resize(lattice.size());
      if (results) memory.of_results.resize(lattice.size());
      for (std::size_t multiset = 0; multiset < lattice.size(); ++multiset) {
        if (relevant_part[multiset] != multiset) {
          memory.bits[multiset] = memory.bits[relevant_part[multiset]];
          if (results) memory.of_results[multiset] = memory.of_results[relevant_part[multiset]];
          continue;
        }
        AllocationProblem::Products iterations = unrolled;
        for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
          for (int i = lattice.count(multiset, kind); i-- > 0;)
            iterations[lattice.kinds()[kind].dimension] *= static_cast<double>(lattice.kinds()[kind].size);
        }
        for (int loop = 0; loop < problem.dimensions; ++loop) iterations[loop] = snapped(iterations[loop]);
        const double elements = snapped(problem.tensor_elements(operand, iterations));
        const auto walked = [&](int loop) { return std::min(iterations[loop], problem.most[loop]); };
        memory.bits[multiset] = operand.bits.at(level, false).of_room(elements, walked);
        if (results) memory.of_results[multiset] = operand.bits.at(level, true).of_room(elements, walked);
      }
      memories_[index].push_back(std::move(memory));
    }
  }
  for (std::size_t index = 0; index < accelerator.memories.size(); ++index) {
    Group group{static_cast<double>(accelerator.memories[index].size), {}};
    double whole = 0;
    for (int operand = 0; operand < space.operands(); ++operand) {
      for (int level = 0; level < levels(operand); ++level) {
        if (memory_of[operand][level] != static_cast<int>(index)) continue;
        group.members.push_back({operand, level});
        const auto of = [&](bool partial) { return bits(operand, level, lattice.full(), partial); };
        whole += std::max(of(true), of(false));
      }
    }
    if (group.members.size() < 2 || whole <= group.capacity) continue;
    for (const Group::Member& member : group.members)
      memories_[member.operand][member.level].group = static_cast<int>(groups_.size());
    groups_.push_back(std::move(group));
  }
}

SearchProblem::SearchProblem(const MappingProblem& problem, int factor_limit)
    : given(problem),
      model(problem.accelerator, problem.layer, problem.fractional, problem.integral, problem.options),
      tables(model.tables()),
      space(problem, factor_limit, tables.shared_tiles),
      fit(*problem.layer, *problem.accelerator, *problem.fractional, space, problem.options.rules) {
  for (int loop = 0; loop < static_cast<int>(problem.layer->loops.size()); ++loop) {
    if (problem.layer->relevancy(0, loop) == Relevancy::partially_relevant) {
      throw InputError(
          fmt::format("layer '{}': a window slides over its output, for which the optimum cannot be proven",
                      problem.layer->name));
    }
  }
}

SearchProblem::SearchProblem(const SearchProblem& whole, const Beginning& beginning)
    : given(whole.given),
      model(given.accelerator, given.layer, given.fractional, given.integral, given.options),
      tables(model.tables()),
      space(whole.space),
      fit(whole.fit),
      pace(beginning.pace) {
  space.begin_with(beginning.stays);
}

double count_multisets(const MappingProblem& problem) {
  const Rules& rules = problem.options.rules;
  const std::vector<RemainingLoop> remaining = searched_loops(problem);
  double multisets = 1;
  for (const FactorTable& table : loop_factors(*problem.layer, remaining, {}, 0, rules))
    for (const auto& [size, count] : table.entries)
      if (size > 1) multisets *= count + 1;
  return multisets;
}

double value_of(const Goal& goal, const Score& score) {
  if (std::isnan(score.energy_total)) return infinite;
  return goal.value(score.energy_total, score.latency_total2);
}

double SearchProblem::value(const CompactMapping& mapping, const Goal& goal) const {
  return value_of(goal, model.score(mapping));
}

double value_of(const MappingProblem& problem, const CompactMapping& mapping, const Goal& goal) {
  const CostModel model(problem.accelerator, problem.layer, problem.fractional, problem.integral,
                        problem.options);
  return value_of(goal, model.score(mapping));
}

}  // namespace zz::core
