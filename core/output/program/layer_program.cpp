#include "core/output/program/layer_program.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/cost/boundary_cost.hpp"
#include "core/cost/compact_form.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/hardware/layer_sparsity.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/search/spatial/unrolling_options.hpp"
#include "core/workload/tile_bits.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {

bool ProgramOperand::slides() const {
  return std::any_of(axes.begin(), axes.end(), [](const Axis& axis) { return axis.filter >= 0; });
}

bool ProgramMove::below() const {
  return direction == Direction::read_to_high || direction == Direction::write_from_high;
}

bool ProgramMove::returns(const ProgramOperand& of) const { return of.output && !is_upwards(direction); }

bool LayerProgram::inside(const ProgramOperand& operand, int digit, const Tile& tile) const {
  return digits[digit].units ? operand.level[digit] < tile.levels : digit < tile.loops;
}

std::int64_t LayerProgram::rounds_below(int digit) const {
  std::int64_t rounds = 1;
  for (const int inner : of[digits[digit].dimension].inside_out) {
    if (inner == digit) break;
    if (!digits[inner].units) rounds *= digits[inner].size;
  }
  return rounds;
}

std::int64_t LayerProgram::rounds_below(const ProgramOperand& operand, int digit, const Tile& tile) const {
  std::int64_t rounds = 1;
  for (const int inner : of[digits[digit].dimension].inside_out) {
    if (inner == digit) break;
    if (!digits[inner].units && inside(operand, inner, tile)) rounds *= digits[inner].size;
  }
  return rounds;
}

std::int64_t LayerProgram::units_below(const ProgramOperand& operand, int digit, const Tile& tile) const {
  std::int64_t units = 1;
  for (const int inner : of[digits[digit].dimension].inside_out) {
    if (inner == digit) break;
    if (digits[inner].units && inside(operand, inner, tile)) units *= digits[inner].size;
  }
  return units;
}

std::int64_t LayerProgram::extent(const ProgramOperand& operand, int dimension, const Tile& tile) const {
  const DigitsOfDimension& all = of[dimension];
  std::int64_t rounds = 1, units = 1;
  for (const int digit : all.inside_out) {
    const Digit& one = digits[digit];
    if (inside(operand, digit, tile)) (one.units ? units : rounds) *= one.size;
  }
  return std::min(std::min(rounds, all.rounds) * units, all.iterations);
}

std::int64_t LayerProgram::iteration(int dimension, const std::vector<std::int64_t>& values) const {
  const DigitsOfDimension& all = of[dimension];
  std::int64_t begin = 0;  // of the tile around a digit, in rounds
  std::int64_t sum = 0, below = 1, units = 1;
  for (const int digit : all.inside_out) {
    const auto at = static_cast<std::size_t>(digit);
    units *= digits[at].units ? digits[at].size : 1;
    below *= digits[at].units ? 1 : digits[at].size;
  }
  for (auto next = all.inside_out.rbegin(); next != all.inside_out.rend(); ++next) {
    const auto at = static_cast<std::size_t>(*next);
    if (digits[at].units) {
      units /= digits[at].size;
      sum += values[at] * std::min(below, all.rounds - begin) * units;
    } else {
      below /= digits[at].size;
      begin += values[at] * below;
      sum += values[at] * below * units;
    }
  }
  return sum;
}

namespace {

[[noreturn]] void refuse(const Evaluation& evaluation, const std::string& what) {
  const std::string name = evaluation.layer ? "layer '" + evaluation.layer->name + "' " : "the result ";
  throw InputError(name + what);
}

/// Steps of the way from an evaluation to its program.
class ProgramMaker {
 public:
  explicit ProgramMaker(const Evaluation& evaluation)
      : evaluation_(evaluation),
        layer_(*evaluation.layer),
        accelerator_(*evaluation.accelerator),
        hierarchy_(accelerator_.hierarchy()) {
    program_.layer = layer_.name;
    program_.adds = layer_.equation.find(" + ") != std::string::npos;
    program_.times = static_cast<std::int64_t>(evaluation.times);
    for (const LoopDimension& loop : layer_.loops) {
      program_.dimensions.push_back(loop.name);
      program_.of.emplace_back().iterations = loop.size;
    }
  }

