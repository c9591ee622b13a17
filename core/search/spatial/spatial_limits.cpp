#include "core/search/spatial/spatial_limits.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/compat/python_set_order.hpp"
#include "core/hardware/layer_sparsity.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/workload/layer.hpp"
#include "core/workload/tile_bits.hpp"

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

SpatialLimits::SpatialLimits(const Layer& layer, const Accelerator& accelerator)
    : layer_(layer), accelerator_(accelerator) {
  for (const ArrayDimension& dimension : accelerator.array.dimensions) {
    std::vector<std::int64_t> row;
    row.reserve(layer.loops.size());
    for (const LoopDimension& loop : layer.loops) row.push_back(std::min(loop.size, dimension.size));
    limited_by_.emplace_back(row.size(), -1);
    maximum_.push_back(std::move(row));
  }
}

SpatialLimits::SpatialLimits(const Layer& layer, const Accelerator& accelerator, const Rules& rules)
    : SpatialLimits(layer, accelerator) {
  unrollings_looked_up_by_factor_ = rules.unrollings_looked_up_by_factor;
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
      // Where something is beside the data, at least so many bits: the allocator knows what a tile takes.
      const HeldBits held = held_bits_of(layer, operand, accelerator, {memory_index});
      const double precision = held.at(0, false).least();
      const double words = precision > 0 ? static_cast<double>(memory.size) / precision
                                         : std::numeric_limits<double>::infinity();
      const Direction towards_units = operand == 0 ? Direction::write_from_low : Direction::read_to_low;
      const int port = hierarchy.port_of[memory_index][hierarchy.operand_index(memory_operand)]
                                        [static_cast<int>(towards_units)];
      const std::int64_t bandwidth = port < 0 ? 0 : memory.ports[port].bandwidth_max;
      inner_.push_back({served, operand, words, memory_index, bandwidth});
      if (port < 0 || precision == 0) continue;
      const auto words_per_cycle = static_cast<std::int64_t>(static_cast<double>(bandwidth) / precision);
      const std::vector<Relevancy> relevancy = relevancies(layer, operand);
      for (const int array : served) {
        for (std::size_t loop = 0; loop < layer.loops.size(); ++loop) {
          if (relevancy[loop] == Relevancy::irrelevant || words_per_cycle >= maximum_[array][loop])
            continue;
          maximum_[array][loop] = words_per_cycle;
          limited_by_[array][loop] = static_cast<int>(inner_.size()) - 1;
        }
      }
    }
  }
}

UnrollingLimit SpatialLimits::limit_of(const InnerOperand& inner, std::int64_t bits,
                                       const char* unit) const {
  const LayerOperand& operand = layer_.operands[inner.operand];
  const double width = TileBits(layer_, inner.operand, false).least();
  const auto words = width > 0 ? static_cast<std::int64_t>(static_cast<double>(bits) / width) : 0;
  return {accelerator_.memories[inner.memory].name, operand.name,
          fmt::format("{} bits{} are {} element{} of {:g} bits", bits, unit, words, words == 1 ? "" : "s",
                      width)};
}

