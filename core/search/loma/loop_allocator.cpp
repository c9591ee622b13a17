#include "core/search/loma/loop_allocator.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace zz::core {

LoopAllocator::LoopAllocator(const Layer& layer, const Accelerator& accelerator,
                             const SpatialMapping& spatial_mapping, MappingType type)
    : type_(type),
      problem_(std::make_shared<const AllocationProblem>(layer, accelerator, spatial_mapping)) {}

void LoopAllocator::expect(std::shared_ptr<const LoopLattice> lattice) {
  tables_ = lattice ? AllocationTables::make(*problem_, std::move(lattice)) : nullptr;
}

/// Bits of one element in the memory that `progress` has come to: a finished output may be shorter.
double LoopAllocator::element_bits(const AllocationProblem::Operand& operand, const Progress& progress,
                                   const CompactMapping& mapping) const {
  if (!operand.output || operand.irrelevant_above[progress.level + 1]) return operand.precision;
  for (int loop = progress.allocated; loop < mapping.loops; ++loop) {
    if (operand.irrelevant[mapping.dimension[loop]]) return operand.precision;
  }
  return operand.final_precision;
}

bool LoopAllocator::fill_slices(const AllocationProblem::Node& node, std::size_t which,
                                const CompactMapping& mapping) {
  const AllocationProblem::Place& place = node.places[which];
  const AllocationProblem::Operand& operand = problem_->operands[place.operand];
  const Progress& progress = progress_[place.operand];
  Slices& slices = slices_[which];
  slices.held = progress.allocated;
  if (place.top) return fill_top(node, which, mapping);
  const double precision = element_bits(operand, progress, mapping);
  std::array<double, max_temporal_loops + 1> remaining;  // iterations of this loop and all outer ones
  remaining[mapping.loops] = 1;
  for (int loop = mapping.loops; loop-- > progress.allocated;)
    remaining[loop] = remaining[loop + 1] * static_cast<double>(mapping.size[loop]);
  AllocationProblem::Products products;
  std::copy_n(progress.products.begin(), problem_->dimensions, products.begin());
  double bits = problem_->tensor_elements(operand, products) * precision;
  slices.first = 0;
  slices.count = 0;
  slices.falling = true;
  for (int loop = progress.allocated; bits <= node.capacity; ++loop) {
    const double traffic = remaining[loop] * bits;
    if (slices.count > 0 && traffic > slices.traffic[slices.count - 1]) slices.falling = false;
    slices.bits[slices.count] = bits;
    slices.traffic[slices.count] = traffic;
    ++slices.count;
    if (loop == mapping.loops) break;
    const int dimension = mapping.dimension[loop];
    products[dimension] *= static_cast<double>(mapping.size[loop]);
    if (operand.sizes[dimension]) bits = problem_->tensor_elements(operand, products) * precision;
  }
  if (slices.count == 0) failure_.operand = place.operand;
  return slices.count > 0;
}

/// Nothing lies above: the memory holds as much as fits, and no traffic follows.
bool LoopAllocator::fill_top(const AllocationProblem::Node& node, std::size_t which,
                             const CompactMapping& mapping) {
  const AllocationProblem::Place& place = node.places[which];
  const AllocationProblem::Operand& operand = problem_->operands[place.operand];
  const Progress& progress = progress_[place.operand];
  Slices& slices = slices_[which];
  const double precision = element_bits(operand, progress, mapping);
  AllocationProblem::Products products;
  std::copy_n(progress.products.begin(), problem_->dimensions, products.begin());
  const auto multiply = [&](int loop) {
    products[mapping.dimension[loop]] *= static_cast<double>(mapping.size[loop]);
  };
  slices.count = 1;
  slices.falling = true;
  slices.traffic[0] = 0;
  // Mostly everything fits. More loops never need less room, so that one look tells.
  for (int loop = progress.allocated; loop < mapping.loops; ++loop) multiply(loop);
  slices.bits[0] = problem_->tensor_elements(operand, products) * precision;
  slices.first = mapping.loops - progress.allocated;
  if (slices.bits[0] <= node.capacity) return true;

  std::copy_n(progress.products.begin(), problem_->dimensions, products.begin());
  slices.first = -1;
  for (int loop = progress.allocated; loop < mapping.loops; ++loop) {
    const double bits = problem_->tensor_elements(operand, products) * precision;
    if (bits > node.capacity) break;
    slices.bits[0] = bits;
    ++slices.first;
    multiply(loop);
  }
  if (slices.first < 0) failure_.operand = place.operand;
  return slices.first >= 0;
}

