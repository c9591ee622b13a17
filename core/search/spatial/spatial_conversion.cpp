#include "core/search/spatial/spatial_conversion.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/compat/python_set_order.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/search/spatial/unrolling_notes.hpp"
#include "core/search/spatial/unrolling_options.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {
namespace {

/// One loop unrolled along one array dimension.
struct Unrolled {
  std::size_t position;  ///< of the array dimension, among those along which something is unrolled
  const std::string* dimension;
  std::int64_t size;   ///< iterations of the loop
  std::int64_t given;  ///< the prescribed factor, no larger than the array
  double factor = 1;   ///< its value after the conversion
};

/// Converts the factors of all array dimensions. One of those that unroll a loop takes up its remainder.
class Converter {
 public:
  /// `layer` and `accelerator` must outlive this object.
  Converter(const Layer& layer, const Accelerator& accelerator, bool unrolling_beyond_loop,
            std::vector<std::string>& warnings)
      : layer_(layer), unrolling_beyond_loop_(unrolling_beyond_loop) {
    UnrollingNotes notes(layer, accelerator, warnings);
    for (const ArrayUnrolling& given : layer.mapping.spatial_mapping.dimensions) {
      const ArrayDimension* array = accelerator.array.find(given.array_dimension);
      if (array == nullptr) {
        throw InputError(
            fmt::format("layer '{}': the spatial mapping unrolls on '{}', which accelerator '{}' does not "
                        "have",
                        layer.name, given.array_dimension, accelerator.name));
      }
      const std::size_t position = arrays_.size();
      for (const SpatialLoop& loop : given.loops) {
        const int index = layer.loop_index(loop.dimension);
        if (index < 0) {
          notes.loop_is_missing(array->name, loop);
          continue;
        }
        std::int64_t factor = loop.factor;
        if (factor > array->size) {
          notes.array_is_smaller(*array, loop, array->size);
          factor = array->size;
        }
        const std::int64_t size = layer.loops[index].size;
        if (factor < 1 || factor > size) {
          throw InputError(
              fmt::format("layer '{}': {} has {} iterations and cannot be unrolled {} times on {}",
                          layer.name, loop.dimension, size, factor, array->name));
        }
        if (position == arrays_.size()) arrays_.push_back(&given.array_dimension);
        loops_.push_back({position, &loop.dimension, size, factor});
      }
    }
    if (!unrolling_beyond_loop) check_totals();
  }

  /// Names of the array dimensions, by position.
  const std::vector<const std::string*>& arrays() const { return arrays_; }
  const std::vector<Unrolled>& loops() const { return loops_; }

  void convert(bool integral) {
    for (Unrolled& loop : loops_) {
      loop.factor = adjusted(loop, integral);
      if (loop.factor < 1 && integral) unrolled_too_often(*loop.dimension);
    }
  }

 private:
  void check_totals() const {
    for (const LoopDimension& loop : layer_.loops) {
      std::int64_t total = 1;
      for (const Unrolled& unrolled : loops_)
        if (*unrolled.dimension == loop.name) total *= unrolled.given;
      if (total > loop.size) unrolled_too_often(loop.name);
    }
  }

  [[noreturn]] void unrolled_too_often(const std::string& dimension) const {
    std::string factors;
    for (const Unrolled& loop : loops_) {
      if (*loop.dimension != dimension) continue;
      factors += fmt::format("{}{} times on {}", factors.empty() ? "" : " and ", loop.given,
                             *arrays_[loop.position]);
    }
    throw InputError(fmt::format("layer '{}': {} has {} iterations and cannot be unrolled {}", layer_.name,
                                 dimension, layer_.loop_size(dimension), factors));
  }

  double adjusted(const Unrolled& loop, bool integral) const {
    std::vector<std::int64_t> factors(arrays_.size(), 0);
    for (const Unrolled& other : loops_)
      if (*other.dimension == *loop.dimension) factors[other.position] = other.given;
    const LoopRounds rounds = rounds_of(loop.size, factors, unrolling_beyond_loop_);
    if (rounds.adjusting != loop.position) return static_cast<double>(loop.given);
    return integral ? std::trunc(rounds.factor) : rounds.factor;
  }

