#include "core/mapping/loop_allocator.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "core/diagnostics/diagnostics.hpp"
#include "core/hardware/memory_hierarchy.hpp"

namespace zz::core {

LoopAllocator::LoopAllocator(const Layer& layer, const Accelerator& accelerator,
                             const SpatialMapping& spatial_mapping, MappingType type)
    : type_(type), dimensions_(static_cast<int>(layer.loops.size())) {
  if (dimensions_ > max_loop_dimensions || layer.operands.size() > max_operands) {
    throw InputError(
        fmt::format("layer '{}' has {} loop dimensions and {} operands; at most {} and {} can be mapped",
                    layer.name, dimensions_, layer.operands.size(), max_loop_dimensions, max_operands));
  }
  if (spatial_mapping.operands.size() != layer.operands.size()) {
    throw InputError(fmt::format("layer '{}': the spatial mapping is one of another layer", layer.name));
  }
  for (const DimensionRelation& relation : layer.relations) {
    relations_.push_back({{relation.stride, relation.dilation, relation.size, layer.exact_positions},
                          layer.loop_index(relation.output_loop),
                          layer.loop_index(relation.filter_loop)});
  }
  for (std::size_t index = 0; index < layer.operands.size(); ++index) {
    Operand operand;
    operand.output = index == 0;
    operand.has_relations = layer.has_relations(static_cast<int>(index));
    operand.precision = static_cast<double>(layer.operands[index].precision);
    operand.final_precision = static_cast<double>(layer.final_output_precision);
    for (const std::string& name : layer.operands[index].dimensions) {
      const int loop = layer.loop_index(name);
      if (loop >= 0 && layer.relevancy(static_cast<int>(index), loop) == Relevancy::relevant) {
        operand.relevant.push_back(loop);
      }
    }
    for (int loop = 0; loop < dimensions_; ++loop)
      operand.irrelevant[loop] = layer.relevancy(static_cast<int>(index), loop) == Relevancy::irrelevant;
    for (const int loop : operand.relevant) operand.sizes[loop] = true;
    for (const Relation& relation : relations_) {
      for (const int loop : {relation.output_loop, relation.filter_loop})
        if (operand.has_relations && loop >= 0) operand.sizes[loop] = true;
    }
    for (const auto& level : spatial_mapping.operands[index].levels) {
      std::vector<SpatialFactor> factors;
      for (const UnrolledLoop& loop : level) {
        const int dimension = layer.loop_index(loop.dimension);
        if (dimension < 0) {
          throw InputError(fmt::format("layer '{}' has no loop {}, which the spatial mapping unrolls",
                                       layer.name, loop.dimension));
        }
        factors.push_back({dimension, loop.factor});
      }
      operand.spatial.push_back(std::move(factors));
    }
    if (operand.spatial.size() > max_memory_levels) {
      throw InputError(fmt::format("layer '{}': operand {} has more than {} memory levels", layer.name,
                                   layer.operands[index].name, max_memory_levels - 1));
    }
    operand.irrelevant_above.assign(operand.spatial.size() + 1, false);
    for (std::size_t level = operand.spatial.size(); level-- > 0;) {
      const bool here =
          std::any_of(operand.spatial[level].begin(), operand.spatial[level].end(),
                      [&](const SpatialFactor& loop) { return operand.irrelevant[loop.dimension]; });
      operand.irrelevant_above[level] = here || operand.irrelevant_above[level + 1];
    }
    operands_.push_back(std::move(operand));
  }

  const auto shared_hierarchy = hierarchy_of(accelerator);
  const MemoryHierarchy& hierarchy = *shared_hierarchy;
  for (const int memory : hierarchy.topological_order) {
    Node node{memory, static_cast<double>(accelerator.memories[memory].size), {}, {}, false};
    for (const std::string& memory_operand : accelerator.memories[memory].operands) {
      const int operand = layer.operand_linked_to(memory_operand);
      if (operand < 0) continue;
      const auto& levels = hierarchy.levels[hierarchy.operand_index(memory_operand)];
      if (levels.size() + 1 != operands_[operand].spatial.size()) {
        throw InputError(fmt::format(
            "layer '{}': the spatial mapping has {} levels for operand {}, the accelerator {}", layer.name,
            operands_[operand].spatial.size(), layer.operands[operand].name, levels.size() + 1));
      }
      node.top[node.operands.size()] = levels.back() == memory;
      node.operands.push_back(operand);
    }
    if (!node.operands.empty()) nodes_.push_back(std::move(node));
  }
}

double LoopAllocator::tensor_elements(const Operand& operand, const Products& products) const {
  double elements = 1;
  for (const int loop : operand.relevant) elements *= products[loop];
  if (!operand.has_relations) return elements;
  for (const Relation& relation : relations_) {
    const auto count = [&](int loop) {
      return loop < 0 ? std::int64_t{1} : static_cast<std::int64_t>(products[loop]);
    };
    elements *= static_cast<double>(
        relation.positions.count(count(relation.output_loop), count(relation.filter_loop)));
  }
  return elements;
}

/// Bits of one element in the memory that `progress` has come to: a finished output may be shorter.
double LoopAllocator::element_bits(const Operand& operand, const Progress& progress,
                                   const CompactMapping& mapping) const {
  if (!operand.output || operand.irrelevant_above[progress.level + 1]) return operand.precision;
  for (int loop = progress.allocated; loop < mapping.loops; ++loop) {
    if (operand.irrelevant[mapping.dimension[loop]]) return operand.precision;
  }
  return operand.final_precision;
}

bool LoopAllocator::fill_slices(const Node& node, std::size_t which, const CompactMapping& mapping) {
  if (node.top[which]) return fill_top(node, which, mapping);
  const Operand& operand = operands_[node.operands[which]];
  const Progress& progress = progress_[node.operands[which]];
  Slices& slices = slices_[which];
  const double precision = element_bits(operand, progress, mapping);
  std::array<double, max_temporal_loops + 1> remaining;  // iterations of this loop and all outer ones
  remaining[mapping.loops] = 1;
  for (int loop = mapping.loops; loop-- > progress.allocated;)
    remaining[loop] = remaining[loop + 1] * static_cast<double>(mapping.size[loop]);
  Products products;
  std::copy_n(progress.products.begin(), dimensions_, products.begin());
  double bits = tensor_elements(operand, products) * precision;
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
    if (operand.sizes[dimension]) bits = tensor_elements(operand, products) * precision;
  }
  if (slices.count == 0) failed_operand_ = node.operands[which];
  return slices.count > 0;
}

