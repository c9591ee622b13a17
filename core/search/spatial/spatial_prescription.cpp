#include "core/search/spatial/spatial_prescription.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/compat/python_set_order.hpp"

namespace zz::core {
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

/// How often a loop is unrolled on all array dimensions together.
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

int array_index(const Accelerator& accelerator, const std::string& name, const Layer& layer) {
  const std::vector<std::string> known = array_dimensions(accelerator);
  const auto found = std::find(known.begin(), known.end(), name);
  if (found != known.end()) return static_cast<int>(found - known.begin());
  throw InputError(fmt::format("mapping of layer '{}': '{}' is no array dimension of accelerator '{}'; {}",
                               layer.name, name, accelerator.name, suggestion(name, known)));
}

}  // namespace

SpatialUnrolling reduce_prescription(const SpatialUnrolling& prescribed, const Layer& layer,
                                     const Accelerator& accelerator, const SpatialLimits& limits,
                                     std::vector<std::string>& warnings) {
  SpatialUnrolling reduced = prescribed;
  for (ArrayUnrolling& entry : reduced.dimensions) {
    std::erase_if(entry.loops, [&](const SpatialLoop& loop) {
      if (layer.loop_index(loop.dimension) >= 0) return false;
      warnings.push_back(fmt::format("layer '{}' has no loop {}: its unrolling on {} is left out",
                                     layer.name, loop.dimension, entry.array_dimension));
      return true;
    });
  }
  for (ArrayUnrolling& entry : reduced.dimensions) {
    const int array = array_index(accelerator, entry.array_dimension, layer);
    for (SpatialLoop& loop : entry.loops) {
      const std::int64_t maximum = limits.maximum(array, layer.loop_index(loop.dimension));
      if (loop.factor <= maximum) continue;
      warnings.push_back(fmt::format("layer '{}': unrolling of {} on {} is lowered from {} to {}",
                                     layer.name, loop.dimension, entry.array_dimension, loop.factor,
                                     maximum));
      loop.factor = maximum;
    }
    while (product_of(entry) > accelerator.array.dimensions[array].size) {
      const std::string victim =
          python_set_order(dimensions_of(entry.loops), NameClass::layer_dimension).front();
      remove_loop(entry, victim);
      warnings.push_back(fmt::format("layer '{}': {} is over-subscribed, {} is not unrolled on it",
                                     layer.name, entry.array_dimension, victim));
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
      for (ArrayUnrolling& entry : reduced.dimensions) {
        if (entry.array_dimension == victim) remove_loop(entry, dimension);
      }
      warnings.push_back(
          fmt::format("layer '{}': {} is unrolled more often than it has iterations, not on {} any more",
                      layer.name, dimension, victim));
    }
  }
  return reduced;
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
