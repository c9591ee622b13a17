#include "tests/unit/cost/loop_nest_interpreter.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace zz::test {
namespace {

using core::Layer;
using Element = std::vector<std::int64_t>;
using Elements = std::set<Element>;

/// A loop of the nest, in time or in space, and the step of its dimension that one iteration makes.
struct Loop {
  int dimension;
  std::int64_t size;
  std::int64_t step;
};

std::int64_t iterations(const std::vector<Loop>& loops, std::size_t begin, std::size_t end) {
  std::int64_t count = 1;
  for (std::size_t i = begin; i < end; ++i) count *= loops[i].size;
  return count;
}

/// Adds to `index` (per loop dimension) what iteration number `iteration` of loops[begin, end) contributes.
void advance(std::vector<std::int64_t>& index, const std::vector<Loop>& loops, std::size_t begin,
             std::size_t end, std::int64_t iteration) {
  for (std::size_t i = begin; i < end; ++i) {
    index[loops[i].dimension] += iteration % loops[i].size * loops[i].step;
    iteration /= loops[i].size;
  }
}

Element element_at(const Layer& layer, int operand, const std::vector<std::int64_t>& index) {
  Element element;
  for (const std::string& name : layer.operands[operand].dimensions) {
    if (const int loop = layer.loop_index(name); loop >= 0) {
      element.push_back(index[loop]);
      continue;
    }
    for (const core::DimensionRelation& relation : layer.relations) {
      if (relation.data != name) continue;
      element.push_back(relation.stride * index[layer.loop_index(relation.output_loop)] +
                        relation.dilation * index[layer.loop_index(relation.filter_loop)]);
    }
  }
  return element;
}

/// Scales of these elements of an input: in each row along the loop of its blocks one for each block that
/// is begun.
std::int64_t scales_of(const Layer& layer, int operand, const Elements& elements) {
  const core::LayerOperand& tensor = layer.operands[static_cast<std::size_t>(operand)];
  if (operand == 0 || !tensor.scale.any()) return 0;
  const auto axis = static_cast<std::size_t>(
      std::find(tensor.dimensions.begin(), tensor.dimensions.end(), tensor.scale.along) -
      tensor.dimensions.begin());
  std::map<Element, std::int64_t> rows;
  for (Element element : elements) {
    element[axis] = 0;
    ++rows[element];
  }
  std::int64_t scales = 0;
  for (const auto& [row, length] : rows) scales += (length + tensor.scale.every - 1) / tensor.scale.every;
  return scales;
}

}  // namespace

std::vector<CountedMoves> interpret_loop_nest(const Layer& layer, const core::SpatialMapping& spatial,
                                              const core::TemporalMapping& temporal) {
  std::vector<CountedMoves> result;
  for (std::size_t operand = 0; operand < layer.operands.size(); ++operand) {
    // Space varies fastest: neighbouring units work on neighbouring elements.
    std::vector<std::int64_t> step(layer.loops.size(), 1);
    std::vector<Loop> space;
    std::vector<std::size_t> space_below;  // loops of `space` at architecture levels 0..m
    for (const auto& level : spatial.operands[operand].levels) {
      for (const core::UnrolledLoop& loop : level) {
        const int dimension = layer.loop_index(loop.dimension);
        const auto size = static_cast<std::int64_t>(loop.factor);
        space.push_back({dimension, size, step[dimension]});
        step[dimension] *= size;
      }
      space_below.push_back(space.size());
    }
    std::vector<Loop> time;
    for (const core::TemporalLoop& loop : temporal.loops) {
      const int dimension = layer.loop_index(loop.dimension);
      time.push_back({dimension, loop.size, step[dimension]});
      step[dimension] *= loop.size;
    }

    const std::vector<int>& cuts = temporal.operands[operand].stationary;
    const auto count_moves = [&](std::size_t level, std::size_t loops_inside) {
      std::int64_t moved = 0;
      const std::int64_t instances = iterations(space, space_below[level], space.size());
      const std::int64_t below = iterations(space, 0, space_below[level]);
      for (std::int64_t instance = 0; instance < instances; ++instance) {
        Elements before;
        const std::int64_t outside = iterations(time, loops_inside, time.size());
        for (std::int64_t outer = 0; outer < outside; ++outer) {
          Elements now;
          for (std::int64_t inner = 0; inner < iterations(time, 0, loops_inside); ++inner) {
            for (std::int64_t unit = 0; unit < below; ++unit) {
              std::vector<std::int64_t> index(layer.loops.size(), 0);
              advance(index, space, 0, space_below[level], unit);
              advance(index, space, space_below[level], space.size(), instance);
              advance(index, time, 0, loops_inside, inner);
              advance(index, time, loops_inside, time.size(), outer);
              now.insert(element_at(layer, static_cast<int>(operand), index));
            }
          }
          // Results are written in every cycle, changed or not: each one is another partial sum.
          const bool always = operand == 0 && loops_inside == 0;
          if (always || now != before)
            moved +=
                static_cast<std::int64_t>(now.size()) + scales_of(layer, static_cast<int>(operand), now);
          before = std::move(now);
        }
      }
      return moved;
    };
    CountedMoves moves;
    for (std::size_t level = 0; level < cuts.size(); ++level) {
      moves.low.push_back(count_moves(level, level > 0 ? static_cast<std::size_t>(cuts[level - 1]) : 0));
      moves.high.push_back(count_moves(level, static_cast<std::size_t>(cuts[level])));
    }
    result.push_back(std::move(moves));
  }
  return result;
}

}  // namespace zz::test
