#include "core/search/temporal/loop_allocator.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <limits>

#include "core/base/diagnostics.hpp"
#include "core/hardware/layer_fit.hpp"
#include "core/search/temporal/topmost_room.hpp"

namespace zz::core {

LoopAllocator::LoopAllocator(const Layer& layer, const Accelerator& accelerator,
                             const SpatialMapping& spatial_mapping, MappingType type, const Rules& rules)
    : type_(type),
      problem_(std::make_shared<const AllocationProblem>(layer, accelerator, spatial_mapping, rules)) {}

void LoopAllocator::expect(std::shared_ptr<const LoopLattice> lattice) {
  tables_ = lattice ? AllocationTables::make(*problem_, std::move(lattice)) : nullptr;
}

/// Finds the ways in which the operand could use the memory if it had it for itself. False: there is none.
bool LoopAllocator::find_shares(std::size_t node, std::size_t which, const CompactMapping& mapping) {
  const AllocationProblem::Held& held = problem_->nodes[node].held[which];
  const AllocationProblem::Operand& operand = problem_->operands[held.operand];
  const double capacity = problem_->nodes[node].capacity;
  const Progress& progress = progress_[held.operand];
  const bool finished = problem_->is_finished(operand, progress.level, progress.allocated, mapping);
  MemoryShares& shares = shares_[which];
  shares.held = progress.allocated;
  shares.first = 0;
  shares.count = 0;
  shares.falling = true;
  if (held.top && tables_) {
    shares.first = mapping.loops - progress.allocated;
    shares.bits[0] = tables_->held(node, which).whole_bits[finished];
    shares.traffic[shares.count++] = 0;
  } else if (held.top) {
    fill_top(operand, progress, finished, capacity, mapping, shares);
  } else if (tables_) {
    look_up_shares(tables_->held(node, which).shares[finished], capacity, mapping, shares);
  } else {
    compute_shares(operand, progress, finished, capacity, mapping, shares);
  }
  if (shares.count == 0) failure_.operand = held.operand;
  return shares.count > 0;
}

void LoopAllocator::look_up_shares(const AllocationTables::Shares& table, double capacity,
                                   const CompactMapping& mapping, MemoryShares& shares) const {
  shares.falling = table.falling;
  for (int loop = shares.held; loop <= mapping.loops; ++loop) {
    const AllocationTables::Entry& entry = table.at[point_[loop]];
    if (!(entry.bits <= capacity)) return;
    shares.bits[shares.count] = entry.bits;
    shares.traffic[shares.count++] = entry.traffic;
  }
}

void LoopAllocator::compute_shares(const AllocationProblem::Operand& operand, const Progress& progress,
                                   bool finished, double capacity, const CompactMapping& mapping,
                                   MemoryShares& shares) const {
  std::array<double, max_temporal_loops + 1> remaining;  // iterations of this loop and all outer ones
  remaining[mapping.loops] = 1;
  for (int loop = mapping.loops; loop-- > progress.allocated;)
    remaining[loop] = remaining[loop + 1] * static_cast<double>(mapping.size[loop]);
  AllocationProblem::Products products;
  std::copy_n(progress.products.begin(), problem_->dimensions, products.begin());
  double bits = problem_->needed_bits(operand, progress.level, products, finished);
  for (int loop = progress.allocated; bits <= capacity; ++loop) {
    const double traffic = remaining[loop] * bits;
    if (shares.count > 0 && traffic > shares.traffic[shares.count - 1]) shares.falling = false;
    shares.bits[shares.count] = bits;
    shares.traffic[shares.count++] = traffic;
    if (loop == mapping.loops) break;
    const int dimension = mapping.dimension[loop];
    products[dimension] *= static_cast<double>(mapping.size[loop]);
    if (operand.sizes[dimension]) bits = problem_->needed_bits(operand, progress.level, products, finished);
  }
}

/// Nothing lies above: the memory holds as much as fits, and no traffic follows.
void LoopAllocator::fill_top(const AllocationProblem::Operand& operand, const Progress& progress,
                             bool finished, double capacity, const CompactMapping& mapping,
                             MemoryShares& shares) const {
  AllocationProblem::Products products;
  std::copy_n(progress.products.begin(), problem_->dimensions, products.begin());
  shares.traffic[0] = 0;
  for (int loop = progress.allocated;; ++loop) {
    const double bits = problem_->needed_bits(operand, progress.level, products, finished);
    if (bits > capacity) return;
    shares.bits[0] = bits;
    shares.first = loop - progress.allocated;
    shares.count = 1;
    if (loop == mapping.loops) return;
    products[mapping.dimension[loop]] *= static_cast<double>(mapping.size[loop]);
  }
}

bool LoopAllocator::visit(std::size_t number, CompactMapping& mapping) {
  const AllocationProblem::Node& node = problem_->nodes[number];
  failure_.memory = node.memory;
  for (std::size_t i = 0; i < node.held.size(); ++i) {
    if (!find_shares(number, i, mapping)) return false;
  }
  std::array<int, max_operands> further;
  if (!share_memory({shares_.data(), node.held.size()}, node.capacity, type_, node.tied, further)) {
    failure_.operand = -1;
    return false;
  }
  for (std::size_t i = 0; i < node.held.size(); ++i) {
    const AllocationProblem::Held& held = node.held[i];
    Progress& progress = progress_[held.operand];
    take(problem_->operands[held.operand], progress, further[i], mapping);
    mapping.allocated[held.operand][held.level] = static_cast<std::uint8_t>(progress.allocated);
    if (held.top && progress.allocated < mapping.loops) {
      failure_.operand = held.operand;
      return false;
    }
  }
  return true;
}

/// The operand goes on to its next memory with so many loops more.
void LoopAllocator::take(const AllocationProblem::Operand& operand, Progress& progress, int loops,
                         const CompactMapping& mapping) {
  ++progress.level;
  const int end = progress.allocated + loops;
  if (tables_) {
    progress.allocated = end;
    return;
  }
  for (; progress.allocated < end; ++progress.allocated) {
    progress.products[mapping.dimension[progress.allocated]] *=
        static_cast<double>(mapping.size[progress.allocated]);
  }
  for (const UnrolledFactor& loop : operand.spatial[progress.level])
    progress.products[loop.dimension] *= problem_->in_a_round(loop);
}

void LoopAllocator::merge_down(CompactMapping& mapping) const {
  for (std::size_t operand = 0; operand < problem_->operands.size(); ++operand) {
    const int count = levels(static_cast<int>(operand));
    auto& cuts = mapping.stationary[operand];
    std::copy_n(mapping.allocated[operand].begin(), count, cuts.begin());
    for (bool changed = true; changed;) {
      changed = false;
      for (int level = 1; level < count; ++level) {
        // The list above starts at its lower cut before this pass.
        if (problem_->operands[operand].shares_tiles[level - 1]) continue;
        int end = cuts[level - 1];
        while (end < cuts[level] && problem_->operands[operand].irrelevant[mapping.dimension[end]]) ++end;
        if (end > cuts[level - 1]) {
          cuts[level - 1] = static_cast<std::uint8_t>(end);
          changed = true;
        }
      }
    }
  }
}

bool LoopAllocator::allocate(CompactMapping& mapping) {
  for (std::size_t operand = 0; operand < problem_->operands.size(); ++operand) {
    Progress& progress = progress_[operand];
    progress.level = 0;
    progress.allocated = 0;
    if (tables_) continue;
    progress.products = problem_->unrolled_below(problem_->operands[operand], 0);
  }
  if (tables_) {
    point_[0] = 0;
    for (int loop = 0; loop < mapping.loops; ++loop)
      point_[loop + 1] = point_[loop] + tables_->lattice().kinds()[mapping.kind[loop]].stride;
  }
  for (std::size_t node = 0; node < problem_->nodes.size(); ++node) {
    if (!visit(node, mapping)) return false;
  }
  merge_down(mapping);
  return true;
}

std::string allocation_failure(const Layer& layer, const Accelerator& accelerator,
                               const AllocationFailure& failure) {
  if (failure.memory < 0) return "";
  const Memory& small = accelerator.memories[failure.memory];
  const std::string too_small =
      fmt::format("memory '{}' ({} bits) is too small for", small.name, small.size);
  if (failure.operand < 0) return too_small + " the operands that share it";
  const LayerOperand& operand = layer.operands[failure.operand];
  if (operand.precision + operand.scale.bits <= small.size)
    return fmt::format("{} operand {}", too_small, operand.name);
  return fmt::format("{} an element of operand {}, which has {} bits{} {}", too_small, operand.name,
                     operand.precision,
                     operand.scale.any() ? fmt::format(" and a scale of {}", operand.scale.bits) : "",
                     said_of_bits(layer, operand.name));
}

CompactMapping compact_order(const Layer& layer, const std::vector<TemporalLoop>& order) {
  if (order.size() > max_temporal_loops) {
    throw InputError(fmt::format("layer '{}': a loop order of {} loops; at most {} can be mapped",
                                 layer.name, order.size(), max_temporal_loops));
  }
  CompactMapping row;
  for (const TemporalLoop& loop : order) {
    const int dimension = layer.loop_index(loop.dimension);
    if (dimension < 0 || loop.size < 1) {
      throw InputError(fmt::format("layer '{}': '({}, {})' is no loop of the layer", layer.name,
                                   loop.dimension, loop.size));
    }
    row.dimension[row.loops] = static_cast<std::uint8_t>(dimension);
    row.size[row.loops++] = loop.size;
  }
  return row;
}

TemporalMapping named_mapping(const CompactMapping& mapping, const Layer& layer,
                              const SpatialMapping& spatial_mapping, MappingType type) {
  CompactMappings batch;
  for (const LoopDimension& loop : layer.loops) batch.dimensions.push_back(loop.name);
  for (std::size_t operand = 0; operand < layer.operands.size(); ++operand) {
    batch.operands.push_back(layer.operands[operand].name);
    batch.levels.push_back(static_cast<int>(spatial_mapping.operands[operand].levels.size()) - 1);
  }
  batch.type = type;
  return batch.mapping(mapping);
}

TemporalMapping allocate_loop_order(const Layer& layer, const Accelerator& accelerator,
                                    const SpatialMapping& spatial_mapping,
                                    const std::vector<TemporalLoop>& order, MappingType type,
                                    const Rules& rules) {
  LoopAllocator allocator(layer, accelerator, spatial_mapping, type, rules);
  CompactMapping row = compact_order(layer, order);
  if (!allocator.allocate(row)) {
    refuse_small_topmost_memories(layer, accelerator, rules, &spatial_mapping);
    throw NoResult(fmt::format("layer '{}': the loop order does not fit into the memories of '{}'; {}",
                               layer.name, accelerator.name,
                               allocation_failure(layer, accelerator, allocator.failure())));
  }
  return named_mapping(row, layer, spatial_mapping, type);
}

namespace {

/// The loops of one dimension in a lattice. Their choices are a small lattice of their own, and each of its
/// own points serves many points of the large one.
struct DimensionPoints {
  struct Step {
    std::size_t to, from;
    double size;
  };
  std::size_t count = 1;
  std::vector<std::uint32_t> own;  ///< by point of the large one; empty when it has no such loops
  std::vector<Step> steps;         ///< every way to add one loop
};

/// Iterations of one loop dimension below a memory, by lattice point. Products of fractions are rounded,
/// and then may depend on the order of the loops; settle() tells.
class DimensionProducts {
 public:
  /// `points` must outlive this object.
  explicit DimensionProducts(const DimensionPoints& points) : points_(points), products_(points.count, 1) {}

