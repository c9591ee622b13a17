#include "core/search/temporal/mapping_check.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/cost/compact_form.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/search/temporal/loop_allocator.hpp"
#include "core/search/temporal/user_ordering.hpp"

namespace zz::core {
namespace {

/// Products of fractional factors are rounded; what exceeds a limit by more than that exceeds it.
bool exceeds(double value, double limit) { return value > limit * (1 + 1e-9); }

/// Factors by loop dimension and level of one operand, against what there is to unroll and to unroll over.
class SpatialCheck {
 public:
  SpatialCheck(const Layer& layer, const Accelerator& accelerator, const SpatialMapping& mapping,
               const AllocationProblem& problem)
      : layer_(layer), accelerator_(accelerator), problem_(problem) {
    for (std::size_t operand = 0; operand < mapping.operands.size(); ++operand) {
      if (mapping.operands[operand].operand != layer.operands[operand].name)
        refuse(mapping.operands[operand].operand,
               fmt::format("operand {} of the layer is {}", operand, layer.operands[operand].name));
      check_units(operand);
      check_loops(operand);
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& operand, const std::string& what) const {
    throw InputError(
        fmt::format("layer '{}': spatial_mapping.operands[{}]: {}", layer_.name, operand, what));
  }

  /// One instance of a memory, and all below it, serve so many units and no more.
  void check_units(std::size_t operand) const {
    const MemoryHierarchy& hierarchy = accelerator_.hierarchy();
    const int held = hierarchy.operand_index(layer_.memory_operand(static_cast<int>(operand)));
    if (held < 0) refuse(layer_.operands[operand].name, "is assigned to no memory of the accelerator");
    const std::vector<int>& memories = hierarchy.levels[static_cast<std::size_t>(held)];
    const UnrolledLevels& levels = problem_.operands[operand].spatial;
    std::set<std::string> served;
    double units = 1;
    for (std::size_t level = 0; level < levels.size(); ++level) {
      for (const UnrolledFactor& loop : levels[level]) units *= loop.factor;
      double limit = 1;
      const bool above = level == memories.size();
      if (!above)
        for (const std::string& name : accelerator_.memories[memories[level]].served_dimensions)
          served.insert(name);
      for (const ArrayDimension& dimension : accelerator_.array.dimensions)
        if (above || served.contains(dimension.name)) limit *= static_cast<double>(dimension.size);
      if (exceeds(units, limit))
        refuse(layer_.operands[operand].name,
               above ? fmt::format("unrolls over {:g} units, the array has {:g}", units, limit)
                     : fmt::format(
                           "unrolls over {:g} units below one instance of memory '{}', which serves {:g}",
                           units, accelerator_.memories[memories[level]].name, limit));
    }
  }

  /// Every operand lists all unrolled loops, none more often than the loop has iterations.
  void check_loops(std::size_t operand) const {
    const std::vector<double> factors = totals(operand), first = totals(0);
    for (std::size_t loop = 0; loop < factors.size(); ++loop) {
      const LoopDimension& dimension = layer_.loops[loop];
      if (exceeds(factors[loop], static_cast<double>(dimension.size)))
        refuse(layer_.operands[operand].name,
               fmt::format("{} has {} iterations and cannot be unrolled {:g} times", dimension.name,
                           dimension.size, factors[loop]));
      if (exceeds(factors[loop], first[loop]) || exceeds(first[loop], factors[loop]))
        refuse(layer_.operands[operand].name,
               fmt::format("unrolls {} {:g} times, {} does so {:g} times", dimension.name, factors[loop],
                           layer_.operands[0].name, first[loop]));
    }
  }

  std::vector<double> totals(std::size_t operand) const {
    std::vector<double> factors(layer_.loops.size(), 1);
    for (const UnrolledFactor& loop : problem_.operands[operand].spatial.all())
      factors[static_cast<std::size_t>(loop.dimension)] *= loop.factor;
    return factors;
  }

  const Layer& layer_;
  const Accelerator& accelerator_;
  const AllocationProblem& problem_;
};

}  // namespace

MappingCheck::MappingCheck(const Layer& layer, const Accelerator& accelerator,
                           const SpatialMapping& spatial_mapping, const Rules& rules)
    : layer_(layer),
      accelerator_(accelerator),
      problem_(layer, accelerator, spatial_mapping, rules),
      remaining_(remaining_loops(layer, spatial_mapping, rules)) {
  if (!rules.unrolling_beyond_loop) SpatialCheck(layer, accelerator, spatial_mapping, problem_);
  for (const AllocationProblem::Operand& operand : problem_.operands)
    levels_.push_back(static_cast<int>(operand.spatial.size()) - 1);
}

void MappingCheck::check(const TemporalMapping& mapping) const {
  const CompactMapping compact = check_loops(mapping);
  check_room(compact);
  check_shared_tiles(compact, fmt::format("layer '{}': temporal_mapping", layer_.name));
}

CompactMapping MappingCheck::check_loops(const TemporalMapping& mapping) const {
  CompactMapping compact = compact_form(layer_, levels_, mapping);
  for (std::size_t operand = 0; operand < levels_.size(); ++operand) {
    const std::vector<int>& cuts = mapping.operands[operand].allocated;
    if (static_cast<int>(cuts.size()) != levels_[operand] || cuts.back() != compact.loops)
      throw InputError(
          fmt::format("layer '{}': temporal_mapping.operands[{}].allocated: must have a cut for each of {} "
                      "memories, the last at all {} loops",
                      layer_.name, layer_.operands[operand].name, levels_[operand], compact.loops));
  }
  check_complete_order(layer_, remaining_, mapping.loops,
                       fmt::format("layer '{}': temporal_mapping.loops: ", layer_.name));
  return compact;
}

void MappingCheck::check_shared_tiles(const CompactMapping& mapping, const std::string& where) const {
  for (const AllocationProblem::Node& node : problem_.nodes) {
    int end = -1;
    for (const AllocationProblem::Held& held : node.held) {
      if (!problem_.operands[static_cast<std::size_t>(held.operand)].shares_tiles[held.level]) continue;
      const int own = mapping.stationary[held.operand][held.level];
      if (end >= 0 && own != end)
        throw NoResult(
            fmt::format("{}: the tiles in memory '{}' are shared (shared_tiles), but end above {} "
                        "loops for one input and above {} for another",
                        where, accelerator_.memories[node.memory].name, end, own));
      end = own;
    }
  }
}

std::vector<MappingCheck::Room> MappingCheck::needed_room(const CompactMapping& mapping) const {
  std::vector<Room> needed;
  for (const AllocationProblem::Node& node : problem_.nodes) {
    double bits = 0;
    for (const AllocationProblem::Held& held : node.held) {
      const AllocationProblem::Operand& operand = problem_.operands[static_cast<std::size_t>(held.operand)];
      AllocationProblem::Products iterations = problem_.unrolled_below(operand, held.level);
      const int cut = mapping.stationary[held.operand][held.level];
      for (int loop = 0; loop < cut; ++loop)
        iterations[mapping.dimension[loop]] *= static_cast<double>(mapping.size[loop]);
      const int lower = held.level > 0 ? mapping.stationary[held.operand][held.level - 1] : 0;
      bits += problem_.needed_bits(operand, held.level, iterations,
                                   problem_.is_finished(operand, held.level, lower, mapping));
    }
    needed.push_back({node.memory, node.held.size() > 1 ? -1 : node.held.front().operand, bits});
  }
  return needed;
}

void MappingCheck::check_room(const CompactMapping& mapping) const {
  for (const Room& room : needed_room(mapping)) {
    if (room.fits(static_cast<double>(accelerator_.memories[room.memory].size))) continue;
    throw NoResult(fmt::format("layer '{}': temporal_mapping: {}: it is to hold {:.0f} bits", layer_.name,
                               allocation_failure(layer_, accelerator_, {room.memory, room.operand}),
                               room.bits));
  }
}

}  // namespace zz::core
