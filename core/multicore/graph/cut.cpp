#include "core/multicore/graph/cut.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "core/base/diagnostics.hpp"
#include "core/base/factors.hpp"
#include "core/multicore/graph/samples.hpp"
#include "core/workload/tile_bits.hpp"

namespace zz::core {
namespace {

std::string title(const Layer& layer) { return fmt::format("layer {} '{}'", layer.id, layer.name); }

void check_count(const Layer& layer, const CutLoop& cut_loop) {
  if (cut_loop.count && *cut_loop.count < 1)
    throw InputError(fmt::format("{}: the hint loop '{}, {}' needs a count of at least 1, or 'all'",
                                 title(layer), cut_loop.dimension, *cut_loop.count));
}

/// `limit` is 1 or more.
std::int64_t largest_divisor_up_to(std::int64_t number, std::int64_t limit) {
  const std::vector<std::int64_t> divisors = divisors_of(number);
  return *(std::upper_bound(divisors.begin(), divisors.end(), limit) - 1);
}

/// So many pieces, or as few less as it takes that each has iterations when all but the last one are as
/// large as the largest. A multiple of `step`.
std::int64_t pieces_with_iterations(std::int64_t size, std::int64_t pieces, std::int64_t step) {
  for (;;) {
    const std::int64_t needed = rounded_up(size, rounded_up(size, pieces));  // of that size
    if (needed == pieces) return pieces;
    pieces = std::max(step, needed / step * step);
    if (pieces == step) return step;
  }
}

/// Pieces in lockstep run one on each of several cores, and read the same constants.
void check_lockstep(const Layer& layer, const CutLoop& cut_loop, const Cut& cut, const Rules& rules) {
  const auto refuse = [&](const std::string& why, const std::string& hint) {
    throw InputError(std::vector<Diagnostic>{
        {Severity::error,
         {},
         fmt::format("{}: the hint loop '{}, {}, lockstep' {}", title(layer), cut_loop.dimension,
                     cut_loop.count ? fmt::format("{}", *cut_loop.count) : "all", why),
         hint}});
  };
  if (gives_original_figures(rules))
    refuse("is no loop of ZigZag's or Stream's: 'compat' knows no groups in lockstep",
           "leave out 'compat', or the word 'lockstep'");
  if (std::count_if(cut.begin(), cut.end(), [](const CutLoop& other) { return other.lockstep; }) > 1)
    refuse("is one of several in lockstep", "let one loop of a layer run in lockstep");
  const int loop = layer.loop_index(cut_loop.dimension);
  const std::vector<int> constants = constants_in_source_order(layer);
  if (constants.empty())
    refuse("has no constant that its pieces could share", "write 'spread', or nothing");
  if (is_irrelevant(layer, 0, loop))
    refuse("has pieces that add up to the same outputs, which run on one core",
           "name a loop of the outputs");
  std::vector<std::string> others;
  for (const LoopDimension& other : layer.loops)
    if (const int index = layer.loop_index(other.name);
        other.size > 1 && !is_irrelevant(layer, 0, index) && is_irrelevant(layer, constants.back(), index))
      others.push_back(other.name);
  if (!is_irrelevant(layer, constants.back(), loop))
    refuse(fmt::format("has pieces that read different {}", layer.operands[constants.back()].name),
           others.empty() ? "no loop of this layer has pieces that read the same"
                          : fmt::format("pieces along {} read the same", fmt::join(others, ", ")));
  const std::int64_t size = layer.loops[loop].size, count = cut_loop.count.value_or(size);
  if (count > size)
    refuse(fmt::format("asks for {} cores, but there are {} pieces", count, size),
           fmt::format("expected at most {}", size));
  if (const auto cores = static_cast<std::int64_t>(layer.mapping.core_allocation.size()); count > cores)
    refuse(fmt::format("has {} pieces, one for each core, but the layer may run on {}", count, cores),
           fmt::format("expected at most {}; the loop may be cut once more", cores));
}

/// As many as the cut asks for, or as few less as it takes to leave no piece without iterations.
std::vector<NodeLoop> with_smaller_last_piece(const Layer& layer, const Cut& cut, const Rules& rules) {
  std::vector<NodeLoop> loops;
  std::vector<std::int64_t> pieces(layer.loops.size(), 1);
  for (const CutLoop& cut_loop : cut) {
    check_count(layer, cut_loop);
    const int loop = layer.loop_index(cut_loop.dimension);
    if (loop < 0 || !layer.may_be_cut(loop)) continue;
    if (cut_loop.lockstep) check_lockstep(layer, cut_loop, cut, rules);
    const std::int64_t size = layer.loops[loop].size;
    const std::int64_t left = rounded_up(size, pieces[loop]);
    const std::int64_t wanted = std::min(cut_loop.count.value_or(left), left);
    const std::int64_t count =
        pieces_with_iterations(size, pieces[loop] * wanted, pieces[loop]) / pieces[loop];
    pieces[loop] *= count;
    loops.push_back({loop, count, cut_loop.spread || cut_loop.lockstep, cut_loop.lockstep});
  }
  return loops;
}

/// Stream's: a loop that is not divided is enlarged.
std::vector<NodeLoop> with_equal_pieces(Layer& layer, const Cut& cut, const Rules& rules,
                                        std::vector<std::string>& warnings) {
  std::vector<NodeLoop> loops;
  std::vector<std::int64_t> pieces(layer.loops.size(), 1);
  for (const CutLoop& cut_loop : cut) {
    check_count(layer, cut_loop);
    const int loop = layer.loop_index(cut_loop.dimension);
    if (loop < 0 || !layer.may_be_cut(loop)) continue;
    if (cut_loop.lockstep) check_lockstep(layer, cut_loop, cut, rules);
    LoopDimension& dimension = layer.loops[loop];
    const std::int64_t left = dimension.size / pieces[loop];
    std::int64_t count = std::min(cut_loop.count.value_or(left), left);
    if (left % count != 0 && pieces[loop] > 1) {
      count = largest_divisor_up_to(left, count);
    } else if (left % count != 0) {
      const std::int64_t enlarged = rounded_up(left, count) * count;
      warnings.push_back(
          fmt::format("{}: loop {} of {} iterations is taken as {}, so that the {} pieces are equal",
                      title(layer), dimension.name, left, enlarged, count));
      dimension.size = enlarged;
    }
    pieces[loop] *= count;
    loops.push_back({loop, count, cut_loop.spread});
  }
  return loops;
}

/// The divisor of `size` that is nearest to `wanted` and not absurdly far from it.
std::int64_t nearest_divisor(const Layer& layer, const LoopDimension& loop, std::int64_t wanted) {
  const std::int64_t least = std::max<std::int64_t>(2, wanted / 50);
  const std::int64_t most = std::min(loop.size, 50 * wanted);
  std::int64_t nearest = 0;
  for (const std::int64_t divisor : divisors_of(loop.size)) {
    if (divisor < least || divisor > most) continue;
    if (nearest == 0 || std::abs(divisor - wanted) < std::abs(nearest - wanted)) nearest = divisor;
  }
  if (nearest == 0)
    throw InputError(fmt::format(
        "{}: no inner loop of {} near the {} iterations that the hint asks for divides its size {}",
        title(layer), loop.name, wanted, loop.size));
  return nearest;
}

std::vector<NodeLoop> outside_of(const Layer& layer, const Cut& cut, const Rules& rules) {
  std::vector<std::int64_t> inner(layer.loops.size(), 1);
  for (const CutLoop& cut_loop : cut) {
    check_count(layer, cut_loop);
    const int loop = layer.loop_index(cut_loop.dimension);
    if (loop < 0) continue;
    if (cut_loop.lockstep)
      throw InputError(
          fmt::format("{}: the hint loop '{}' in lockstep names an inner loop, which "
                      "cn_define_mode 2 asks for; expected mode 1, 3 or 4",
                      title(layer), cut_loop.dimension));
    const std::int64_t size = layer.loops[loop].size;
    inner[loop] = std::min(cut_loop.count.value_or(size), size);
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

}  // namespace

const Cut& cut_of(const Layer& layer, const SplitOptions& options) {
  for (const CutEntry& entry : options.cut_entries)
    if (std::find(entry.layers.begin(), entry.layers.end(), layer.id) != entry.layers.end())
      return entry.loops;
  throw InputError(
      fmt::format("{}: mode 3 needs hint loops for each layer, but no entry names this one", title(layer)));
}

namespace {

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

std::int64_t weight_pieces(const Layer& layer, const MultiCoreAccelerator& accelerator,
                           const SplitOptions& options) {
  const int weight = weight_of(layer, options.rules);
  if (weight < 0) return 1;
  const std::int64_t bits = layer.operand_bits(weight, options.rules);
  const std::int64_t capacity = smallest_capacity(layer, accelerator);
  if (bits == 0 || capacity == 0) return 1;
  const double share = options.weight_share * static_cast<double>(capacity);
  const auto factor = static_cast<std::int64_t>(std::ceil(static_cast<double>(bits) / share));
  if (factor <= 1) return 1;

  const std::string what = fmt::format(
      "layer {} '{}': its {} bits of {} must be cut into at least {} pieces along K to fill {} of "
      "a weight memory of {} bits",
      layer.id, layer.name, bits, layer.operands[weight].name, factor, options.weight_share, capacity);
  if (layer.loop_index("K") < 0) throw InputError(what + ", but it has no loop K");
  const std::int64_t size = layer.loop_size("K");
  if (factor > size) throw InputError(fmt::format("{}, but K has {} iterations", what, size));
  const std::vector<std::int64_t> divisors = divisors_of(size);
  return *std::lower_bound(divisors.begin(), divisors.end(), factor);
}

std::vector<NodeLoop> outer_loops(Layer& layer, const MultiCoreAccelerator& accelerator,
                                  const SplitOptions& options, std::vector<std::string>& warnings) {
  if (layer.loops.empty()) throw InputError(title(layer) + " has no loops");
  name_block_loops(layer);
  for (int operand = 0; operand < static_cast<int>(layer.operands.size()); ++operand)
    TileBits(layer, operand, operand == 0);  // its blocks can be counted
  std::vector<NodeLoop> loops;
  const auto use = [&](const Cut& cut) {
    loops = options.rules.padding_is_data ? with_equal_pieces(layer, cut, options.rules, warnings)
                                          : with_smaller_last_piece(layer, cut, options.rules);
  };
  switch (options.mode) {
    case 1:
      use(options.loops);
      break;
    case 2:
      loops = outside_of(layer, options.loops, options.rules);
      break;
    case split_by_layer:
      use(cut_of(layer, options));
      break;
    case 4: {
      Cut cut = options.loops;
      const std::int64_t factor =
          layer.mapping.core_allocation.size() == 1 ? 1 : weight_pieces(layer, accelerator, options);
      if (factor > 1) cut.push_back({"K", factor});
      use(cut);
      break;
    }
    default:
      throw InputError(
          fmt::format("the mode of splitting (cn_define_mode) is {}, expected 1 to 4", options.mode));
  }
  if (loops.empty()) loops.push_back({0, 1});
  return loops;
}

namespace {

std::int64_t pieces_of(const std::vector<NodeLoop>& outer_loops, int loop) {
  std::int64_t pieces = 1;
  for (const NodeLoop& outer : outer_loops)
    if (outer.loop == loop) pieces *= outer.count;
  return pieces;
}

/// Loops whose last piece is smaller, and how many iterations it has. A shape of nodes is a set of them:
/// those of which the node has the last piece, the first loop as the lowest bit.
struct UnevenLoop {
  int loop = 0;
  std::int64_t last = 0;
};

std::vector<UnevenLoop> uneven_loops(const CutLayer& cut_layer) {
  std::vector<UnevenLoop> uneven;
  for (int loop = 0; loop < static_cast<int>(cut_layer.layer->loops.size()); ++loop) {
    const std::int64_t last =
        last_piece(cut_layer.layer->loops[loop].size, pieces_of(cut_layer.outer_loops, loop));
    if (last != cut_layer.piece->loops[loop].size) uneven.push_back({loop, last});
  }
  return uneven;
}

std::vector<SmallerPiece> smaller_pieces(const CutLayer& cut_layer) {
  const std::vector<UnevenLoop> uneven = uneven_loops(cut_layer);
  std::vector<SmallerPiece> smaller;
  for (std::size_t shape = 1; shape < std::size_t{1} << uneven.size(); ++shape) {
    Layer piece = *cut_layer.piece;
    int nodes = cut_layer.node_count;
    for (std::size_t i = 0; i < uneven.size(); ++i) {
      const auto pieces = static_cast<int>(pieces_of(cut_layer.outer_loops, uneven[i].loop));
      const bool is_last = (shape >> i & 1u) != 0;
      nodes = nodes / pieces * (is_last ? 1 : pieces - 1);
      if (is_last) piece.loops[uneven[i].loop].size = uneven[i].last;
    }
    smaller.push_back({std::make_shared<const Layer>(std::move(piece)), nodes});
  }
  return smaller;
}

/// Iterations of the layer's loop that one iteration of each outer loop steps over; 0 for outer loops of
/// other loops.
std::vector<std::int64_t> strides(const CutLayer& cut_layer, int loop) {
  std::vector<std::int64_t> strides(cut_layer.outer_loops.size(), 0);
  std::int64_t stride = cut_layer.piece->loops[loop].size;
  for (std::size_t i = 0; i < cut_layer.outer_loops.size(); ++i) {
    if (cut_layer.outer_loops[i].loop != loop) continue;
    strides[i] = stride;
    stride *= cut_layer.outer_loops[i].count;
  }
  return strides;
}

Range range_of(const CutLayer& cut_layer, const PieceAxis& axis, int sub_id) {
  std::int64_t low = axis.low;
  std::int64_t nodes_per_step = 1;
  std::size_t mover = 0;
  for (std::size_t i = 0; i < cut_layer.outer_loops.size() && mover < axis.movers.size(); ++i) {
    const std::int64_t count = cut_layer.outer_loops[i].count;
    if (axis.movers[mover].outer_loop == static_cast<int>(i))
      low += sub_id / nodes_per_step % count * axis.movers[mover++].step;
    nodes_per_step *= count;
  }
  return {low, low + axis.width};
}

}  // namespace

/// Operands that lie off chip from the start, all of them or in part.
std::vector<int> constants_in_source_order(const Layer& layer) {
  const auto lies_off_chip = [&](int operand) {
    return layer.operands[operand].constant || layer.operands[operand].offchip_elements > 0;
  };
  std::vector<int> constants;
  for (const int operand : layer.source_order)
    if (lies_off_chip(operand)) constants.push_back(operand);
  for (int operand = 1; operand < static_cast<int>(layer.operands.size()); ++operand) {
    if (lies_off_chip(operand) && std::find(constants.begin(), constants.end(), operand) == constants.end())
      constants.push_back(operand);
  }
  return constants;
}

CutLayer cut_layer(Layer whole, std::vector<NodeLoop> loops, std::vector<std::int64_t> loop_sizes) {
  Layer largest = whole;
  for (int i = 0; i < static_cast<int>(whole.loops.size()); ++i) {
    const LoopDimension& loop = whole.loops[i];
    const std::int64_t pieces = pieces_of(loops, i), piece = rounded_up(loop.size, pieces);
    if ((pieces - 1) * piece >= loop.size)
      throw InputError(
          fmt::format("layer {} '{}': {} iterations of loop {} cannot be cut into {} pieces, so that each "
                      "has some and only the last one is smaller",
                      whole.id, whole.name, loop.size, loop.name, pieces));
    largest.loops[i].size = piece;
  }
  std::int64_t node_count = 1;
  for (const NodeLoop& outer : loops) {
    if (node_count > std::numeric_limits<int>::max() / outer.count)
      throw InputError(fmt::format("layer {} '{}' would be cut into more than {} computation nodes",
                                   whole.id, whole.name, std::numeric_limits<int>::max()));
    node_count *= outer.count;
  }
  CutLayer cut_layer;
  cut_layer.constants = constants_in_source_order(whole);
  cut_layer.layer = std::make_shared<const Layer>(std::move(whole));
  cut_layer.piece = std::make_shared<const Layer>(std::move(largest));
  cut_layer.outer_loops = std::move(loops);
  cut_layer.loop_sizes = std::move(loop_sizes);
  cut_layer.node_count = static_cast<int>(node_count);
  cut_layer.smaller_pieces = smaller_pieces(cut_layer);
  return cut_layer;
}

std::vector<std::shared_ptr<const Layer>> node_pieces(const CutLayer& cut_layer) {
  std::vector<std::shared_ptr<const Layer>> pieces{cut_layer.piece};
  for (const SmallerPiece& smaller : cut_layer.smaller_pieces) pieces.push_back(smaller.piece);
  if (cut_layer.samples > 1)
    for (auto& piece : pieces) piece = with_samples(*piece, cut_layer.samples);
  return pieces;
}

std::vector<int> node_shapes(const CutLayer& cut_layer) {
  std::vector<int> shapes(cut_layer.node_count, 0);
  int bit = 1;
  for (const UnevenLoop& uneven : uneven_loops(cut_layer)) {
    PieceCounters counters(cut_layer);
    for (int& shape : shapes) {
      bool is_last = true;
      for (std::size_t i = 0; i < cut_layer.outer_loops.size(); ++i)
        if (cut_layer.outer_loops[i].loop == uneven.loop)
          is_last = is_last && counters[static_cast<int>(i)] == cut_layer.outer_loops[i].count - 1;
      if (is_last) shape += bit;
      counters.advance();
    }
    bit *= 2;
  }
  return shapes;
}

PieceAxis axis_of_loop(const CutLayer& cut_layer, int loop) {
  PieceAxis axis;
  axis.width = cut_layer.piece->loops[loop].size;
  axis.extent = cut_layer.loop_sizes[loop];
  const std::vector<std::int64_t> steps = strides(cut_layer, loop);
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i] != 0) axis.movers.push_back({static_cast<int>(i), steps[i]});
  return axis;
}

PieceAxis axis_of_relation(const CutLayer& cut_layer, int index) {
  const Layer& layer = *cut_layer.layer;
  const DimensionRelation& relation = layer.relations[index];
  PieceAxis axis;
  axis.low = -relation.padding_low;
  axis.extent = relation.size;
  std::vector<std::int64_t> steps(cut_layer.outer_loops.size(), 0);
  const auto add = [&](const std::string& name, std::int64_t scale) {
    const int loop = layer.loop_index(name);
    if (loop < 0) return;
    axis.width += scale * (cut_layer.piece->loops[loop].size - 1);
    const std::vector<std::int64_t> of_loop = strides(cut_layer, loop);
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i] += scale * of_loop[i];
  };
  add(relation.output_loop, relation.stride);
  add(relation.filter_loop, relation.dilation);
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i] != 0) axis.movers.push_back({static_cast<int>(i), steps[i]});
  return axis;
}