  LayerProgram make() {
    refuse_zeros(accelerator_, layer_, "a program");
    list_loops();
    list_units();
    for (std::size_t operand = 0; operand < layer_.operands.size(); ++operand) add_operand(operand);
    nest_digits();
    check_windows();
    for (const Memory& memory : accelerator_.memories) place_second_buffers(memory);
    list_moves();
    return std::move(program_);
  }

 private:
  void list_loops() {
    for (const TemporalLoop& loop : evaluation_.temporal_mapping->loops) {
      const int dimension = layer_.loop_index(loop.dimension);
      if (dimension < 0)
        refuse(evaluation_, fmt::format("has no loop {}, which its mapping has", loop.dimension));
      program_.digits.push_back({dimension, loop.size, false});
    }
    program_.loops = static_cast<int>(program_.digits.size());
  }

  /// The units of each loop along each array dimension. A loop that they do not divide has as many as work
  /// in its fullest round: 8 iterations on 5 units take two rounds, with 4 units.
  void list_units() {
    const auto& unrolled = layer_.mapping.spatial_mapping.dimensions;
    for (std::size_t dimension = 0; dimension < layer_.loops.size(); ++dimension) {
      const LoopDimension& loop = layer_.loops[dimension];
      std::vector<std::int64_t> factors(unrolled.size(), 0);
      for (std::size_t array = 0; array < unrolled.size(); ++array)
        for (const SpatialLoop& one : unrolled[array].loops)
          if (one.dimension == loop.name)
            factors[array] =
                std::min(one.factor, accelerator_.array.find(unrolled[array].array_dimension)->size);
      if (factors.empty()) continue;
      const LoopRounds rounds = rounds_of(loop.size, factors, false);
      for (std::size_t array = 0; array < unrolled.size(); ++array) {
        std::int64_t units = factors[array];
        if (units > 0 && array == rounds.adjusting)
          units = static_cast<std::int64_t>(std::ceil(snapped(rounds.factor)));
        if (units < 2) continue;
        program_.digits.push_back(
            {static_cast<int>(dimension), units, true, unrolled[array].array_dimension});
        arrays_.push_back(&unrolled[array].array_dimension);
      }
    }
  }

  void add_operand(std::size_t index) {
    const LayerOperand& given = layer_.operands[index];
    ProgramOperand& operand = program_.operands.emplace_back();
    operand.name = given.name;
    operand.output = index == 0;
    operand.precision = given.precision;
    operand.blocks = blocks_of(index, given.scale);
    operand.result_blocks = index == 0 ? blocks_of(index, layer_.final_output_scale) : operand.blocks;
    operand.bears.assign(layer_.loops.size(), false);
    for (const std::string& dimension : given.dimensions) operand.axes.push_back(axis_of(dimension));
    for (const Axis& axis : operand.axes) {
      operand.bears[axis.loop] = true;
      if (axis.filter >= 0) operand.bears[axis.filter] = true;
    }
    const int held = hierarchy_.operand_index(layer_.memory_operand(static_cast<int>(index)));
    const std::vector<int>& memories = hierarchy_.levels[held];
    place_units(operand, memories);
    add_buffers(operand, index, memories);
  }

  ProgramBlocks blocks_of(std::size_t operand, const BlockScale& scale) const {
    if (!scale.any()) return {};
    return {block_loop(layer_, static_cast<int>(operand), scale), scale.every, scale.bits};
  }

  Axis axis_of(const std::string& dimension) const {
    for (const DimensionRelation& relation : layer_.relations)
      if (relation.data == dimension)
        return {layer_.loop_index(relation.output_loop),
                layer_.loop_index(relation.filter_loop),
                relation.stride,
                relation.dilation,
                relation.padding_low,
                relation.size};
    return {layer_.loop_index(dimension), -1, 1, 1, 0, layer_.loop_size(dimension)};
  }