void SpatialLimits::tell_maximum(int array, int loop, const SpatialLoop& prescribed,
                                 UnrollingNotes& notes) const {
  const ArrayDimension& dimension = accelerator_.array.dimensions[array];
  const int inner = limited_by_[array][loop];
  if (inner >= 0)
    notes.memory_limits(dimension.name, prescribed, maximum(array, loop),
                        limit_of(inner_[inner], inner_[inner].bandwidth, " a cycle"));
  else if (layer_.loops[loop].size < dimension.size)
    notes.loop_is_shorter(dimension.name, prescribed);
  else
    notes.array_is_smaller(dimension, prescribed, maximum(array, loop));
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

void SpatialLimits::fit_capacity(SpatialUnrolling& unrolling, const SpatialUnrolling* prescribed,
                                 UnrollingNotes* notes) const {
  for (const InnerOperand& inner : inner_) {
    if (admit(by_array(unrolling), inner)) continue;
    const SpatialUnrolling before = unrolling;
    fit_capacity(unrolling, inner);
    for (std::size_t i = 0; notes != nullptr && i < before.dimensions.size(); ++i) {
      const ArrayUnrolling& entry = before.dimensions[i];
      if (prescribed->find(entry.array_dimension) == nullptr) continue;
      for (std::size_t j = 0; j < entry.loops.size(); ++j) {
        const std::int64_t to = unrolling.dimensions[i].loops[j].factor;
        if (to == entry.loops[j].factor) continue;
        const std::int64_t size = accelerator_.memories[inner.memory].size;
        notes->memory_limits(entry.array_dimension, entry.loops[j], to, limit_of(inner, size, ""));
      }
    }
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

bool size_limits_unrollings(const Layer& layer, const Accelerator& accelerator, int memory) {
  const Memory& inner = accelerator.memories[static_cast<std::size_t>(memory)];
  std::int64_t units = 1;
  for (const std::string& name : inner.served_dimensions)
    units *= accelerator.array.dimensions[static_cast<std::size_t>(array_index(accelerator, name))].size;
  return units > 1 &&
         std::any_of(inner.operands.begin(), inner.operands.end(), [&](const std::string& name) {
           const int operand = layer.operand_assigned_to(name);
           if (operand < 0) return false;
           const LayerOperand& tensor = layer.operands[static_cast<std::size_t>(operand)];
           return units * (tensor.precision + tensor.scale.bits) > inner.size;
         });
}

namespace {

std::int64_t product_of(const ArrayUnrolling& entry) {
  std::int64_t product = 1;
  for (const SpatialLoop& loop : entry.loops) product *= loop.factor;
  return product;
}

std::vector<std::string> dimensions_of(const std::vector<SpatialLoop>& loops) {
  std::vector<std::string> names;
  for (const SpatialLoop& loop : loops) names.push_back(loop.dimension);
  return names;
}

bool remove_loop(ArrayUnrolling& entry, const std::string& dimension) {
  return std::erase_if(entry.loops, [&](const SpatialLoop& loop) { return loop.dimension == dimension; }) >
         0;
}

/// Total factor of a loop on all array dimensions together.
std::int64_t total_of(const SpatialUnrolling& unrolling, const std::string& dimension) {
  std::int64_t total = 1;
  for (const ArrayUnrolling& entry : unrolling.dimensions) {
    for (const SpatialLoop& loop : entry.loops)
      if (loop.dimension == dimension) total *= loop.factor;
  }
  return total;
}

std::vector<std::string> array_dimensions(const Accelerator& accelerator) {
  std::vector<std::string> names;
  for (const ArrayDimension& dimension : accelerator.array.dimensions) names.push_back(dimension.name);
  return names;
}

int known_array_index(const Accelerator& accelerator, const std::string& name, const Layer& layer) {
  const std::vector<std::string> known = array_dimensions(accelerator);
  const auto found = std::find(known.begin(), known.end(), name);
  if (found != known.end()) return static_cast<int>(found - known.begin());
  throw InputError({{Severity::error, layer.mapping.places.mark("spatial_mapping." + name),
                     fmt::format("mapping of layer '{}': '{}' is no array dimension of accelerator '{}'",
                                 layer.name, name, accelerator.name),
                     suggestion(name, known)}});
}

}  // namespace

SpatialUnrolling reduce_prescription(const SpatialUnrolling& prescribed, const Layer& layer,
                                     const Accelerator& accelerator, const SpatialLimits& limits,
                                     std::vector<std::string>& warnings) {
  UnrollingNotes notes(layer, accelerator, warnings);
  SpatialUnrolling reduced = prescribed;
  for (ArrayUnrolling& entry : reduced.dimensions) {
    std::erase_if(entry.loops, [&](const SpatialLoop& loop) {
      if (layer.loop_index(loop.dimension) >= 0) return false;
      notes.loop_is_missing(entry.array_dimension, loop);
      return true;
    });
  }
  for (ArrayUnrolling& entry : reduced.dimensions) {
    const int array = known_array_index(accelerator, entry.array_dimension, layer);
    for (SpatialLoop& loop : entry.loops) {
      const int index = layer.loop_index(loop.dimension);
      const std::int64_t maximum = limits.maximum(array, index);
      if (loop.factor <= maximum) continue;
      limits.tell_maximum(array, index, loop, notes);
      loop.factor = maximum;
    }
    while (product_of(entry) > accelerator.array.dimensions[array].size) {
      const std::string victim =
          python_set_order(dimensions_of(entry.loops), NameClass::layer_dimension).front();
      notes.array_is_full(accelerator.array.dimensions[array], entry.loops, victim);
      remove_loop(entry, victim);
    }
  }
  const auto fits = [&](const SpatialLoop& loop) {
    return total_of(reduced, loop.dimension) <= layer.loop_size(loop.dimension);
  };
  if (std::all_of(reduced.dimensions.begin(), reduced.dimensions.end(), [&](const ArrayUnrolling& entry) {
        return std::all_of(entry.loops.begin(), entry.loops.end(), fits);
      }))
    return reduced;
  std::vector<std::string> contained, prescribed_on;
  for (const ArrayUnrolling& entry : reduced.dimensions) {
    prescribed_on.push_back(entry.array_dimension);
    for (const SpatialLoop& loop : entry.loops) contained.push_back(loop.dimension);
  }
  const std::vector<std::string> arrays = python_set_order(prescribed_on, NameClass::array_dimension);
  for (const std::string& dimension : python_set_order(contained, NameClass::layer_dimension)) {
    while (total_of(reduced, dimension) > layer.loop_size(dimension)) {
      // where elements of a set go depends on the order in which they come, here that of the set of all
      std::vector<std::string> holders;
      for (const std::string& array : arrays) {
        for (const ArrayUnrolling& entry : reduced.dimensions) {
          for (const SpatialLoop& loop : entry.loops) {
            if (entry.array_dimension == array && loop.dimension == dimension) holders.push_back(array);
          }
        }
      }
      const std::string victim = python_set_order(holders, NameClass::array_dimension).front();
      const std::int64_t total = total_of(reduced, dimension);
      for (ArrayUnrolling& entry : reduced.dimensions) {
        if (entry.array_dimension != victim) continue;
        for (const SpatialLoop& loop : entry.loops)
          if (loop.dimension == dimension) notes.loop_is_used_up(victim, loop, total);
        remove_loop(entry, dimension);
      }
    }
  }
  return reduced;
}

std::vector<std::string> hints_without_loops(const Layer& layer) {
  std::vector<std::string> sentences;
  for (const UnrollingHint& hint : layer.mapping.spatial_hints)
    if (std::none_of(hint.dimensions.begin(), hint.dimensions.end(),
                     [&](const std::string& name) { return layer.loop_index(name) >= 0; }))
      sentences.push_back(
          fmt::format("layer '{}': no dimension of the hint for {} is a loop of the layer; the hint is "
                      "not used",
                      layer.name, hint.array_dimension));
  return sentences;
}

void check_array_dimensions(const Layer& layer, const Accelerator& accelerator) {
  for (const ArrayUnrolling& along : layer.mapping.spatial_mapping.dimensions)
    known_array_index(accelerator, along.array_dimension, layer);
}

std::vector<std::string> hints_of_no_dimension(const Layer& layer, const Accelerator& accelerator) {
  const std::vector<std::string> known = array_dimensions(accelerator);
  std::vector<std::string> sentences;
  for (const UnrollingHint& hint : layer.mapping.spatial_hints)
    if (std::find(known.begin(), known.end(), hint.array_dimension) == known.end())
      sentences.push_back(
          fmt::format("the hint for {} of mapping entry '{}' is for no dimension of the array of '{}'; {}",
                      hint.array_dimension, layer.mapping.name, accelerator.name,
                      suggestion(hint.array_dimension, known)));
  return sentences;
}

}  // namespace zz::core
