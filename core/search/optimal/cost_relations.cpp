#include "core/search/optimal/cost_relations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "core/cost/cost_tables.hpp"
#include "core/search/optimal/certificate.hpp"
#include "core/search/temporal/allocation_problem.hpp"
#include "core/workload/tile_bits.hpp"

namespace zz::core {
namespace {

/// The relations of the layer with its loops renamed, in an order of their own.
std::vector<std::array<std::int64_t, 5>> renamed_relations(const Layer& layer, const std::vector<int>& as) {
  std::vector<std::array<std::int64_t, 5>> relations;
  const auto renamed = [&](const std::string& loop) {
    const int index = layer.loop_index(loop);
    return index < 0 ? std::int64_t{-1} : std::int64_t{as[static_cast<std::size_t>(index)]};
  };
  for (const DimensionRelation& relation : layer.relations) {
    relations.push_back({relation.stride, relation.dilation, relation.size, renamed(relation.output_loop),
                         renamed(relation.filter_loop)});
  }
  std::sort(relations.begin(), relations.end());
  return relations;
}

class Symmetries {
 public:
  explicit Symmetries(const Layer& layer) : layer_(layer), as_(layer.loops.size()) {
    std::iota(as_.begin(), as_.end(), 0);
    own_ = renamed_relations(layer, as_);
    found_ = {as_};
  }

  std::vector<std::vector<int>> find() {
    if (layer_.mapping.temporal_ordering.empty()) rename(0);
    return found_;
  }

 private:
  static constexpr std::size_t most = 8;

  bool alike(int a, int b) const {
    if (layer_.loops[static_cast<std::size_t>(a)].size != layer_.loops[static_cast<std::size_t>(b)].size)
      return false;
    for (int operand = 0; operand < static_cast<int>(layer_.operands.size()); ++operand)
      if (layer_.relevancy(operand, a) != layer_.relevancy(operand, b)) return false;
    return a == b || !(has_blocks_along(a) || has_blocks_along(b));
  }

  /// Numbers of some operand are in blocks along the loop, so that no other one is like it.
  bool has_blocks_along(int loop) const {
    bool found = block_loop(layer_, 0, layer_.final_output_scale) == loop;
    for (int operand = 0; operand < static_cast<int>(layer_.operands.size()); ++operand)
      found = found ||
              block_loop(layer_, operand, layer_.operands[static_cast<std::size_t>(operand)].scale) == loop;
    return found;
  }

  /// Swaps the loops from `first` on in every way.
  void rename(std::size_t first) {
    if (found_.size() == most) return;
    if (first == as_.size()) {
      if (as_ != found_.front() && renamed_relations(layer_, as_) == own_) found_.push_back(as_);
      return;
    }
    for (std::size_t other = first; other < as_.size(); ++other) {
      const bool moves = other != first;
      if (moves && layer_.loops[first].size == 1) break;
      if (!alike(static_cast<int>(first), as_[other])) continue;
      std::swap(as_[first], as_[other]);
      rename(first + 1);
      std::swap(as_[first], as_[other]);
    }
  }