  void unroll(double factor);
  /// To be called at each level when its unrolled loops are in. False: the products depend on the order.
  bool settle();

  double at(LoopLattice::Point point) const {
    return products_[points_.own.empty() ? 0 : points_.own[point]];
  }

 private:
  const DimensionPoints& points_;
  std::vector<double> products_;
  bool fractional_ = false;
  bool settled_ = false;
};

/// By loop dimension.
std::vector<DimensionPoints> dimension_points(const LoopLattice& lattice, int dimensions) {
  std::vector<DimensionPoints> all(static_cast<std::size_t>(dimensions));
  for (const LoopLattice::Kind& kind : lattice.kinds()) {
    DimensionPoints& points = all[static_cast<std::size_t>(kind.dimension)];
    points.own.resize(lattice.points(), 0);
    const std::size_t stride = points.count;
    const std::size_t block = std::size_t{kind.stride} * (static_cast<std::size_t>(kind.count) + 1);
    for (std::size_t base = 0; base < lattice.points(); base += block) {
      for (std::size_t point = base + kind.stride; point < base + block; ++point)
        points.own[point] += static_cast<std::uint32_t>((point - base) / kind.stride * stride);
    }
    // Each loop of this kind repeats the steps so far and adds some of its own.
    const std::size_t known = points.steps.size();
    for (int loop = 1; loop <= kind.count; ++loop) {
      const std::size_t shift = stride * static_cast<std::size_t>(loop);
      for (std::size_t own = 0; own < stride; ++own)
        points.steps.push_back({shift + own, shift + own - stride, static_cast<double>(kind.size)});
      for (std::size_t step = 0; step < known; ++step) {
        const DimensionPoints::Step& below = points.steps[step];
        points.steps.push_back({shift + below.to, shift + below.from, below.size});
      }
    }
    points.count *= static_cast<std::size_t>(kind.count) + 1;
  }
  return all;
}

void DimensionProducts::unroll(double factor) {
  for (double& product : products_) product *= factor;
  fractional_ = fractional_ || factor != static_cast<double>(static_cast<std::int64_t>(factor));
}

bool DimensionProducts::settle() {
  if (!settled_) {
    settled_ = true;
    for (const DimensionPoints::Step& step : points_.steps)
      products_[step.to] = products_[step.from] * step.size;
  }
  return !fractional_ ||
         std::all_of(points_.steps.begin(), points_.steps.end(), [&](const DimensionPoints::Step& step) {
           return products_[step.to] == products_[step.from] * step.size;
         });
}

/// True when no edge of the lattice leads from one entry that fits to another with more traffic. Edges of
/// loops that leave the data as they are only lead to less.
bool is_falling(const AllocationTables::Shares& shares, const AllocationProblem::Operand& operand,
                const LoopLattice& lattice, double capacity) {
  const AllocationTables::Entry* const at = shares.at.data();
  for (const LoopLattice::Kind& kind : lattice.kinds()) {
    if (!operand.sizes[kind.dimension]) continue;
    const std::size_t edges = std::size_t{kind.stride} * static_cast<std::size_t>(kind.count);
    for (std::size_t base = 0; base < lattice.points(); base += edges + kind.stride) {
      for (std::size_t point = base; point < base + edges; ++point) {
        const AllocationTables::Entry& next = at[point + kind.stride];
        if (next.bits <= capacity && next.traffic > at[point].traffic && at[point].bits <= capacity)
          return false;
      }
    }
  }
  return true;
}

}  // namespace

std::shared_ptr<const AllocationTables> AllocationTables::make(const AllocationProblem& problem,
                                                               std::shared_ptr<const LoopLattice> lattice) {
  const std::shared_ptr<AllocationTables> tables(new AllocationTables);
  tables->lattice_ = std::move(lattice);
  return tables->fill(problem) ? tables : nullptr;
}

bool AllocationTables::fill(const AllocationProblem& problem) {
  for (const AllocationProblem::Node& node : problem.nodes) held_.emplace_back(node.held.size());
  const auto total = static_cast<double>(lattice_->iterations(lattice_->all()));
  std::vector<double> iterations_above(lattice_->points());
  for (LoopLattice::Point point = 0; point < lattice_->points(); ++point)
    iterations_above[point] = total / static_cast<double>(lattice_->iterations(point));
  for (int operand = 0; operand < static_cast<int>(problem.operands.size()); ++operand) {
    if (!fill_operand(problem, operand, iterations_above)) return false;
  }
  return true;
}

bool AllocationTables::fill_operand(const AllocationProblem& problem, int index,
                                    const std::vector<double>& iterations_above) {
  const AllocationProblem::Operand& operand = problem.operands[index];
  const std::vector<DimensionPoints> dimensions = dimension_points(*lattice_, problem.dimensions);
  std::vector<int> sizing;
  std::vector<DimensionProducts> products;
  for (int dimension = 0; dimension < problem.dimensions; ++dimension) {
    if (!operand.sizes[dimension]) continue;
    sizing.push_back(dimension);
    products.emplace_back(dimensions[dimension]);
  }
  const int finished_kinds = operand.output ? 2 : 1;
  AllocationProblem::Products below;
  below.fill(1);
  const auto iterations_at = [&](LoopLattice::Point point) -> const AllocationProblem::Products& {
    for (std::size_t i = 0; i < products.size(); ++i) below[sizing[i]] = products[i].at(point);
    return below;
  };
  for (std::size_t node = 0; node < held_.size(); ++node) {
    for (std::size_t number = 0; number < held_[node].size(); ++number) {
      const AllocationProblem::Held& of_memory = problem.nodes[node].held[number];
      if (of_memory.operand != index) continue;
      for (std::size_t i = 0; i < products.size(); ++i) {
        for (const UnrolledFactor& loop : operand.spatial[of_memory.level])
          if (loop.dimension == sizing[i]) products[i].unroll(problem.in_a_round(loop));
        if (!products[i].settle()) return false;
      }
      Held& filled = held_[node][number];
      if (of_memory.top) {
        const AllocationProblem::Products& whole = iterations_at(lattice_->all());
        for (int finished = 0; finished < finished_kinds; ++finished) {
          filled.whole_bits[finished] = problem.needed_bits(operand, of_memory.level, whole, finished != 0);
          if (filled.whole_bits[finished] > problem.nodes[node].capacity) return false;
        }
        return true;
      }
      for (int finished = 0; finished < finished_kinds; ++finished)
        filled.shares[finished].at.resize(lattice_->points());
      for (LoopLattice::Point point = 0; point < lattice_->points(); ++point) {
        const AllocationProblem::Products& held = iterations_at(point);
        for (int finished = 0; finished < finished_kinds; ++finished) {
          const double bits = problem.needed_bits(operand, of_memory.level, held, finished != 0);
          filled.shares[finished].at[point] = {bits, iterations_above[point] * bits};
        }
      }
      for (int finished = 0; finished < finished_kinds; ++finished) {
        Shares& shares = filled.shares[finished];
        shares.falling = is_falling(shares, operand, *lattice_, problem.nodes[node].capacity);
      }
    }
  }
  return false;
}

namespace {

/// True when no operand leaves a loop to the levels above that another takes here.
bool is_even(std::span<const MemoryShares> shares, const std::array<int, max_operands>& index) {
  for (std::size_t a = 0; a < shares.size(); ++a) {
    const int taken = shares[a].first + index[a];
    if (taken == 0) continue;
    for (std::size_t b = 0; b < shares.size(); ++b) {
      const int end_b = shares[b].held + shares[b].first + index[b];
      if (end_b < shares[a].held + taken) return false;
    }
  }
  return true;
}

/// True when all tied operands take loops up to the same one.
bool ends_together(std::span<const MemoryShares> shares, unsigned tied,
                   const std::array<int, max_operands>& index) {
  int end = -1;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if ((tied >> i & 1) == 0) continue;
    const int own = shares[i].held + shares[i].first + index[i];
    if (end >= 0 && own != end) return false;
    end = own;
  }
  return true;
}

}  // namespace