  /// An array dimension fans out below the first memory that serves it.
  void place_units(ProgramOperand& operand, const std::vector<int>& memories) {
    operand.level.assign(program_.digits.size(), -1);
    for (std::size_t unit = 0; unit < arrays_.size(); ++unit) {
      std::size_t level = 0;
      while (level < memories.size() && !accelerator_.memories[memories[level]].serves(*arrays_[unit]))
        ++level;
      operand.level[static_cast<std::size_t>(program_.loops) + unit] = static_cast<int>(level);
    }
    check_units(operand, memories.size());
  }

  /// The evaluation's factors are those of the units, on average over the rounds.
  void check_units(const ProgramOperand& operand, std::size_t memories) const {
    const auto& mapped = evaluation_.spatial_mapping->operands;
    const auto found = std::find_if(mapped.begin(), mapped.end(),
                                    [&](const auto& one) { return one.operand == operand.name; });
    for (std::size_t level = 0; level <= memories; ++level) {
      for (std::size_t dimension = 0; dimension < program_.dimensions.size(); ++dimension) {
        double told = 1, units = 1;
        if (found != mapped.end() && level < found->levels.size())
          for (const UnrolledLoop& loop : found->levels[level])
            if (loop.dimension == program_.dimensions[dimension]) told *= loop.factor;
        for (std::size_t digit = 0; digit < program_.digits.size(); ++digit)
          if (program_.digits[digit].units && operand.level[digit] == static_cast<int>(level) &&
              program_.digits[digit].dimension == static_cast<int>(dimension))
            units *= static_cast<double>(program_.digits[digit].size);
        if (units < told - 1e-9 || units >= 2 * told + 1)
          refuse(evaluation_, fmt::format("has {} unrolled {:g} times, which its mapping does not say",
                                          program_.dimensions[dimension], told));
      }
    }
  }

  void add_buffers(ProgramOperand& operand, std::size_t index, const std::vector<int>& memories) {
    const std::vector<int>& cuts = evaluation_.temporal_mapping->operands[index].stationary;
    if (cuts.size() != memories.size())
      refuse(evaluation_, "has a mapping with other memories than its accelerator");
    int kept = 0;  // loops for which the units keep an element
    if (!operand.output && evaluation_.cost_model->same_data_free)
      while (kept < cuts.front() && !operand.bears[program_.digits[kept].dimension]) ++kept;
    operand.at.push_back({"", {kept, 0}, false});
    for (std::size_t level = 0; level < memories.size(); ++level) {
      const Memory& memory = accelerator_.memories[memories[level]];
      const bool top = level + 1 == memories.size();
      operand.at.push_back({memory.name,
                            {top ? program_.loops : cuts[level], static_cast<int>(level) + 1},
                            !top && is_followed(memory.name, operand, cuts[level])});
    }
    for (std::size_t digit = 0; digit < program_.digits.size(); ++digit)
      if (operand.output && operand.level[digit] == static_cast<int>(memories.size()) &&
          !operand.bears[program_.digits[digit].dimension])
        refuse(evaluation_, fmt::format("has sums in several instances of '{}', which nothing adds up",
                                        operand.at.back().memory));
  }

  /// The cost model lets portions follow each other without a wait, and there is a next one.
  bool is_followed(const std::string& memory, const ProgramOperand& operand, int loops) const {
    if (std::none_of(program_.digits.begin() + loops, program_.digits.begin() + program_.loops,
                     [](const Digit& digit) { return digit.size > 1; }))
      return false;
    for (const PortFigures& port : evaluation_.ports)
      for (const PortUseFigures& use : port.uses)
        if (port.memory == memory && use.operand == operand.name && use.direction.ends_with("high") &&
            use.second_buffer)
          return true;
    return false;
  }

  /// Portions that are followed have two buffers where both fit, the smallest first. Else the next portion
  /// takes the place of what the one before has no more use for, which needs one buffer.
  void place_second_buffers(const Memory& memory) {
    std::vector<std::pair<double, ProgramBuffer*>> followed;
    double bits = 0;
    for (ProgramOperand& operand : program_.operands) {
      for (std::size_t level = 1; level < operand.at.size(); ++level) {
        ProgramBuffer& buffer = operand.at[level];
        if (buffer.memory != memory.name) continue;
        const double own = bits_of(operand, static_cast<int>(level));
        bits += own;
        if (std::exchange(buffer.second_buffer, false)) followed.emplace_back(own, &buffer);
      }
    }
    std::stable_sort(followed.begin(), followed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [own, buffer] : followed) {
      bits += own;
      buffer->second_buffer = bits <= static_cast<double>(memory.size);
    }
  }