  const Layer& layer_;
  bool unrolling_beyond_loop_;
  std::vector<const std::string*> arrays_;
  std::vector<Unrolled> loops_;  ///< by position, then as prescribed
};

/// Which array dimensions each operand is unrolled along between two of its memories: for each operand and
/// level, positions in the list of unrolled ones, in the order in which a memory's served dimensions are
/// walked. The last level is above the topmost memory.
using ServedPositions = std::vector<std::vector<std::vector<std::size_t>>>;

ServedPositions served_positions(const Layer& layer, const Accelerator& accelerator,
                                 const std::vector<const std::string*>& arrays) {
  const MemoryHierarchy& hierarchy = accelerator.hierarchy();
  std::vector<std::vector<std::size_t>> of_memory(accelerator.memories.size());
  for (std::size_t memory = 0; memory < of_memory.size(); ++memory) {
    for (const std::string& array :
         python_set_order(accelerator.memories[memory].served_dimensions, NameClass::array_dimension)) {
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (*arrays[i] == array) of_memory[memory].push_back(i);
      }
    }
  }
  ServedPositions served(layer.operands.size());
  for (std::size_t operand = 0; operand < layer.operands.size(); ++operand) {
    const std::string& memory_operand = layer.memory_operand(static_cast<int>(operand));
    const int held = hierarchy.operand_index(memory_operand);
    if (held < 0) {
      throw InputError(fmt::format(
          "layer '{}': operand {} is assigned to memory operand '{}', which no memory of '{}' holds",
          layer.name, layer.operands[operand].name, memory_operand, accelerator.name));
    }
    const std::vector<int>& memories = hierarchy.levels[held];
    std::vector<std::vector<std::size_t>>& levels = served[operand];
    levels.resize(memories.size() + 1);
    std::vector<bool> consumed(arrays.size(), false);
    const auto consume = [&](std::vector<std::size_t>& level, std::size_t position) {
      if (!consumed[position]) level.push_back(position);
      consumed[position] = true;
    };
    for (std::size_t level = 0; level < memories.size(); ++level) {
      for (const std::size_t position : of_memory[memories[level]]) consume(levels[level], position);
    }
    for (std::size_t position = 0; position < arrays.size(); ++position) consume(levels.back(), position);
  }
  return served;
}

/// Adds what is unrolled along one array dimension.
void append_merged(std::vector<UnrolledLoop>& level, const std::vector<Unrolled>& loops,
                   std::size_t position) {
  for (const Unrolled& loop : loops) {
    if (loop.position != position) continue;
    const auto present = std::find_if(level.begin(), level.end(), [&](const UnrolledLoop& other) {
      return other.dimension == *loop.dimension;
    });
    if (present == level.end()) {
      level.push_back({*loop.dimension, loop.factor});
    } else {
      present->factor *= loop.factor;
    }
  }
}

SpatialMapping per_operand(const Layer& layer, const ServedPositions& served,
                           const std::vector<Unrolled>& loops) {
  SpatialMapping mapping;
  mapping.operands.resize(layer.operands.size());
  for (std::size_t operand = 0; operand < layer.operands.size(); ++operand) {
    OperandSpatialMapping& entry = mapping.operands[operand];
    entry.operand = layer.operands[operand].name;
    entry.levels.resize(served[operand].size());
    for (std::size_t level = 0; level < entry.levels.size(); ++level) {
      for (const std::size_t position : served[operand][level])
        append_merged(entry.levels[level], loops, position);
    }
  }
  return mapping;
}

/// 3.5 units on average are 4 in one round.
SpatialMapping of_fullest_round(SpatialMapping mapping) {
  for (OperandSpatialMapping& operand : mapping.operands)
    for (std::vector<UnrolledLoop>& level : operand.levels)
      for (UnrolledLoop& loop : level) loop.factor = std::ceil(snapped(loop.factor));
  return mapping;
}

}  // namespace

ConvertedSpatialMapping convert_spatial_mapping(const Layer& layer, const Accelerator& accelerator,
                                                const Rules& rules) {
  ConvertedSpatialMapping result;
  Converter converter(layer, accelerator, rules.unrolling_beyond_loop, result.warnings);
  const ServedPositions served = served_positions(layer, accelerator, converter.arrays());
  converter.convert(false);
  result.fractional = per_operand(layer, served, converter.loops());
  converter.convert(true);
  result.integral = rules.data_in_whole_units ? per_operand(layer, served, converter.loops())
                                              : of_fullest_round(result.fractional);
  return result;
}

}  // namespace zz::core
