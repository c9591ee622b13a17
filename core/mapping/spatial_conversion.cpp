#include "core/mapping/spatial_conversion.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/diagnostics/diagnostics.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/mapping/set_order.hpp"

namespace zz::core {
namespace {

struct ConvertedArrayUnrolling {
  std::string array_dimension;
  std::vector<UnrolledLoop> loops;
};

/// Converts the factors of all array dimensions. Of the array dimensions that unroll a loop, the first with
/// the largest factor takes up the remainder: it is occupied `size / rounds` on average.
class Converter {
 public:
  Converter(const Layer& layer, const Accelerator& accelerator, bool zigzag_compat,
            std::vector<std::string>& warnings)
      : layer_(layer), zigzag_compat_(zigzag_compat) {
    for (const ArrayUnrolling& given : layer.mapping.spatial_mapping.dimensions) {
      const ArrayDimension* array = accelerator.array.find(given.array_dimension);
      if (array == nullptr) {
        throw InputError(
            fmt::format("layer '{}': the spatial mapping unrolls on '{}', which accelerator '{}' does not "
                        "have",
                        layer.name, given.array_dimension, accelerator.name));
      }
      ArrayUnrolling entry{given.array_dimension, {}};
      for (SpatialLoop loop : given.loops) {
        if (layer.loop_index(loop.dimension) < 0) continue;
        if (loop.factor > array->size) {
          warnings.push_back(fmt::format("layer '{}': unrolling of {} on {} is lowered from {} to {}",
                                         layer.name, loop.dimension, array->name, loop.factor,
                                         array->size));
          loop.factor = array->size;
        }
        if (loop.factor < 1 || loop.factor > layer.loop_size(loop.dimension)) {
          throw InputError(fmt::format(
              "layer '{}': {} has {} iterations and cannot be unrolled {} times on {}", layer.name,
              loop.dimension, layer.loop_size(loop.dimension), loop.factor, array->name));
        }
        entry.loops.push_back(loop);
      }
      if (!entry.loops.empty()) given_.push_back(std::move(entry));
    }
    if (!zigzag_compat) check_totals();
  }

  std::vector<ConvertedArrayUnrolling> convert(bool integral) const {
    std::vector<ConvertedArrayUnrolling> converted;
    for (std::size_t position = 0; position < given_.size(); ++position) {
      ConvertedArrayUnrolling entry{given_[position].array_dimension, {}};
      for (const SpatialLoop& loop : given_[position].loops) {
        const auto factor = static_cast<double>(loop.factor);
        const bool adjusts = adjusting_position(loop.dimension) == position;
        entry.loops.push_back(
            {loop.dimension, adjusts ? adjusted(loop, position, converted, integral) : factor});
        if (entry.loops.back().factor < 1 && integral) unrolled_too_often(loop.dimension);
      }
      converted.push_back(std::move(entry));
    }
    return converted;
  }

 private:
  void check_totals() const {
    for (const LoopDimension& loop : layer_.loops) {
      std::int64_t total = 1;
      for (const ArrayUnrolling& entry : given_) {
        for (const SpatialLoop& unrolled : entry.loops)
          if (unrolled.dimension == loop.name) total *= unrolled.factor;
      }
      if (total > loop.size) unrolled_too_often(loop.name);
    }
  }

  [[noreturn]] void unrolled_too_often(const std::string& dimension) const {
    std::string factors;
    for (const ArrayUnrolling& entry : given_) {
      for (const SpatialLoop& loop : entry.loops) {
        if (loop.dimension != dimension) continue;
        factors += fmt::format("{}{} times on {}", factors.empty() ? "" : " and ", loop.factor,
                               entry.array_dimension);
      }
    }
    throw InputError(fmt::format("layer '{}': {} has {} iterations and cannot be unrolled {}", layer_.name,
                                 dimension, layer_.loop_size(dimension), factors));
  }

  std::size_t adjusting_position(const std::string& dimension) const {
    std::size_t best = 0;
    std::int64_t largest = 0;
    for (std::size_t position = 0; position < given_.size(); ++position) {
      for (const SpatialLoop& loop : given_[position].loops) {
        if (loop.dimension != dimension || loop.factor <= largest) continue;
        largest = loop.factor;
        best = position;
      }
    }
    return best;
  }