  /// Bits of a tile; sums count as such where they are not finished.
  double bits_of(const ProgramOperand& operand, int level) const {
    const ProgramBuffer& buffer = operand.at[level];
    const auto word = [&](std::int64_t data, const ProgramBlocks& blocks) {
      if (blocks.dimension < 0) return static_cast<double>(data);
      const std::int64_t row = program_.extent(operand, blocks.dimension, buffer.tile);
      return static_cast<double>(data) +
             static_cast<double>(blocks.of_row(row) * blocks.bits) / static_cast<double>(row);
    };
    double bits = word(operand.precision, operand.blocks);
    if (operand.output && !has_sums(operand, level))
      bits = std::min(bits, word(layer_.final_output_precision, operand.result_blocks));
    for (const Axis& axis : operand.axes) {
      std::int64_t elements = program_.extent(operand, axis.loop, buffer.tile);
      if (axis.filter >= 0)
        elements = std::min(axis.elements,
                            distinct_positions(axis.stride, elements, axis.dilation,
                                               program_.extent(operand, axis.filter, buffer.tile), false));
      bits *= static_cast<double>(elements);
    }
    return bits;
  }

  bool has_sums(const ProgramOperand& output, int level) const {
    for (int digit = 0; digit < static_cast<int>(program_.digits.size()); ++digit) {
      const Digit& one = program_.digits[digit];
      const bool outside =
          one.units ? output.level[digit] >= level : digit >= output.at[level - 1].tile.loops;
      if (outside && !output.bears[one.dimension] && one.size > 1) return true;
    }
    return false;
  }

  /// From inside to outside as the tiles of the operand grow whose windows slide.
  void nest_digits() {
    const auto& operands = program_.operands;
    auto leading = std::find_if(operands.begin(), operands.end(),
                                [](const ProgramOperand& one) { return one.slides(); });
    if (leading == operands.end()) --leading;
    const auto nest = [&](std::size_t digit) {
      program_.of[program_.digits[digit].dimension].inside_out.push_back(static_cast<int>(digit));
    };
    int begin = 0;
    for (std::size_t level = 0; level <= leading->at.size(); ++level) {
      for (; level < leading->at.size() && begin < leading->at[level].tile.loops; ++begin)
        nest(static_cast<std::size_t>(begin));
      for (std::size_t digit = 0; digit < program_.digits.size(); ++digit)
        if (leading->level[digit] == static_cast<int>(level)) nest(digit);
    }
    for (DigitsOfDimension& one : program_.of) count_rounds(one);
  }

  void count_rounds(DigitsOfDimension& one) const {
    std::int64_t walked = 1, units = 1;
    for (const int digit : one.inside_out) {
      const Digit& each = program_.digits[digit];
      (each.units ? units : walked) *= each.size;
    }
    const std::int64_t rounds = (one.iterations + units - 1) / units;
    one.rounds = std::min(walked, rounds);
    one.ragged = walked > rounds;
    one.uneven = one.rounds * units > one.iterations;
    if (one.rounds * units < one.iterations)
      refuse(evaluation_, "has a mapping that leaves out iterations");
  }

  /// A window that slides over a tile with gaps in it has no place of its own for each element.
  void check_windows() const {
    for (const ProgramOperand& operand : program_.operands)
      for (const Axis& axis : operand.axes)
        for (const int loop : {axis.loop, axis.filter})
          for (const ProgramBuffer& buffer : operand.at)
            if (axis.filter >= 0 && has_gaps(operand, loop, buffer.tile))
              refuse(evaluation_,
                     fmt::format("has windows in {} beside those of another operand", operand.name));
  }

  bool has_gaps(const ProgramOperand& operand, int dimension, const Tile& tile) const {
    bool outside = false;
    for (const int digit : program_.of[dimension].inside_out) {
      const bool within = program_.inside(operand, digit, tile);
      if (within && outside) return true;
      outside = outside || !within;
    }
    return false;
  }

