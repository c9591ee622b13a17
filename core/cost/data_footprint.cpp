#include "core/cost/data_footprint.hpp"

#include <algorithm>
#include <cmath>

#include "core/cost/detail/decoupling.hpp"
#include "core/cost/rounding.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {
namespace {

/// Iterations of a loop on average over all its runs: in the last tile of a ragged chain there are fewer.
double average_iterations(const CostTables& tables, const CompactMapping& mapping, int loop) {
  const int dimension = mapping.dimension[loop];
  return static_cast<double>(TilesBelow(tables, mapping, loop).tiles(dimension)) /
         static_cast<double>(TilesBelow(tables, mapping, loop + 1).tiles(dimension));
}

void follow_partial_sums(const CostTables& tables, const SpatialTable& unrolling,
                         const CompactMapping& mapping, DataFootprint& data) {
  const OperandTable& output = tables.operands[0];
  std::array<double, max_memory_levels> irrelevant, irrelevant_in_time;
  std::array<bool, max_memory_levels> accumulates;
  Decoupling decoupling(tables);
  const bool ragged = is_ragged(tables, mapping);
  for (int level = 0; level <= output.levels; ++level) {
    irrelevant[level] = 1;
    accumulates[level] = false;
    const auto take = [&](int dimension, double size) {
      switch (output.relevancy[dimension]) {
        case Relevancy::partially_relevant:
          size = decoupling.split(dimension, size).irrelevant;
          break;
        case Relevancy::irrelevant:
          break;
        default:
          return;
      }
      irrelevant[level] *= size;
      accumulates[level] = accumulates[level] || size > 1;
    };
    for (int loop = mapping.loops_below(0, level - 1); loop < mapping.loops_below(0, level); ++loop) {
      take(mapping.dimension[loop],
           ragged ? average_iterations(tables, mapping, loop) : static_cast<double>(mapping.size[loop]));
    }
    irrelevant_in_time[level] = irrelevant[level];
    for (const UnrolledFactor& loop : unrolling.loops[level]) take(loop.dimension, loop.factor);
  }
  bool above = false;
  double visits = 1;
  for (int level = output.levels; level >= 0; --level) {
    data.visits[level] = ragged ? snapped(visits) : visits;
    visits *= irrelevant_in_time[level];
    data.partial_sum[level] = level < output.levels && above;
    above = above || accumulates[level];
    data.accumulations[level] = 1;
    for (int outer = level; outer <= output.levels; ++outer) data.accumulations[level] *= irrelevant[outer];
    if (!tables.whole_units) data.accumulations[level] = snapped(data.accumulations[level]);
  }
  data.accumulations[output.levels + 1] = 1;
  data.accumulations[output.levels + 2] = 1;
}

/// As ZigZag counts, level by level: the result depends on the order of the loops by its last digits.
PerLevel<double> elements_level_by_level(const CostTables& tables, const SpatialTable& unrolling,
                                         const CompactMapping& mapping, int index, int highest_level) {
  const OperandTable& operand = tables.operands[index];
  PerLevel<double> elements;
  Decoupling decoupling(tables);
  double product = 1;
  for (int level = 0; level <= highest_level; ++level) {
    if (level > 0) {
      double relevant = 1;
      const auto take = [&](int dimension, double size) {
        switch (operand.relevancy[dimension]) {
          case Relevancy::partially_relevant:
            relevant *= decoupling.split(dimension, size).relevant;
            break;
          case Relevancy::relevant:
            relevant *= size;
            break;
          default:
            break;
        }
      };
      for (int loop = mapping.loops_below(index, level - 1); loop < mapping.loops_below(index, level);
           ++loop) {
        take(mapping.dimension[loop], static_cast<double>(mapping.size[loop]));
      }
      // Units of the level below hold different parts: their unrolling belongs to this level's data.
      for (const UnrolledFactor& loop : unrolling.loops[level - 1]) take(loop.dimension, loop.factor);
      product *= relevant;
    }
    elements[level] = product;
  }
  return elements;
}

/// The loops of one operand below a level, from the lowest one upwards.
class LoopsBelow {
 public:
  enum class Round { average, fullest };