std::vector<PieceAxis> axes_of_operand(const CutLayer& cut_layer, int operand) {
  const Layer& layer = *cut_layer.layer;
  std::vector<PieceAxis> axes;
  for (const std::string& dimension : layer.operands[operand].dimensions) {
    const auto relation =
        std::find_if(layer.relations.begin(), layer.relations.end(),
                     [&](const DimensionRelation& candidate) { return candidate.data == dimension; });
    const int loop = layer.loop_index(dimension);
    if (relation != layer.relations.end()) {
      axes.push_back(axis_of_relation(cut_layer, static_cast<int>(relation - layer.relations.begin())));
    } else if (loop >= 0) {
      axes.push_back(axis_of_loop(cut_layer, loop));
    } else {
      axes.emplace_back();
    }
  }
  return axes;
}

bool is_irrelevant(const Layer& layer, int operand, int loop) {
  return layer.relevancy(operand, loop) == Relevancy::irrelevant;
}

std::vector<Range> CutLayer::loop_ranges(int sub_id) const {
  std::vector<Range> ranges;
  for (int loop = 0; loop < static_cast<int>(layer->loops.size()); ++loop)
    ranges.push_back(range_of(*this, axis_of_loop(*this, loop), sub_id));
  return ranges;
}

std::vector<Range> CutLayer::data_ranges(int sub_id) const {
  std::vector<Range> ranges;
  for (int relation = 0; relation < static_cast<int>(layer->relations.size()); ++relation)
    ranges.push_back(range_of(*this, axis_of_relation(*this, relation), sub_id));
  return ranges;
}

}  // namespace zz::core