bool LoopAllocator::visit(const AllocationProblem::Node& node, CompactMapping& mapping) {
  failure_.memory = node.memory;
  for (std::size_t i = 0; i < node.places.size(); ++i) {
    if (!fill_slices(node, i, mapping)) return false;
  }
  std::array<int, max_operands> further;
  if (!choose_slices({slices_.data(), node.places.size()}, node.capacity, type_, further)) {
    failure_.operand = -1;
    return false;
  }
  for (std::size_t i = 0; i < node.places.size(); ++i) {
    const AllocationProblem::Place& place = node.places[i];
    Progress& progress = progress_[place.operand];
    for (int loop = 0; loop < further[i]; ++loop, ++progress.allocated) {
      progress.products[mapping.dimension[progress.allocated]] *=
          static_cast<double>(mapping.size[progress.allocated]);
    }
    mapping.allocated[place.operand][place.level] = static_cast<std::uint8_t>(progress.allocated);
    ++progress.level;
    for (const UnrolledFactor& loop : problem_->operands[place.operand].spatial[progress.level]) {
      progress.products[loop.dimension] *= loop.factor;
    }
    if (place.top && progress.allocated < mapping.loops) {
      failure_.operand = place.operand;
      return false;
    }
  }
  return true;
}

void LoopAllocator::merge_down(CompactMapping& mapping) const {
  for (std::size_t operand = 0; operand < problem_->operands.size(); ++operand) {
    const int count = levels(static_cast<int>(operand));
    auto& cuts = mapping.stationary[operand];
    std::copy_n(mapping.allocated[operand].begin(), count, cuts.begin());
    for (bool changed = true; changed;) {
      changed = false;
      for (int level = 1; level < count; ++level) {
        // Runs are those of the lists before this pass: the list above starts at its old lower cut.
        int run_end = cuts[level - 1];
        while (run_end < cuts[level] && problem_->operands[operand].irrelevant[mapping.dimension[run_end]])
          ++run_end;
        if (run_end > cuts[level - 1]) {
          cuts[level - 1] = static_cast<std::uint8_t>(run_end);
          changed = true;
        }
      }
    }
  }
}

bool LoopAllocator::allocate(CompactMapping& mapping) {
  if (tables_)
    return allocate_by_tables(*tables_, LoopPath(tables_->kinds(), mapping), type_, mapping, failure_);
  for (std::size_t operand = 0; operand < problem_->operands.size(); ++operand) {
    Progress& progress = progress_[operand];
    progress.level = 0;
    progress.allocated = 0;
    std::fill_n(progress.products.begin(), problem_->dimensions, 1.0);
    for (const UnrolledFactor& loop : problem_->operands[operand].spatial[0])
      progress.products[loop.dimension] *= loop.factor;
  }
  for (const AllocationProblem::Node& node : problem_->nodes) {
    if (!visit(node, mapping)) return false;
  }
  merge_down(mapping);
  return true;
}

std::string allocation_failure(const Layer& layer, const Accelerator& accelerator,
                               const AllocationFailure& failure) {
  if (failure.memory < 0) return "";
  const Memory& small = accelerator.memories[failure.memory];
  const std::string whose = failure.operand < 0 ? "the operands that share it"
                                                : "operand " + layer.operands[failure.operand].name;
  return fmt::format("memory '{}' ({} bits) is too small for {}", small.name, small.size, whose);
}

}  // namespace zz::core