  LoopsBelow(const CostTables& tables, const SpatialTable& unrolling, const CompactMapping& mapping,
             int index, Round round = Round::average, LastTiles last = 0)
      : tables_(tables),
        unrolling_(unrolling),
        mapping_(mapping),
        index_(index),
        round_(round),
        last_(last) {
    std::fill_n(iterations_.begin(), tables.dimensions, 1.0);
    std::fill_n(factors_.begin(), tables.dimensions, 1.0);
  }

  /// From below `level` - 1 to below `level`.
  void rise_to(int level) {
    for (int loop = mapping_.loops_below(index_, level - 1); loop < mapping_.loops_below(index_, level);
         ++loop)
      iterations_[mapping_.dimension[loop]] *= static_cast<double>(mapping_.size[loop]);
    level_ = level;
    // Units of the level below hold different parts: their unrolling belongs to this level's data.
    add_units(level - 1);
  }

  void add_units(int level) {
    for (const UnrolledFactor& loop : unrolling_.loops[level])
      factors_[loop.dimension] *= fullest() ? std::ceil(snapped(loop.factor)) : loop.factor;
  }

  /// In the memory at this level; -1: at the units.
  ElementWidths width(int memory) const {
    const HeldBits& held = tables_.operands[index_].held;
    const auto walked = [&](int loop) { return this->walked(loop); };
    return {held.at(memory, false).of_element(walked), held.at(memory, true).of_element(walked)};
  }

  double room(int memory, bool finished) const {
    return tables_.operands[index_].held.at(memory, finished).of_room(snapped(elements()), [&](int loop) {
      return this->walked(loop);
    });
  }

  double elements() const {
    const OperandTable& operand = tables_.operands[index_];
    const auto walked = [&](int loop) { return this->walked(loop); };
    double product = 1;
    for (int loop = 0; loop < tables_.dimensions; ++loop)
      if (operand.relevancy[loop] == Relevancy::relevant) product *= walked(loop);
    if (operand.has_relations) {
      for (const Window& window : tables_.windows) product *= window.average(walked);
    }
    return product;
  }

  /// Those along the innermost dimension of the layout.
  double stretch() const {
    const OperandTable& operand = tables_.operands[index_];
    if (operand.innermost_window >= 0)
      return tables_.windows[operand.innermost_window].average([&](int loop) { return walked(loop); });
    return operand.innermost_loop >= 0 ? walked(operand.innermost_loop) : 1;
  }

 private:
  bool fullest() const { return round_ == Round::fullest; }
  /// Rounds that are full may be more than there is to do.
  double walked(int loop) const {
    const double all = rounds_in_tile(loop) * factors_[loop];
    return fullest() ? std::min(all, tables_.iterations[loop]) : all;
  }
  /// A whole tile has the iterations of its loops, and no more than the dimension has rounds.
  double rounds_in_tile(int loop) const {
    if ((last_ >> loop & 1) == 0)
      return std::min(iterations_[loop], static_cast<double>(tables_.rounds[loop]));
    const TilesBelow tiles(tables_, mapping_, mapping_.loops_below(index_, level_));
    return static_cast<double>(tiles.last(loop));
  }

  const CostTables& tables_;
  const SpatialTable& unrolling_;
  const CompactMapping& mapping_;
  int index_;
  Round round_;
  LastTiles last_;
  int level_ = 0;
  // Iterations are whole and exact in any order; factors come in the order of the levels.
  std::array<double, max_loop_dimensions> iterations_, factors_;
};

}  // namespace

PerLevel<double> elements_below(const CostTables& tables, const SpatialTable& unrolling,
                                const CompactMapping& mapping, int index, int highest_level,
                                LastTiles last) {
  if (tables.whole_units) return elements_level_by_level(tables, unrolling, mapping, index, highest_level);
  PerLevel<double> elements;
  LoopsBelow below(tables, unrolling, mapping, index, LoopsBelow::Round::average, last);
  for (int level = 0; level <= highest_level; ++level) {
    if (level > 0) below.rise_to(level);
    elements[level] = below.elements();
  }
  return elements;
}