  const Layer& layer_;
  std::vector<int> as_;
  std::vector<std::array<std::int64_t, 5>> own_;
  std::vector<std::vector<int>> found_;
};

}  // namespace

std::vector<std::vector<int>> loop_symmetries(const Layer& layer) { return Symmetries(layer).find(); }

std::vector<std::int64_t> cost_key(const MappingProblem& problem, bool energy_only,
                                   const std::vector<std::vector<int>>& symmetries) {
  const std::size_t loops = problem.layer->loops.size();
  std::vector<std::int64_t> least;
  std::optional<std::int64_t> fold_cycles;
  if (!energy_only && problem.accelerator->array.fold) {
    const CostTables tables(*problem.accelerator, *problem.layer, *problem.fractional, *problem.integral,
                            problem.options.rules);
    fold_cycles = static_cast<std::int64_t>(tables.array.fold_cycles);
  }
  for (const std::vector<int>& renamed : symmetries) {
    std::vector<std::int64_t> key;
    const auto append = [&](const SpatialMapping& mapping) {
      for (const OperandSpatialMapping& operand : mapping.operands) {
        for (const auto& level : operand.levels) {
          const std::size_t begin = key.size();
          key.resize(begin + loops, 0);
          for (const UnrolledLoop& loop : level) {
            const auto index = static_cast<std::size_t>(problem.layer->loop_index(loop.dimension));
            if (loop.factor != 1)
              key[begin + static_cast<std::size_t>(renamed[index])] = std::llround(loop.factor * 1e9);
          }
        }
      }
    };
    append(*problem.fractional);
    if (!energy_only) {
      append(*problem.integral);
      key.push_back(drain_cycles(problem.accelerator->array, *problem.layer));
      if (fold_cycles) key.push_back(*fold_cycles);
    }
    if (least.empty() || key < least) least = std::move(key);
  }
  return least;
}

namespace {

std::vector<double*> costs_of(Accelerator& accelerator) {
  std::vector<double*> costs{&accelerator.array.unit_energy};
  for (Memory& memory : accelerator.memories) {
    costs.push_back(&memory.read_cost);
    costs.push_back(&memory.write_cost);
  }
  return costs;
}

/// Without what bears on no mapping.
void drop_areas_and_clock(Accelerator& accelerator) {
  accelerator.clock_period = 0;
  accelerator.array.unit_area = 0;
  for (Memory& memory : accelerator.memories) memory.area = 0;
}

bool sizes_differ(const Accelerator& a, const Accelerator& b) {
  return !std::ranges::equal(a.memories, b.memories, {}, &Memory::size, &Memory::size);
}

/// Takes over the sizes after of the memories that have room for everything with both.
void drop_ample_sizes(const MappingProblem& before, Accelerator& old, const Accelerator& after) {
  const AllocationProblem problem(*before.layer, *before.accelerator, *before.fractional,
                                  before.options.rules);
  AllocationProblem::Products all{};
  for (int loop = 0; loop < problem.dimensions; ++loop)
    all[loop] = static_cast<double>(before.layer->loops[loop].size);
  for (const AllocationProblem::Node& node : problem.nodes) {
    double bits = 0;
    for (const AllocationProblem::Held& held : node.held) {
      const AllocationProblem::Operand& operand = problem.operands[held.operand];
      bits += std::max(problem.needed_bits(operand, held.level, all, false),
                       problem.needed_bits(operand, held.level, all, operand.output));
    }
    std::int64_t& size = old.memories[node.memory].size;
    const std::int64_t size_after = after.memories[node.memory].size;
    if (static_cast<double>(std::min(size, size_after)) >= 2 * bits * (1 + rounding_tolerance))
      size = size_after;
  }
}

}  // namespace

std::optional<CostChange> cost_change(const MappingProblem& before, const Accelerator& after) {
  Accelerator old = *before.accelerator;
  if (old.array.imc || after.array.imc || old.memories.size() != after.memories.size()) return {};
  CostChange change{.rest = after};
  drop_areas_and_clock(old);
  drop_areas_and_clock(change.rest);
  if (sizes_differ(old, after)) drop_ample_sizes(before, old, after);
  const std::vector<double*> old_costs = costs_of(old), new_costs = costs_of(change.rest);
  change.kept = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < old_costs.size(); ++i) {
    change.none = change.none && *old_costs[i] == *new_costs[i];
    if (*old_costs[i] > 0) change.kept = std::min(change.kept, *new_costs[i] / *old_costs[i]);
  }
  // Where nothing cost anything, nothing is kept.
  if (change.kept == std::numeric_limits<double>::infinity()) change.kept = change.none ? 1 : 0;
  std::vector<double> rest;
  for (std::size_t i = 0; i < old_costs.size(); ++i) {
    rest.push_back(std::max(0.0, *new_costs[i] - change.kept * *old_costs[i]));
    *old_costs[i] = *new_costs[i];
  }
  if (!(old == change.rest)) return {};
  for (std::size_t i = 0; i < rest.size(); ++i) *new_costs[i] = rest[i];
  return change;
}

}  // namespace zz::core