  void list_moves() {
    const SpatialMapping& integral =
        evaluation_.spatial_mapping_int ? *evaluation_.spatial_mapping_int : *evaluation_.spatial_mapping;
    const CostTables tables(accelerator_, layer_, *evaluation_.spatial_mapping, integral,
                            evaluation_.cost_model->rules);
    std::vector<int> levels;
    for (const ProgramOperand& operand : program_.operands)
      levels.push_back(static_cast<int>(operand.at.size()) - 1);
    const CompactMapping compact = compact_form(layer_, levels, *evaluation_.temporal_mapping);
    for (int operand = 0; operand < static_cast<int>(levels.size()); ++operand) {
      const int top = levels[operand];
      const DataFootprint held = footprint_of(tables, tables.fractional, compact, operand, top);
      for (int level = 0; level < top; ++level) {
        const auto transfers = transfers_over(tables.operands[operand], held, level, 1, 1);
        for (int direction = 0; direction < (level == 0 ? 2 : direction_count); ++direction)
          add_move(tables, operand, level, direction, transfers[direction]);
      }
    }
  }

  void add_move(const CostTables& tables, int operand, int level, int direction,
                const LevelTransfer& transfer) {
    ProgramMove move{operand, level, static_cast<Direction>(direction), 0, 1, 1, 0};
    if (operand > 0 && is_upwards(move.direction)) return;
    const int memory = memory_at(level, direction);
    const TransferPort& port = tables.operands[operand].port[memory][direction];
    if (port.bandwidth_max == 0) return;
    move.word = static_cast<std::int64_t>(port.bandwidth_min);
    move.words_by = port.bandwidth_max / port.bandwidth_min;
    if (transfer.elements != 0 && transfer.precision != 0) {
      const OperandTable& table = tables.operands[operand];
      move.precision = static_cast<std::int64_t>(
          (transfer.finished ? table.held.final_stored : table.held.stored).data());
      const ProgramOperand& of = program_.operands[operand];
      move.blocks = transfer.finished ? of.result_blocks : of.blocks;
    }
    move.accesses = evaluation_.operands[operand].levels[memory].accesses[direction];
    program_.moves.push_back(move);
  }

  const Evaluation& evaluation_;
  const Layer& layer_;
  const Accelerator& accelerator_;
  const MemoryHierarchy& hierarchy_;
  std::vector<const std::string*> arrays_;  ///< of each digit of units, its array dimension
  LayerProgram program_;
};

}  // namespace

LayerProgram layer_program(const Evaluation& evaluation) {
  constexpr const char* works = "; what can be executed are layers that are mapped one by one on one core";
  if (evaluation.schedule)
    refuse(evaluation, fmt::format("is a schedule on several cores, which is no nest of loops{}", works));
  if (!evaluation.layer) refuse(evaluation, fmt::format("is a sum of layers{}", works));
  if (evaluation.fused)
    refuse(evaluation, fmt::format("shares loops with the other layers of its group {}{}",
                                   evaluation.fused->group, works));
  if (evaluation.layer->vector_work)
    refuse(evaluation,
           fmt::format("works on elements in a vector unit, without loops of its own{}", works));
  if (!evaluation.accelerator || !evaluation.spatial_mapping || !evaluation.temporal_mapping)
    refuse(evaluation, fmt::format("has no mapping{}", works));
  if (!evaluation.cost_model)
    refuse(evaluation,
           "does not say by which rules a cost model of zz counts its accesses; run its pipeline again");
  if (gives_original_figures(evaluation.cost_model->rules))
    refuse(evaluation,
           fmt::format(
               "has figures of '{}', by which no program moves data; run its pipeline without 'compat'",
               compat_of(evaluation.cost_model->rules)));
  if (evaluation.times < 1 || evaluation.times != std::floor(evaluation.times))
    refuse(evaluation, fmt::format("is in the figures {:g} times; a program runs a whole number of times",
                                   evaluation.times));
  return ProgramMaker(evaluation).make();
}

}  // namespace zz::core