PerLevel<double> copies_of(const CostTables& tables, const SpatialTable& unrolling,
                           const CompactMapping& mapping, int index, int highest_level, LastTiles last) {
  PerLevel<double> copies = unrolling.boost;
  if (!unrolling.splits_window) return copies;
  LoopsBelow below(tables, unrolling, mapping, index, LoopsBelow::Round::average, last);
  for (int level = 0; level <= highest_level; ++level) {
    if (level > 0) below.rise_to(level);
    LoopsBelow together = below;
    together.add_units(level);
    copies[level] = std::max(copies[level], snapped(together.elements() / below.elements()));
  }
  return copies;
}

Stretches stretches_of(const CostTables& tables, const SpatialTable& unrolling,
                       const CompactMapping& mapping, int index, int highest_level, LastTiles last) {
  Stretches found;
  LoopsBelow below(tables, unrolling, mapping, index, LoopsBelow::Round::average, last);
  for (int level = 0; level <= highest_level; ++level) {
    if (level > 0) below.rise_to(level);
    found.own[level] = snapped(below.stretch());
    LoopsBelow together = below;
    together.add_units(level);
    found.common[level] = snapped(together.stretch());
  }
  return found;
}

WidthsBelow widths_below(const CostTables& tables, const SpatialTable& unrolling,
                         const CompactMapping& mapping, int index, int highest_level, LastTiles last) {
  const OperandTable& operand = tables.operands[index];
  WidthsBelow found;
  if (!operand.held.beside()) {
    found.own.fill({operand.held.stored.data(), operand.held.final_stored.data()});
    found.of_copies = found.own;
    return found;
  }
  LoopsBelow below(tables, unrolling, mapping, index, LoopsBelow::Round::average, last);
  for (int level = 0; level <= highest_level; ++level) {
    if (level > 0) below.rise_to(level);
    found.own[level] = below.width(level - 1);
    if (level == operand.levels) continue;
    LoopsBelow together = below;
    together.add_units(level);
    found.of_copies[level] = together.width(level);
  }
  return found;
}

double counted_elements(const CostTables& tables, double elements) {
  return tables.whole_units ? round_half_even(elements) : snapped(elements);
}

DataFootprint footprint_of(const CostTables& tables, const SpatialTables& unrollings,
                           const CompactMapping& mapping, int index, int highest_level, LastTiles last) {
  const OperandTable& operand = tables.operands[index];
  const SpatialTable& unrolling = unrollings[index];
  DataFootprint data;
  if (operand.output) follow_partial_sums(tables, unrolling, mapping, data);
  data.adds = unrolling.adds;
  const PerLevel<double> elements = elements_below(tables, unrolling, mapping, index, highest_level, last);
  const PerLevel<double> copies = copies_of(tables, unrolling, mapping, index, highest_level, last);
  if (operand.in_requests) {
    const Stretches stretches = stretches_of(tables, unrolling, mapping, index, highest_level, last);
    data.stretch = stretches.own;
    data.common_stretch = stretches.common;
  }
  const WidthsBelow widths = widths_below(tables, unrolling, mapping, index, highest_level, last);
  data.widths = widths.own;
  data.widths_of_copies = widths.of_copies;
  for (int level = 0; level <= highest_level; ++level) {
    data.elements[level] = counted_elements(tables, elements[level]);
    data.copies[level] = copies[level];
    data.bits[level] = bits_of(operand, data.elements[level], data.width(level));
  }
  return data;
}

double fullest_elements(const CostTables& tables, const CompactMapping& mapping, int index, int level) {
  LoopsBelow below(tables, tables.fractional[index], mapping, index, LoopsBelow::Round::fullest);
  for (int risen = 1; risen <= level; ++risen) below.rise_to(risen);
  return below.elements();
}

ElementWidths fullest_widths(const CostTables& tables, const CompactMapping& mapping, int index,
                             int level) {
  LoopsBelow below(tables, tables.fractional[index], mapping, index, LoopsBelow::Round::fullest);
  for (int risen = 1; risen <= level; ++risen) below.rise_to(risen);
  return below.width(level - 1);
}

double fullest_room(const CostTables& tables, const CompactMapping& mapping, int index, int level,
                    bool finished) {
  LoopsBelow below(tables, tables.fractional[index], mapping, index, LoopsBelow::Round::fullest);
  for (int risen = 1; risen <= level; ++risen) below.rise_to(risen);
  return below.room(level - 1, finished);
}

}  // namespace zz::core
