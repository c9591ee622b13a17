#include "core/fusion/outer_loops.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/diagnostics/diagnostics.hpp"
#include "core/fusion/weight_split.hpp"

namespace zz::core {
namespace {

std::string title(const Layer& layer) { return fmt::format("layer {} '{}'", layer.id, layer.name); }

void check_count(const Layer& layer, const HintLoop& hint) {
  if (hint.count && *hint.count < 1)
    throw InputError(fmt::format("{}: the hint loop '{}, {}' needs a count of at least 1, or 'all'",
                                 title(layer), hint.dimension, *hint.count));
}

std::int64_t largest_divisor_up_to(std::int64_t number, std::int64_t limit) {
  for (std::int64_t divisor = std::min(number, limit); divisor > 1; --divisor)
    if (number % divisor == 0) return divisor;
  return 1;
}

/// Into how many pieces a loop of `size` iterations is cut that a hint wants in `count` pieces, when these
/// cannot be equal without enlarging it.
std::int64_t pieces_with_content(std::int64_t size, std::int64_t count) {
  const std::int64_t piece = (size + count - 1) / count;
  return (size + piece - 1) / piece;
}

std::int64_t next_multiple(std::int64_t size, std::int64_t of) { return (size + of - 1) / of * of; }

std::vector<OuterLoop> from_outer_hints(Layer& layer, const std::vector<HintLoop>& hints,
                                        bool stream_compat, std::vector<std::string>& warnings) {
  std::vector<OuterLoop> loops;
  std::vector<std::int64_t> cut(layer.loops.size(), 1);
  for (const HintLoop& hint : hints) {
    check_count(layer, hint);
    const int loop = layer.loop_index(hint.dimension);
    if (loop < 0) continue;
    LoopDimension& dimension = layer.loops[loop];
    const std::int64_t left = dimension.size / cut[loop];
    std::int64_t count = std::min(hint.count.value_or(left), left);
    if (left % count != 0 && cut[loop] > 1) {
      count = largest_divisor_up_to(left, count);
    } else if (left % count != 0) {
      if (!stream_compat) count = pieces_with_content(left, count);
      const std::int64_t enlarged = next_multiple(left, count);
      if (enlarged != left)
        warnings.push_back(
            fmt::format("{}: loop {} of {} iterations is taken as {}, so that the {} pieces are equal",
                        title(layer), dimension.name, left, enlarged, count));
      dimension.size = enlarged;
    }
    cut[loop] *= count;
    loops.push_back({loop, count});
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

std::vector<OuterLoop> from_inner_hints(const Layer& layer, const std::vector<HintLoop>& hints) {
  std::vector<std::int64_t> inner(layer.loops.size(), 1);
  for (const HintLoop& hint : hints) {
    check_count(layer, hint);
    const int loop = layer.loop_index(hint.dimension);
    if (loop < 0) continue;
    const std::int64_t size = layer.loops[loop].size;
    if (!hint.count || size < *hint.count) {
      inner[loop] = size;
    } else {
      inner[loop] =
          size % *hint.count == 0 ? *hint.count : nearest_divisor(layer, layer.loops[loop], *hint.count);
    }
  }
  std::vector<OuterLoop> loops;
  for (std::size_t loop = 0; loop < layer.loops.size(); ++loop) {
    const std::int64_t count = layer.loops[loop].size / inner[loop];
    if (count > 1) loops.push_back({static_cast<int>(loop), count});
  }
  return loops;
}

const std::vector<HintLoop>& hints_of(const Layer& layer, const SplitOptions& options) {
  for (const LayerHints& entry : options.layer_hints)
    if (std::find(entry.layers.begin(), entry.layers.end(), layer.id) != entry.layers.end())
      return entry.loops;
  throw InputError(
      fmt::format("{}: mode 3 needs hint loops for each layer, but no entry names this one", title(layer)));
}

}  // namespace

std::vector<OuterLoop> outer_loops(Layer& layer, const MultiCoreAccelerator& accelerator,
                                   const SplitOptions& options, std::vector<std::string>& warnings) {
  if (layer.loops.empty()) throw InputError(title(layer) + " has no loops");
  std::vector<OuterLoop> loops;
  switch (options.mode) {
    case 1:
      loops = from_outer_hints(layer, options.loops, options.stream_compat, warnings);
      break;
    case 2:
      loops = from_inner_hints(layer, options.loops);
      break;
    case 3:
      loops = from_outer_hints(layer, hints_of(layer, options), options.stream_compat, warnings);
      break;
    case 4: {
      std::vector<HintLoop> hints = options.loops;
      const std::int64_t factor = weight_split_factor(layer, accelerator, options);
      if (factor > 1) hints.push_back({"K", factor});
      loops = from_outer_hints(layer, hints, options.stream_compat, warnings);
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