bool share_memory(std::span<const MemoryShares> shares, double capacity, MappingType type, unsigned tied,
                  std::array<int, max_operands>& further) {
  const std::size_t count = shares.size();
  further.fill(0);
  const bool independent = type == MappingType::uneven && tied == 0;  // where each operand ends
  // Where more loops of the operand that varies fastest leave less traffic, its largest share that fits
  // beside the others is its best.
  const MemoryShares& fastest = shares[count - 1];
  const bool only_largest = independent && fastest.falling;
  // Where every operand leaves least traffic with its largest share, all take it if there is room.
  double most = 0;
  bool all_largest = independent || count == 1;
  for (const MemoryShares& share : shares) {
    all_largest = all_largest && share.falling;
    most += share.bits[share.count - 1];
  }
  if (all_largest && most <= capacity) {
    for (std::size_t i = 0; i < count; ++i) further[i] = shares[i].first + shares[i].count - 1;
    return true;
  }
  std::array<int, max_operands> index{};
  const auto is_allowed = [&] {
    return (type != MappingType::even || is_even(shares, index)) &&
           (tied == 0 || ends_together(shares, tied, index));
  };
  double best = std::numeric_limits<double>::infinity();
  bool fits = false;
  for (;;) {
    double bits = 0;
    double traffic = 0;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      bits += shares[i].bits[index[i]];
      traffic += shares[i].traffic[index[i]];
    }
    int last = fastest.count - 1;
    while (last >= 0 && bits + fastest.bits[last] > capacity) --last;
    fits = fits || last >= 0;
    for (int share = only_largest ? std::max(last, 0) : 0; share <= last; ++share) {
      const double total = traffic + fastest.traffic[share];
      index[count - 1] = share;
      if (total > best || !(independent || is_allowed())) continue;
      // The last of equally good ways counts: it holds more loops of the first operands.
      best = total;
      for (std::size_t i = 0; i < count; ++i) further[i] = shares[i].first + index[i];
    }
    std::size_t digit = count - 1;
    while (digit > 0 && ++index[digit - 1] == shares[digit - 1].count) index[--digit] = 0;
    if (digit == 0) break;
  }
  return fits && (tied == 0 || best < std::numeric_limits<double>::infinity());
}

}  // namespace zz::core
