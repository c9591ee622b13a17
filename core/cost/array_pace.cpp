#include "core/cost/array_pace.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/cost/cost_tables.hpp"
#include "core/cost/tiles_below.hpp"

namespace zz::core {
namespace {

/// Units of an array dimension that work on average over the rounds, in whole ones.
std::int64_t used_units(const ArrayDimension& dimension, const Layer& layer, const CostTables& tables) {
  const ArrayUnrolling* unrolled = layer.mapping.spatial_mapping.find(dimension.name);
  if (unrolled == nullptr) return 1;
  double units = 1;
  for (const SpatialLoop& loop : unrolled->loops) {
    const int index = layer.loop_index(loop.dimension);
    if (index < 0) continue;
    double given = 1, largest = 0, average = 1;
    bool takes_remainder = false;
    for (const ArrayUnrolling& other : layer.mapping.spatial_mapping.dimensions) {
      for (const SpatialLoop& one : other.loops) {
        if (one.dimension != loop.dimension) continue;
        const auto factor = static_cast<double>(one.factor);
        given *= factor;
        if (!(factor > largest)) continue;
        largest = factor;
        takes_remainder = &other == unrolled;
      }
    }
    for (const UnrolledFactor& one : tables.fractional[0].loops.all())
      if (one.dimension == index) average *= one.factor;
    units *= static_cast<double>(loop.factor) * (takes_remainder ? average / given : 1);
  }
  const auto whole = static_cast<std::int64_t>(std::ceil(snapped(units)));
  return std::clamp<std::int64_t>(whole, 1, std::max<std::int64_t>(1, dimension.size));
}

/// The dimension at this position by name; null when there is none.
const ArrayDimension* dimension_by_name(const OperationalArray& array, std::size_t position) {
  std::vector<const ArrayDimension*> dimensions;
  for (const ArrayDimension& dimension : array.dimensions) dimensions.push_back(&dimension);
  std::sort(dimensions.begin(), dimensions.end(),
            [](const auto* a, const auto* b) { return a->name < b->name; });
  return position < dimensions.size() ? dimensions[position] : nullptr;
}

/// Whole cycles that 64 bits hold, however long the computation.
std::int64_t whole(double cycles) {
  constexpr double most = 4e18;
  return static_cast<std::int64_t>(std::min(std::ceil(cycles), most));
}

}  // namespace

std::int64_t StepCycles::of(std::int64_t steps) const {
  const double cycles = static_cast<double>(steps) * of_one();
  return efficiency == 1 ? static_cast<std::int64_t>(std::ceil(cycles))
                         : static_cast<std::int64_t>(std::floor(snapped(cycles)));
}

double StepCycles::longest(double steps) const {
  return (efficiency == 1 ? steps * std::ceil(at_peak) : snapped(steps * of_one())) * made;
}

ArrayTable::ArrayTable(const Accelerator& accelerator, const Layer& layer, const CostTables& tables)
    : has_fold(accelerator.array.fold.has_value()),
      has_instruction(accelerator.array.instruction.has_value()) {
  const OperationalArray& array = accelerator.array;
  if (has_fold) {
    const ArrayFold& fold = *array.fold;
    fold_operand = layer.operand_assigned_to(fold.operand);
    overlapped = fold.overlapped;
    const auto travelled = [&](FoldUnits units, std::size_t position) {
      const ArrayDimension* dimension = dimension_by_name(array, position);
      if (units == FoldUnits::none || dimension == nullptr) return std::int64_t{0};
      const std::int64_t count =
          units == FoldUnits::whole ? dimension->size : used_units(*dimension, layer, tables);
      return std::max<std::int64_t>(0, count - 1);
    };
    const ArrayDimension* preload = array.find(fold.preload);
    fold_cycles = static_cast<double>(travelled(fold.fill, 0)) +
                  static_cast<double>(travelled(fold.drain, 1)) +
                  (preload != nullptr ? static_cast<double>(preload->size) : 0);
  }
  if (has_instruction) {
    const ArrayInstruction& instruction = *array.instruction;
    instruction_operand = layer.operand_assigned_to(instruction.operand);
    rows = instruction.rows;
    min_cycles = instruction.min_cycles;
    reload_cycles = instruction.reload_cycles;
    interval = instruction.interval;
    for (const std::string& loop : instruction.along)
      if (const int index = layer.loop_index(loop); index >= 0) along.push_back(index);
  }
}

int stay_loops(const CostTables& tables, const CompactMapping& mapping, int operand) {
  if (operand < 0) return mapping.loops;
  const auto& relevancy = tables.operands[operand].relevancy;
  int loops = 0;
  while (loops < mapping.loops &&
         (mapping.size[loops] == 1 || relevancy[mapping.dimension[loops]] == Relevancy::irrelevant))
    ++loops;
  return loops;
}

ArrayStays stays_of(const CostTables& tables, const CompactMapping& mapping) {
  ArrayStays stays;
  if (tables.array.has_fold) {
    for (int loop = stay_loops(tables, mapping, tables.array.fold_operand); loop-- > 0;)
      stays.fold *= mapping.size[loop];
  }
  if (!tables.array.has_instruction) return stays;
  const int loops = stay_loops(tables, mapping, tables.array.instruction_operand);
  for (int loop = 0; loop < loops; ++loop) stays.instruction *= mapping.size[loop];
  for (const int dimension : tables.array.along) {
    for (int loop = 0; loop < loops; ++loop)
      if (mapping.dimension[loop] == dimension) stays.rows *= mapping.size[loop];
    if (stays.rows > 1) break;
  }
  return stays;
}

namespace {

/// Stays of one operand, with ragged tiles.
std::vector<CountedStays> stays_by_length(const CostTables& tables, const CompactMapping& mapping,
                                          int operand) {
  const TilesBelow tiles(tables, mapping, stay_loops(tables, mapping, operand));
  std::vector<CountedStays> found;
  for (const TilesBelow::Size& size : tiles.sizes()) {
    ArrayStays stays{size.steps, size.steps, 1};
    for (const int dimension : tables.array.along) {
      stays.rows = tiles.rounds(dimension, size.last);
      if (stays.rows > 1) break;
    }
    found.push_back({stays, size.portions});
  }
  return found;
}

/// Cycles of a stay with an instruction.
double cycles_of_stay(const ArrayTable& table, const ArrayStays& stays) {
  const auto whole_blocks = static_cast<double>(stays.rows / table.rows);
  const auto rest = static_cast<double>(stays.rows % table.rows);
  const auto others = static_cast<double>(stays.instruction / stays.rows);
  const auto block_cycles = [&](double rows) { return std::max(rows, table.min_cycles); };
  const double first = block_cycles(static_cast<double>(std::min(stays.rows, table.rows)));
  const double blocks =
      whole_blocks * block_cycles(static_cast<double>(table.rows)) + (rest > 0 ? block_cycles(rest) : 0);
  return std::max(others * blocks + std::max(0.0, table.reload_cycles - first),
                  table.interval * others * (whole_blocks + (rest > 0 ? 1 : 0)));
}

}  // namespace

ArrayPace::ArrayPace(const ArrayTable& table, const ArrayStays& stays, std::int64_t steps,
                     const StepCycles& step)
    : ArrayPace(steps, step) {
  even_ = !table.any();
  if (even_) return;
  const auto all = static_cast<double>(steps);
  if (table.has_fold)
    fold_ = {stays.fold, table.fold_cycles, table.overlapped ? all : static_cast<double>(stays.fold)};
  if (table.has_instruction) {
    const auto stay = static_cast<double>(stays.instruction);
    instruction_ = {stays.instruction, cycles_of_stay(table, stays) - stay, stay};
  }
  add_up(steps);
}

ArrayPace::ArrayPace(const ArrayTable& table, std::span<const CountedStays> folds,
                     std::span<const CountedStays> instructions, std::int64_t steps, const StepCycles& step)
    : ArrayPace(steps, step) {
  even_ = false;
  const auto all = static_cast<double>(steps);
  if (table.has_fold) {
    double count = 0;
    for (const CountedStays& one : folds) count += static_cast<double>(one.count);
    fold_ = {folds.front().stays.fold, table.fold_cycles * (table.overlapped ? 1 : count), all};
  }
  if (table.has_instruction) {
    double added = 0;
    for (const CountedStays& one : instructions)
      added += static_cast<double>(one.count) *
               (cycles_of_stay(table, one.stays) - static_cast<double>(one.stays.instruction));
    instruction_ = {instructions.front().stays.instruction, added, all};
  }
  add_up(steps);
}

void ArrayPace::add_up(std::int64_t steps) {
  const auto all = static_cast<double>(steps);
  added_by_fold_ = more(fold_, steps, all);
  added_by_instruction_ = more(instruction_, steps, all);
  cycles_ += added_by_fold_ + added_by_instruction_;
  average_ = cycles_ / without_keys_;
}

double ArrayPace::longest_periods() const {
  // Periods are rounded up where a stay is no whole number of cycles; each is a stay or longer.
  double shortest = 0;
  for (const More& rule : {fold_, instruction_}) {
    const auto stay = static_cast<double>(rule.stay);
    const double of_stay = more(rule, rule.stay, stay);
    if (of_stay != std::floor(of_stay)) shortest = shortest > 0 ? std::min(shortest, stay) : stay;
  }
  return cycles_ + (shortest > 0 ? steps_ / shortest : 0);
}

std::int64_t ArrayPace::within(std::int64_t period, std::int64_t part) const {
  const auto steps = static_cast<double>(part);
  const double passed = step_.efficiency == 1 ? steps : std::floor(snapped(steps * step_.of_one()));
  return whole(passed + more(fold_, period, steps) + more(instruction_, period, steps));
}

ArrayPace pace_of(const CostTables& tables, const CompactMapping& mapping) {
  const std::int64_t steps = all_steps(tables, mapping);
  if (!tables.array.any()) return {steps, tables.step};
  if (!is_ragged(tables, mapping)) return {tables.array, stays_of(tables, mapping), steps, tables.step};
  return {tables.array, stays_by_length(tables, mapping, tables.array.fold_operand),
          stays_by_length(tables, mapping, tables.array.instruction_operand), steps, tables.step};
}

}  // namespace zz::core
