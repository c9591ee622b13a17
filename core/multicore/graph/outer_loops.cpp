#include "core/multicore/graph/outer_loops.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/multicore/graph/cut_layer.hpp"

namespace zz::core {
namespace {

std::string title(const Layer& layer) { return fmt::format("layer {} '{}'", layer.id, layer.name); }

void check_count(const Layer& layer, const CutLoop& hint) {
  if (hint.count && *hint.count < 1)
    throw InputError(fmt::format("{}: the hint loop '{}, {}' needs a count of at least 1, or 'all'",
                                 title(layer), hint.dimension, *hint.count));
}

std::int64_t largest_divisor_up_to(std::int64_t number, std::int64_t limit) {
  for (std::int64_t divisor = std::min(number, limit); divisor > 1; --divisor)
    if (number % divisor == 0) return divisor;
  return 1;
}

std::int64_t rounded_up(std::int64_t size, std::int64_t count) { return (size + count - 1) / count; }

/// Whether each of so many pieces has iterations, when all but the last one are as large as the largest.
bool all_have_iterations(std::int64_t size, std::int64_t pieces) {
  return (pieces - 1) * rounded_up(size, pieces) < size;
}

/// As many as the hint asks for, or as few less as it takes to leave no piece without iterations.
std::vector<NodeLoop> from_outer_hints(const Layer& layer, const std::vector<CutLoop>& hints) {
  std::vector<NodeLoop> loops;
  std::vector<std::int64_t> pieces(layer.loops.size(), 1);
  for (const CutLoop& hint : hints) {
    check_count(layer, hint);
    const int loop = layer.loop_index(hint.dimension);
    if (loop < 0 || !layer.may_be_cut(loop)) continue;
    const std::int64_t size = layer.loops[loop].size;
    const std::int64_t left = rounded_up(size, pieces[loop]);
    std::int64_t count = std::min(hint.count.value_or(left), left);
    while (!all_have_iterations(size, pieces[loop] * count)) --count;
    pieces[loop] *= count;
    loops.push_back({loop, count, hint.spread});
  }
  return loops;
}

/// Stream's: a loop that is not divided is enlarged.
std::vector<NodeLoop> with_equal_pieces(Layer& layer, const std::vector<CutLoop>& hints,
                                        std::vector<std::string>& warnings) {
  std::vector<NodeLoop> loops;
  std::vector<std::int64_t> cut(layer.loops.size(), 1);
  for (const CutLoop& hint : hints) {
    check_count(layer, hint);
    const int loop = layer.loop_index(hint.dimension);
    if (loop < 0 || !layer.may_be_cut(loop)) continue;
    LoopDimension& dimension = layer.loops[loop];
    const std::int64_t left = dimension.size / cut[loop];
    std::int64_t count = std::min(hint.count.value_or(left), left);
    if (left % count != 0 && cut[loop] > 1) {
      count = largest_divisor_up_to(left, count);
    } else if (left % count != 0) {
      const std::int64_t enlarged = rounded_up(left, count) * count;
      warnings.push_back(
          fmt::format("{}: loop {} of {} iterations is taken as {}, so that the {} pieces are equal",
                      title(layer), dimension.name, left, enlarged, count));
      dimension.size = enlarged;
    }
    cut[loop] *= count;
    loops.push_back({loop, count, hint.spread});
  }
  return loops;
}

/// The divisor of `size` that is nearest to `wanted` and not absurdly far from it.
std::int64_t nearest_divisor(const Layer& layer, const LoopDimension& loop, std::int64_t wanted) {
  const std::int64_t least = std::max<std::int64_t>(2, wanted / 50);
  const std::int64_t most = std::min(loop.size, 50 * wanted);
  std::int64_t nearest = 0;
  for (std::int64_t divisor = least; divisor <= most; ++divisor) {
    if (loop.size % divisor != 0) continue;
    if (nearest == 0 || std::abs(divisor - wanted) < std::abs(nearest - wanted)) nearest = divisor;
  }
  if (nearest == 0)
    throw InputError(fmt::format(
        "{}: no inner loop of {} near the {} iterations that the hint asks for divides its size {}",
        title(layer), loop.name, wanted, loop.size));
  return nearest;
}

std::vector<NodeLoop> outside_of_hints(const Layer& layer, const std::vector<CutLoop>& hints,
                                       const Rules& rules) {
  std::vector<std::int64_t> inner(layer.loops.size(), 1);
  for (const CutLoop& hint : hints) {
    check_count(layer, hint);
    const int loop = layer.loop_index(hint.dimension);
    if (loop < 0) continue;
    const std::int64_t size = layer.loops[loop].size;
    inner[loop] = std::min(hint.count.value_or(size), size);
    if (rules.padding_is_data && size % inner[loop] != 0)
      inner[loop] = nearest_divisor(layer, layer.loops[loop], inner[loop]);
  }
  std::vector<NodeLoop> loops;
  for (std::size_t loop = 0; loop < layer.loops.size(); ++loop) {
    const std::int64_t count = rounded_up(layer.loops[loop].size, inner[loop]);
    if (count > 1 && layer.may_be_cut(static_cast<int>(loop)))
      loops.push_back({static_cast<int>(loop), count});
  }
  return loops;
}

const std::vector<CutLoop>& cut_entries_of(const Layer& layer, const SplitOptions& options) {
  for (const CutEntry& entry : options.cut_entries)
    if (std::find(entry.layers.begin(), entry.layers.end(), layer.id) != entry.layers.end())
      return entry.loops;
  throw InputError(
      fmt::format("{}: mode 3 needs hint loops for each layer, but no entry names this one", title(layer)));
}

constexpr const char* weight_memory = "I2";

int weight_of(const Layer& layer, const Rules& rules) {
  const std::vector<int> constants = constants_in_source_order(layer);
  if (constants.empty()) return -1;
  if (!rules.first_constant_decides) {
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

std::int64_t weight_slices(const Layer& layer, const MultiCoreAccelerator& accelerator,
                           const SplitOptions& options) {
  const int weight = weight_of(layer, options.rules);
  if (weight < 0) return 1;
  const std::int64_t bits = layer.operand_bits(weight, options.rules);
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

std::vector<NodeLoop> outer_loops(Layer& layer, const MultiCoreAccelerator& accelerator,
                                  const SplitOptions& options, std::vector<std::string>& warnings) {
  if (layer.loops.empty()) throw InputError(title(layer) + " has no loops");
  std::vector<NodeLoop> loops;
  const auto from_hints = [&](const std::vector<CutLoop>& hints) {
    loops = options.rules.padding_is_data ? with_equal_pieces(layer, hints, warnings)
                                          : from_outer_hints(layer, hints);
  };
  switch (options.mode) {
    case 1:
      from_hints(options.loops);
      break;
    case 2:
      loops = outside_of_hints(layer, options.loops, options.rules);
      break;
    case split_by_layer:
      from_hints(cut_entries_of(layer, options));
      break;
    case 4: {
      std::vector<CutLoop> hints = options.loops;
      const std::int64_t factor =
          layer.mapping.core_allocation.size() == 1 ? 1 : weight_slices(layer, accelerator, options);
      if (factor > 1) hints.push_back({"K", factor});
      from_hints(hints);
      break;
    }
    default:
      throw InputError(
          fmt::format("the mode of splitting (cn_define_mode) is {}, expected 1 to 4", options.mode));
  }
  if (loops.empty()) loops.push_back({0, 1});
  return loops;
}

}  // namespace zz::core