/// Nothing lies above: the memory holds as much as fits, and no traffic follows.
bool LoopAllocator::fill_top(const Node& node, std::size_t which, const CompactMapping& mapping) {
  const Operand& operand = operands_[node.operands[which]];
  const Progress& progress = progress_[node.operands[which]];
  Slices& slices = slices_[which];
  const double precision = element_bits(operand, progress, mapping);
  Products products;
  std::copy_n(progress.products.begin(), dimensions_, products.begin());
  const auto multiply = [&](int loop) {
    products[mapping.dimension[loop]] *= static_cast<double>(mapping.size[loop]);
  };
  slices.count = 1;
  slices.falling = true;
  slices.traffic[0] = 0;
  // Mostly everything fits. More loops never need less room, so that one look tells.
  for (int loop = progress.allocated; loop < mapping.loops; ++loop) multiply(loop);
  slices.bits[0] = tensor_elements(operand, products) * precision;
  slices.first = mapping.loops - progress.allocated;
  if (slices.bits[0] <= node.capacity) return true;

  std::copy_n(progress.products.begin(), dimensions_, products.begin());
  slices.first = -1;
  for (int loop = progress.allocated; loop < mapping.loops; ++loop) {
    const double bits = tensor_elements(operand, products) * precision;
    if (bits > node.capacity) break;
    slices.bits[0] = bits;
    ++slices.first;
    multiply(loop);
  }
  if (slices.first < 0) failed_operand_ = node.operands[which];
  return slices.first >= 0;
}

bool LoopAllocator::admissible(const Node& node, const std::array<int, max_operands>& index) const {
  // A loop that one operand takes here must not be left to the levels above by another.
  for (std::size_t a = 0; a < node.operands.size(); ++a) {
    const int taken = slices_[a].first + index[a];
    if (taken == 0) continue;
    for (std::size_t b = 0; b < node.operands.size(); ++b) {
      const int end_b = progress_[node.operands[b]].allocated + slices_[b].first + index[b];
      if (end_b < progress_[node.operands[a]].allocated + taken) return false;
    }
  }
  return true;
}