  double adjusted(const SpatialLoop& loop, std::size_t position,
                  const std::vector<ConvertedArrayUnrolling>& earlier, bool integral) const {
    double elsewhere = 1;
    for (const ConvertedArrayUnrolling& entry : earlier) {
      for (const UnrolledLoop& other : entry.loops) {
        if (other.dimension == loop.dimension) elsewhere *= other.factor;
      }
    }
    // ZigZag leaves later array dimensions out, so that the unrolling may cover more than the loop.
    for (std::size_t later = position + 1; !zigzag_compat_ && later < given_.size(); ++later) {
      for (const SpatialLoop& other : given_[later].loops) {
        if (other.dimension == loop.dimension) elsewhere *= static_cast<double>(other.factor);
      }
    }
    const auto size = static_cast<double>(layer_.loop_size(loop.dimension));
    const double rounds = std::ceil(size / (static_cast<double>(loop.factor) * elsewhere));
    const double factor = size / rounds / elsewhere;
    return integral ? std::trunc(factor) : factor;
  }

  const Layer& layer_;
  bool zigzag_compat_;
  std::vector<ArrayUnrolling> given_;
};

void append_merged(std::vector<UnrolledLoop>& level, const std::vector<UnrolledLoop>& loops) {
  for (const UnrolledLoop& loop : loops) {
    const auto present = std::find_if(level.begin(), level.end(), [&](const UnrolledLoop& other) {
      return other.dimension == loop.dimension;
    });
    if (present == level.end()) {
      level.push_back(loop);
    } else {
      present->factor *= loop.factor;
    }
  }
}

/// Which array dimensions each operand is unrolled along between two of its memories: for each operand and
/// level, positions in the list of unrolled ones, in the order in which a memory's served dimensions are
/// walked. The last level is above the topmost memory.
using ServedPositions = std::vector<std::vector<std::vector<std::size_t>>>;

ServedPositions served_positions(const Layer& layer, const Accelerator& accelerator,
                                 const MemoryHierarchy& hierarchy,
                                 const std::vector<ConvertedArrayUnrolling>& unrolled) {
  std::vector<std::vector<std::size_t>> of_memory;
  for (const Memory& memory : accelerator.memories) {
    std::vector<std::size_t>& positions = of_memory.emplace_back();
    for (const std::string& array : set_order(memory.served_dimensions, NameClass::array_dimension)) {
      for (std::size_t i = 0; i < unrolled.size(); ++i) {
        if (unrolled[i].array_dimension == array) positions.push_back(i);
      }
    }
  }
  ServedPositions served;
  for (std::size_t operand = 0; operand < layer.operands.size(); ++operand) {
    const std::string& memory_operand = layer.memory_operand(static_cast<int>(operand));
    const int held = hierarchy.operand_index(memory_operand);
    if (held < 0) {
      throw InputError(fmt::format(
          "layer '{}': operand {} is linked to memory operand '{}', which no memory of '{}' holds",
          layer.name, layer.operands[operand].name, memory_operand, accelerator.name));
    }
    std::vector<std::vector<std::size_t>>& levels = served.emplace_back();
    std::vector<bool> consumed(unrolled.size(), false);
    const auto consume = [&](std::vector<std::size_t>& level, std::size_t position) {
      if (!consumed[position]) level.push_back(position);
      consumed[position] = true;
    };
    for (const int memory : hierarchy.levels[held]) {
      std::vector<std::size_t>& level = levels.emplace_back();
      for (const std::size_t position : of_memory[memory]) consume(level, position);
    }
    std::vector<std::size_t>& above = levels.emplace_back();
    for (std::size_t position = 0; position < unrolled.size(); ++position) consume(above, position);
  }
  return served;
}

SpatialMapping per_operand(const Layer& layer, const ServedPositions& served,
                           const std::vector<ConvertedArrayUnrolling>& unrolled) {
  SpatialMapping mapping;
  for (std::size_t operand = 0; operand < layer.operands.size(); ++operand) {
    OperandSpatialMapping entry{layer.operands[operand].name, {}};
    for (const std::vector<std::size_t>& positions : served[operand]) {
      std::vector<UnrolledLoop>& level = entry.levels.emplace_back();
      for (const std::size_t position : positions) append_merged(level, unrolled[position].loops);
    }
    mapping.operands.push_back(std::move(entry));
  }
  return mapping;
}

}  // namespace

ConvertedSpatialMapping convert_spatial_mapping(const Layer& layer, const Accelerator& accelerator,
                                                bool zigzag_compat) {
  ConvertedSpatialMapping result;
  const Converter converter(layer, accelerator, zigzag_compat, result.warnings);
  const auto shared_hierarchy = hierarchy_of(accelerator);
  const std::vector<ConvertedArrayUnrolling> fractional = converter.convert(false);
  const ServedPositions served = served_positions(layer, accelerator, *shared_hierarchy, fractional);
  result.fractional = per_operand(layer, served, fractional);
  result.integral = per_operand(layer, served, converter.convert(true));
  return result;
}

}  // namespace zz::core
