#include "core/search/temporal/loop_allocator.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"

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
  double bits = problem_->needed_bits(operand, products, finished);
  for (int loop = progress.allocated; bits <= capacity; ++loop) {
    const double traffic = remaining[loop] * bits;
    if (shares.count > 0 && traffic > shares.traffic[shares.count - 1]) shares.falling = false;
    shares.bits[shares.count] = bits;
    shares.traffic[shares.count++] = traffic;
    if (loop == mapping.loops) break;
    const int dimension = mapping.dimension[loop];
    products[dimension] *= static_cast<double>(mapping.size[loop]);
    if (operand.sizes[dimension]) bits = problem_->needed_bits(operand, products, finished);
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
    const double bits = problem_->needed_bits(operand, products, finished);
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
  if (!share_memory({shares_.data(), node.held.size()}, node.capacity, type_, further)) {
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
    progress.products[loop.dimension] *= loop.factor;
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
  if (operand.precision <= small.size) return fmt::format("{} operand {}", too_small, operand.name);
  return fmt::format("{} an element of operand {}, which has {} bits (set by operand_precision)", too_small,
                     operand.name, operand.precision);
}

TemporalMapping allocate_loop_order(const Layer& layer, const Accelerator& accelerator,
                                    const SpatialMapping& spatial_mapping,
                                    const std::vector<TemporalLoop>& order, MappingType type,
                                    const Rules& rules) {
  LoopAllocator allocator(layer, accelerator, spatial_mapping, type, rules);
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
  if (!allocator.allocate(row)) {
    throw NoResult(fmt::format("layer '{}': the loop order does not fit into the memories of '{}'; {}",
                               layer.name, accelerator.name,
                               allocation_failure(layer, accelerator, allocator.failure())));
  }
  CompactMappings batch;
  for (const LoopDimension& loop : layer.loops) batch.dimensions.push_back(loop.name);
  for (std::size_t operand = 0; operand < layer.operands.size(); ++operand) {
    batch.operands.push_back(layer.operands[operand].name);
    batch.levels.push_back(allocator.levels(static_cast<int>(operand)));
  }
  batch.type = type;
  batch.rows.push_back(row);
  return batch.mapping(0);
}

}  // namespace zz::core