bool LoopAllocator::choose(const Node& node) {
  const std::size_t count = node.operands.size();
  chosen_.fill(0);
  // Where traffic falls with what the operand that varies fastest takes, its best slice is the largest that
  // fits beside the others.
  const Slices& fastest = slices_[count - 1];
  const bool only_largest = type_ == MappingType::uneven && fastest.falling;
  std::array<int, max_operands> index{};
  double best = std::numeric_limits<double>::infinity();
  bool fits = false;
  for (;;) {
    double bits = 0;
    double traffic = 0;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      bits += slices_[i].bits[index[i]];
      traffic += slices_[i].traffic[index[i]];
    }
    int last = fastest.count - 1;
    while (last >= 0 && bits + fastest.bits[last] > node.capacity) --last;
    fits = fits || last >= 0;
    for (int slice = only_largest ? std::max(last, 0) : 0; slice <= last; ++slice) {
      const double total = traffic + fastest.traffic[slice];
      index[count - 1] = slice;
      if (total > best || (type_ == MappingType::even && !admissible(node, index))) continue;
      // Of equally good ways the last one counts: it holds more loops of the first operands.
      best = total;
      for (std::size_t i = 0; i < count; ++i) chosen_[i] = slices_[i].first + index[i];
    }
    std::size_t digit = count - 1;
    while (digit > 0 && ++index[digit - 1] == slices_[digit - 1].count) index[--digit] = 0;
    if (digit == 0) break;
  }
  if (!fits) failed_operand_ = -1;
  return fits;
}

bool LoopAllocator::visit(const Node& node, CompactMapping& mapping) {
  failed_memory_ = node.memory;
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    if (!fill_slices(node, i, mapping)) return false;
  }
  if (!choose(node)) return false;
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    const int operand = node.operands[i];
    Progress& progress = progress_[operand];
    for (int loop = 0; loop < chosen_[i]; ++loop, ++progress.allocated) {
      progress.products[mapping.dimension[progress.allocated]] *=
          static_cast<double>(mapping.size[progress.allocated]);
    }
    mapping.allocated[operand][progress.level] = static_cast<std::uint8_t>(progress.allocated);
    ++progress.level;
    for (const SpatialFactor& loop : operands_[operand].spatial[progress.level]) {
      progress.products[loop.dimension] *= loop.factor;
    }
    if (node.top[i] && progress.allocated < mapping.loops) {
      failed_operand_ = operand;
      return false;
    }
  }
  return true;
}

void LoopAllocator::merge_down(CompactMapping& mapping) const {
  for (std::size_t operand = 0; operand < operands_.size(); ++operand) {
    const int count = levels(static_cast<int>(operand));
    auto& cuts = mapping.stationary[operand];
    std::copy_n(mapping.allocated[operand].begin(), count, cuts.begin());
    for (bool changed = true; changed;) {
      changed = false;
      for (int level = 1; level < count; ++level) {
        // Runs are those of the lists before this pass: the list above starts at its old lower cut.
        int run_end = cuts[level - 1];
        while (run_end < cuts[level] && operands_[operand].irrelevant[mapping.dimension[run_end]])
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
  if (lattice_) return allocate_by_tables(mapping);
  for (std::size_t operand = 0; operand < operands_.size(); ++operand) {
    Progress& progress = progress_[operand];
    progress.level = 0;
    progress.allocated = 0;
    std::fill_n(progress.products.begin(), dimensions_, 1.0);
    for (const SpatialFactor& loop : operands_[operand].spatial[0])
      progress.products[loop.dimension] *= loop.factor;
  }
  for (const Node& node : nodes_) {
    if (!visit(node, mapping)) return false;
  }
  merge_down(mapping);
  return true;
}

std::string allocation_failure(const Layer& layer, const Accelerator& accelerator, int memory,
                               int operand) {
  if (memory < 0) return "";
  const Memory& small = accelerator.memories[memory];
  const std::string whose =
      operand < 0 ? "the operands that share it" : "operand " + layer.operands[operand].name;
  return fmt::format("memory '{}' ({} bits) is too small for {}", small.name, small.size, whose);
}

}  // namespace zz::core
