#include "core/search/spatial/spatial_limits.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/compat/python_set_order.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {
namespace {

int array_index(const Accelerator& accelerator, const std::string& name) {
  const auto& dimensions = accelerator.array.dimensions;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

SpatialLimits::SpatialLimits(const Layer& layer, const Accelerator& accelerator, const Rules& rules)
    : layer_(layer),
      accelerator_(accelerator),
      unrollings_looked_up_by_factor_(rules.unrollings_looked_up_by_factor) {
  for (const ArrayDimension& dimension : accelerator.array.dimensions) {
    std::vector<std::int64_t> row;
    row.reserve(layer.loops.size());
    for (const LoopDimension& loop : layer.loops) row.push_back(std::min(loop.size, dimension.size));
    maximum_.push_back(std::move(row));
  }
  const MemoryHierarchy& hierarchy = accelerator.hierarchy();
  for (const int memory_index : hierarchy.inner_memories) {
    const Memory& memory = accelerator.memories[memory_index];
    std::vector<int> served;
    for (const std::string& name : python_set_order(memory.served_dimensions, NameClass::array_dimension)) {
      served.push_back(array_index(accelerator, name));
    }
    for (const std::string& memory_operand : memory.operands) {
      const int operand = layer.operand_assigned_to(memory_operand);
      if (operand < 0) continue;
      const std::int64_t precision = layer.operands[operand].precision;
      const double words = precision > 0 ? static_cast<double>(memory.size) / static_cast<double>(precision)
                                         : std::numeric_limits<double>::infinity();
      inner_.push_back({served, operand, words});

      const Direction towards_units = operand == 0 ? Direction::write_from_low : Direction::read_to_low;
      const int port = hierarchy.port_of[memory_index][hierarchy.operand_index(memory_operand)]
                                        [static_cast<int>(towards_units)];
      if (port < 0 || precision == 0) continue;
      const std::int64_t words_per_cycle = memory.ports[port].bandwidth_max / precision;
      const std::vector<Relevancy> relevancy = relevancies(layer, operand);
      for (const int array : served) {
        for (std::size_t loop = 0; loop < layer.loops.size(); ++loop) {
          if (relevancy[loop] == Relevancy::irrelevant) continue;
          maximum_[array][loop] = std::min(maximum_[array][loop], words_per_cycle);
        }
      }
    }
  }
}

UnrolledByArray SpatialLimits::by_array(const SpatialUnrolling& unrolling) const {
  UnrolledByArray unrolled(accelerator_.array.dimensions.size());
  for (const ArrayUnrolling& entry : unrolling.dimensions) {
    const int array = array_index(accelerator_, entry.array_dimension);
    for (const SpatialLoop& loop : entry.loops) {
      const int index = layer_.loop_index(loop.dimension);
      if (array >= 0 && index >= 0) unrolled[array].push_back({index, loop.factor});
    }
  }
  return unrolled;
}

bool SpatialLimits::takes_words(const InnerOperand& inner, int loop) const {
  return layer_.relevancy(inner.operand, loop) != Relevancy::irrelevant;
}

bool SpatialLimits::admit(const UnrolledByArray& unrolled, const InnerOperand& inner) const {
  std::int64_t words = 1;
  for (const int array : inner.served) {
    for (const UnrolledIndex& loop : unrolled[array])
      if (takes_words(inner, loop.loop)) words *= loop.factor;
  }
  // One word may be wider than the memory; the allocator will say so.
  return words == 1 || static_cast<double>(words) <= inner.words;
}

bool SpatialLimits::admit(const UnrolledByArray& unrolled) const {
  return std::all_of(inner_.begin(), inner_.end(),
                     [&](const InnerOperand& inner) { return admit(unrolled, inner); });
}

void SpatialLimits::fit_capacity(SpatialUnrolling& unrolling) const {
  for (const InnerOperand& inner : inner_) {
    if (!admit(by_array(unrolling), inner)) fit_capacity(unrolling, inner);
  }
}

void SpatialLimits::fit_capacity(SpatialUnrolling& unrolling, const InnerOperand& inner) const {
  std::vector<ArrayUnrolling*> served;
  for (const int array : inner.served) {
    for (ArrayUnrolling& entry : unrolling.dimensions) {
      if (entry.array_dimension == accelerator_.array.dimensions[array].name) served.push_back(&entry);
    }
  }
  std::vector<std::string> dimensions;
  for (const ArrayUnrolling* entry : served) {
    for (const SpatialLoop& loop : entry->loops) {
      const int index = layer_.loop_index(loop.dimension);
      if (index >= 0 && takes_words(inner, index)) dimensions.push_back(loop.dimension);
    }
  }
  std::vector<SpatialLoop*> loops;
  for (const std::string& dimension : python_set_order(dimensions, NameClass::layer_dimension)) {
    for (ArrayUnrolling* entry : served) {
      for (SpatialLoop& loop : entry->loops) {
        if (loop.dimension == dimension) loops.push_back(&loop);
      }
    }
  }
  std::vector<std::int64_t> lowered;
  for (const SpatialLoop* loop : loops) lowered.push_back(loop->factor);
  const auto product = [&] {
    return std::accumulate(lowered.begin(), lowered.end(), std::int64_t{1}, std::multiplies<>());
  };
  while (static_cast<double>(product()) > inner.words) {
    const auto largest = std::max_element(lowered.begin(), lowered.end());
    if (largest == lowered.end() || *largest <= 1) break;
    --*largest;
  }
  std::vector<std::int64_t> before;
  for (const SpatialLoop* loop : loops) before.push_back(loop->factor);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    std::size_t source = i;
    // ZigZag looks the new factor up by the old one, so that of equal factors the last result holds for
    // all.
    for (std::size_t j = 0; unrollings_looked_up_by_factor_ && j < loops.size(); ++j) {
      if (before[j] == before[i]) source = j;
    }
    loops[i]->factor = lowered[source];
  }
}

}  // namespace zz::core
