#include "core/fusion/weight_split.hpp"

#include <cmath>
#include <fmt/format.h>

#include "core/diagnostics/diagnostics.hpp"
#include "core/fusion/tiled_layer.hpp"

namespace zz::core {
namespace {

constexpr const char* weight_memory = "I2";

int weight_of(const Layer& layer, bool stream_compat) {
  const std::vector<int> constants = constants_in_source_order(layer);
  if (constants.empty()) return -1;
  if (!stream_compat) {
    for (const int operand : constants)
      if (layer.memory_operand(operand) == weight_memory) return operand;
  }
  return constants.front();
}

/// Bits of the smallest top memory for weights among the candidates; 0 when none has one.
std::int64_t smallest_capacity(const Layer& layer, const MultiCoreAccelerator& accelerator) {
  std::int64_t smallest = 0;
  for (const std::int64_t core : layer.mapping.core_allocation) {
    if (core < 0 || core >= accelerator.core_count()) continue;
    const int memory = accelerator.top(static_cast<int>(core), weight_memory);
    if (memory < 0) continue;
    const std::int64_t size = accelerator.top_memories[memory].size;
    if (smallest == 0 || size < smallest) smallest = size;
  }
  return smallest;
}

}  // namespace

std::int64_t weight_split_factor(const Layer& layer, const MultiCoreAccelerator& accelerator,
                                 const SplitOptions& options) {
  return layer.mapping.core_allocation.size() == 1 ? 1 : weight_slices(layer, accelerator, options);
}

std::int64_t weight_slices(const Layer& layer, const MultiCoreAccelerator& accelerator,
                           const SplitOptions& options) {
  const int weight = weight_of(layer, options.stream_compat);
  if (weight < 0) return 1;
  const std::int64_t bits = layer.operand_bits(weight);
  const std::int64_t capacity = smallest_capacity(layer, accelerator);
  if (bits == 0 || capacity == 0) return 1;
  const double share = options.weight_share * static_cast<double>(capacity);
  auto factor = static_cast<std::int64_t>(std::ceil(static_cast<double>(bits) / share));
  if (factor <= 1) return 1;

  const std::string what = fmt::format(
      "layer {} '{}': its {} bits of {} must be cut into at least {} slices of K to fill {} of "
      "a weight memory of {} bits",
      layer.id, layer.name, bits, layer.operands[weight].name, factor, options.weight_share, capacity);
  if (layer.loop_index("K") < 0) throw InputError(what + ", but it has no loop K");
  const std::int64_t size = layer.loop_size("K");
  if (factor > size) throw InputError(fmt::format("{}, but K has {} iterations", what, size));
  while (size % factor != 0) ++factor;
  return factor;
}

}  // namespace zz::core
