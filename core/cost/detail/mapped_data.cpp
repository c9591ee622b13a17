#include "core/cost/detail/mapped_data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/hardware/layer_sparsity.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/workload/tile_bits.hpp"

namespace zz::core {
namespace {

constexpr double counting_noise = 1e-9;

std::int64_t whole_below(double iterations) {
  return std::max<std::int64_t>(1,
                                static_cast<std::int64_t>(std::floor(iterations * (1 + counting_noise))));
}

double whole_above(double units) { return std::ceil(units * (1 - counting_noise)); }

}  // namespace

MappedData::MappedData(const Accelerator& accelerator, const Layer& layer, const SpatialMapping& spatial,
                       const TemporalMapping& temporal)
    : layer_(layer), temporal_(temporal) {
  for (const TemporalLoop& loop : temporal.loops) timed_.push_back(number_of(loop.dimension));
  for (std::size_t operand = 0; operand < layer.operands.size(); ++operand) {
    list_data(operand);
    std::vector<Unrolled>& unrolled = unrolled_.emplace_back();
    const auto& levels = spatial.operands[operand].levels;
    for (std::size_t level = 0; level < levels.size(); ++level)
      for (const UnrolledLoop& loop : levels[level])
        unrolled.push_back({number_of(loop.dimension), level, loop.factor});
  }
  list_memories(accelerator);
  if (counts_zeros(accelerator)) {
    const MemoryHierarchy& hierarchy = accelerator.hierarchy();
    for (std::size_t operand = 0; operand < layer.operands.size(); ++operand) {
      const int number = static_cast<int>(operand);
      const int held = hierarchy.operand_index(layer.memory_operand(number));
      held_.push_back(
          held_bits_of(layer, number, accelerator, held < 0 ? std::vector<int>() : hierarchy.levels[held]));
    }
  }
  for (std::size_t loop = 0; loop < layer.loops.size(); ++loop) {
    double units = 1, times = 1;
    for (const Unrolled& unrolled : unrolled_.front())
      if (unrolled.loop == loop) units *= unrolled.factor;
    for (std::size_t i = 0; i < timed_.size(); ++i)
      if (timed_[i] == loop) times *= static_cast<double>(temporal.loops[i].size);
    walked_.push_back(std::min(times, whole_above(static_cast<double>(layer.loops[loop].size) / units)));
  }
  if (!accelerator.array.on_zero.empty()) rounds_made_ = fewest_rounds(accelerator.array);
}

double MappedData::fewest_rounds(const OperationalArray& array) const {
  std::vector<SkippedZeros> skipped;
  double of_one_unit = 1;
  bool pattern = false;
  for (const OperandOnZero& one : array.on_zero) {
    const int operand = layer_.operand_index(one.operand);
    const OperandSparsity* const zeros = sparsity_of(layer_, one.operand);
    if (one.does != OnZero::skip || operand < 0 || zeros == nullptr) continue;
    skipped.push_back({static_cast<std::size_t>(operand), density_of(*zeros)});
    of_one_unit *= density_of(*zeros);
    pattern = pattern || !zeros->pattern.empty();
  }
  if (!array.skip_together || pattern || of_one_unit == 1) return of_one_unit;
  std::vector<double> units(layer_.loops.size() + 1, 1);
  for (const Unrolled& unrolled : unrolled_.front()) units[unrolled.loop] *= unrolled.factor;
  // Units at different places of a filter share inputs in a way of their own: those at one place are some.
  for (const auto& extents : extents_)
    for (const Extent& extent : extents)
      if (extent.relation != nullptr && skipped.size() > 1) units[extent.filter] = 1;
  return std::max(of_one_unit, rounds_with(skipped, units, 0));
}

double MappedData::rounds_with(const std::vector<SkippedZeros>& skipped, std::vector<double> units,
                               std::size_t loop) const {
  for (; loop < layer_.loops.size(); ++loop) {
    const double low = static_cast<double>(whole_below(units[loop])), share = units[loop] - low;
    units[loop] = low;
    if (share <= counting_noise * low) continue;
    const double fewer = rounds_with(skipped, units, loop + 1);
    units[loop] = low + 1;
    return (1 - share) * fewer + share * rounds_with(skipped, units, loop + 1);
  }
  // Units that have one element or the other in common are a group; groups have nothing in common.
  const auto some = [](double likely, double of) { return -std::expm1(of * std::log1p(-likely)); };
  double all = 1, groups = 1;
  for (std::size_t i = 0; i < layer_.loops.size(); ++i)
    if (std::any_of(skipped.begin(), skipped.end(),
                    [&](const SkippedZeros& one) { return addressed_[one.operand][i]; }))
      all *= units[i];
  if (skipped.size() > 1)
    groups = elements(skipped[0].operand, units) * elements(skipped[1].operand, units) / all;
  double likely = 1;  // that a group has something to do
  for (const SkippedZeros& one : skipped)
    likely *= some(one.density, elements(one.operand, units) / groups);
  return some(likely, groups);
}

double MappedData::tile(std::size_t loop, std::size_t cut) const {
  double rounds = 1;
  for (std::size_t i = 0; i < cut; ++i)
    if (timed_[i] == loop) rounds *= static_cast<double>(temporal_.loops[i].size);
  return std::min(rounds, walked_[loop]);
}

double MappedData::tiles_of(std::size_t loop, std::size_t cut) const {
  return std::ceil(walked_[loop] / tile(loop, cut));
}

double MappedData::all_tiles(std::size_t cut) const {
  double tiles = 1;
  for (std::size_t loop = 0; loop < walked_.size(); ++loop) tiles *= tiles_of(loop, cut);
  return tiles;
}

template <class Visit>
void MappedData::for_each_tile(std::size_t cut, const Visit& visit) const {
  std::vector<double> rounds(walked_.size() + 1, 1);
  const auto choose = [&](const auto& self, std::size_t loop, double times) -> void {
    if (loop == walked_.size()) return visit(rounds, times);
    const double whole = tile(loop, cut), count = tiles_of(loop, cut);
    const double last = walked_[loop] - (count - 1) * whole;
    rounds[loop] = whole;
    self(self, loop + 1, times * (last < whole ? count - 1 : count));
    rounds[loop] = last;
    if (last < whole) self(self, loop + 1, times);
  };
  choose(choose, 0, 1);
}

std::size_t MappedData::number_of(const std::string& loop) const {
  std::size_t number = 0;
  while (number < layer_.loops.size() && layer_.loops[number].name != loop) ++number;
  return number;
}

void MappedData::list_data(std::size_t operand) {
  std::vector<Extent>& extents = extents_.emplace_back();
  std::vector<bool>& addressed = addressed_.emplace_back(layer_.loops.size() + 1, false);
  for (const std::string& dimension : layer_.operands[operand].dimensions) {
    const auto relation =
        std::find_if(layer_.relations.begin(), layer_.relations.end(),
                     [&](const DimensionRelation& candidate) { return candidate.data == dimension; });
    if (relation == layer_.relations.end())
      extents.push_back({nullptr, number_of(dimension), 0});
    else
      extents.push_back({&*relation, number_of(relation->output_loop), number_of(relation->filter_loop)});
    addressed[extents.back().loop] = true;
    if (extents.back().relation != nullptr) addressed[extents.back().filter] = true;
  }
  addressed.back() = false;
}

void MappedData::list_memories(const Accelerator& accelerator) {
  memories_.resize(layer_.operands.size());
  width_.resize(layer_.operands.size());
  std::vector<const std::string*> held;
  for (std::size_t operand = 0; operand < layer_.operands.size(); ++operand)
    held.push_back(&layer_.memory_operand(static_cast<int>(operand)));
  // Memories of one operand follow each other in the file from the units outwards.
  for (const Memory& memory : accelerator.memories) {
    for (std::size_t operand = 0; operand < held.size(); ++operand) {
      if (!memory.holds(*held[operand])) continue;
      // The last of two ports with one transfer counts.
      std::array<const Port*, direction_count> serving{};
      for (const Port& port : memory.ports)
        for (const PortAllocation& allocation : port.allocation)
          if (allocation.operand == *held[operand])
            serving[static_cast<std::size_t>(allocation.direction)] = &port;
      const std::size_t level = memories_[operand].size();
      memories_[operand].push_back(&memory);
      std::array<double, direction_count>& widths = width_[operand].emplace_back();
      for (std::size_t direction = 0; direction < widths.size(); ++direction) {
        if (serving[direction] == nullptr) continue;
        widths[direction] = static_cast<double>(serving[direction]->bandwidth_max);
        auto use = std::find_if(ports_.begin(), ports_.end(),
                                [&](const PortUse& listed) { return listed.port == serving[direction]; });
        if (use == ports_.end()) use = ports_.insert(ports_.end(), {&memory, serving[direction], {}});
        use->served.push_back({operand, level, static_cast<Direction>(direction)});
      }
    }
  }
}

int MappedData::level_of(std::size_t operand, const Memory& memory) const {
  const auto& levels = memories_[operand];
  const auto found = std::find(levels.begin(), levels.end(), &memory);
  return found == levels.end() ? -1 : static_cast<int>(found - levels.begin());
}

double MappedData::temporal_iterations() const {
  double iterations = 1;
  for (const double rounds : walked_) iterations *= rounds;
  return iterations;
}

std::size_t MappedData::stay_of(const std::string& memory_operand) const {
  std::size_t operand = 0;
  while (operand < layer_.operands.size() &&
         layer_.memory_operand(static_cast<int>(operand)) != memory_operand)
    ++operand;
  return operand < layer_.operands.size() ? loops_that_keep(operand) : timed_.size();
}

std::size_t MappedData::loops_that_keep(std::size_t operand) const {
  std::size_t loops = 0;
  while (loops < timed_.size() && (temporal_.loops[loops].size <= 1 || !addressed_[operand][timed_[loops]]))
    ++loops;
  return loops;
}

double MappedData::units_along(const ArrayDimension& dimension) const {
  double units = 1;
  for (const ArrayUnrolling& along : layer_.mapping.spatial_mapping.dimensions) {
    if (along.array_dimension != dimension.name) continue;
    for (const SpatialLoop& loop : along.loops) {
      const std::size_t number = number_of(loop.dimension);
      double average = 1, elsewhere = 1;
      for (const Unrolled& unrolled : unrolled_.front())
        if (unrolled.loop == number) average *= unrolled.factor;
      for (const ArrayUnrolling& other : layer_.mapping.spatial_mapping.dimensions)
        for (const SpatialLoop& one : other.loops)
          if (&other != &along && one.dimension == loop.dimension)
            elsewhere *= static_cast<double>(one.factor);
      if (number < layer_.loops.size()) units *= average / elsewhere;
    }
  }
  return std::max(1.0, std::ceil(units * (1 - counting_noise)));
}

double MappedData::fold_cycles(const OperationalArray& array) const {
  std::map<std::string, const ArrayDimension*> by_name;
  for (const ArrayDimension& dimension : array.dimensions) by_name[dimension.name] = &dimension;
  double cycles = 0;
  auto dimension = by_name.begin();
  for (const FoldUnits units : {array.fold->fill, array.fold->drain}) {
    if (dimension == by_name.end()) break;
    const double all = units == FoldUnits::whole ? static_cast<double>(dimension->second->size)
                                                 : units_along(*dimension->second);
    if (units != FoldUnits::none) cycles += std::max(0.0, all - 1);
    ++dimension;
  }
  const auto loaded = by_name.find(array.fold->preload);
  return cycles + (loaded == by_name.end() ? 0 : static_cast<double>(loaded->second->size));
}

double MappedData::instruction_cycles(const ArrayInstruction& instruction) const {
  double cycles = 0;
  for_each_tile(stay_of(instruction.operand), [&](const std::vector<double>& stay, double times) {
    double steps = 1, rows = 1;
    for (const double rounds : stay) steps *= rounds;
    for (const std::string& loop : instruction.along) {
      const std::size_t number = number_of(loop);
      if (number < layer_.loops.size() && rows == 1) rows = stay[number];
    }
    const auto most = static_cast<double>(instruction.rows);
    const double blocks = std::ceil(rows / most), last = rows - (blocks - 1) * most;
    const auto takes = [&](double block) { return std::max(block, instruction.min_cycles); };
    const double wait = std::max(0.0, instruction.reload_cycles - takes(std::min(most, rows)));
    cycles += times * std::max(steps / rows * ((blocks - 1) * takes(most) + takes(last)) + wait,
                               instruction.interval * blocks * steps / rows);
  });
  return cycles;
}

double MappedData::array_cycles(const Accelerator& accelerator) const {
  const OperationalArray& array = accelerator.array;
  double cycles = temporal_iterations() * rounds_made_ / array.efficiency;
  if (array.instruction) cycles += instruction_cycles(*array.instruction) - temporal_iterations();
  if (array.fold)
    cycles += (array.fold->overlapped ? 1 : all_tiles(stay_of(array.fold->operand))) * fold_cycles(array);
  return cycles;
}

double MappedData::operations() const {
  double operations = 1;
  for (const LoopDimension& loop : layer_.loops) operations *= static_cast<double>(loop.size);
  return operations;
}

double MappedData::units() const {
  double units = 1;
  for (const Unrolled& unrolled : unrolled_.front()) units *= unrolled.factor;
  return units;
}

double MappedData::covered(std::size_t operand, std::size_t loop) const {
  double iterations = walked_[loop];
  for (const Unrolled& unrolled : unrolled_[operand])
    if (unrolled.loop == loop) iterations *= unrolled.factor;
  return iterations;
}

/// By loop of the layer: what one instance of the memory holds in the fullest round goes over these.
std::vector<double> MappedData::iterations_below(std::size_t operand, std::size_t level) const {
  std::vector<double> iterations(layer_.loops.size() + 1, 1);
  const auto cut = static_cast<std::size_t>(temporal_.operands[operand].stationary[level]);
  for (std::size_t loop = 0; loop < walked_.size(); ++loop) iterations[loop] = tile(loop, cut);
  for (const Unrolled& unrolled : unrolled_[operand])
    if (unrolled.level <= level) iterations[unrolled.loop] *= whole_above(unrolled.factor);
  for (std::size_t loop = 0; loop < layer_.loops.size(); ++loop)
    iterations[loop] = std::min(iterations[loop], static_cast<double>(layer_.loops[loop].size));
  iterations.back() = 1;  // for a dimension that the layer does not have
  return iterations;
}

double MappedData::elements(std::size_t operand, const std::vector<double>& iterations) const {
  double elements = 1;
  for (const Extent& extent : extents_[operand]) {
    if (extent.relation == nullptr) {
      elements *= iterations[extent.loop];
    } else {
      const double positions =
          distinct_values(extent.relation->stride, whole_below(iterations[extent.loop]),
                          extent.relation->dilation, whole_below(iterations[extent.filter]));
      elements *= std::min(positions, static_cast<double>(extent.relation->size));
    }
  }
  return elements;
}

double MappedData::word(std::size_t operand, std::size_t level, bool results,
                        const std::vector<double>& iterations) const {
  if (!held_.empty() && !held_[operand].in_format.empty())
    return held_[operand].at(static_cast<int>(level), results).of_element([&](int loop) {
      return iterations[static_cast<std::size_t>(loop)];
    });
  const LayerOperand& tensor = layer_.operands[operand];
  const auto of = [&](std::int64_t bits, const BlockScale& scale) {
    if (scale.bits == 0) return static_cast<double>(bits);
    std::size_t along = number_of(scale.along);
    if (scale.along.empty()) {
      const int axis = scale_axis(layer_, static_cast<int>(operand));
      if (axis >= 0) along = static_cast<std::size_t>(axis);
    }
    const double run = iterations[along];
    double blocks = 0;
    for (double left = whole_below(run); left > 0; left -= static_cast<double>(scale.every)) ++blocks;
    // On average over rounds a run is between two whole numbers.
    return static_cast<double>(bits) + static_cast<double>(scale.bits) * blocks / run;
  };
  const double word = of(tensor.precision, tensor.scale);
  return results ? std::min(word, of(layer_.final_output_precision, layer_.final_output_scale)) : word;
}

double MappedData::held_bits(std::size_t operand, std::size_t level) const {
  bool results = false;
  if (operand == 0) {
    // Results are complete where nothing is added, here or above.
    bool partial = false;
    const std::vector<bool>& addressed = addressed_[operand];
    const std::vector<int>& cuts = temporal_.operands[operand].stationary;
    const auto lower = static_cast<std::size_t>(level > 0 ? cuts[level - 1] : 0);
    for (std::size_t i = lower; i < timed_.size(); ++i)
      partial = partial || (temporal_.loops[i].size > 1 && !addressed[timed_[i]]);
    for (const Unrolled& unrolled : unrolled_[operand])
      partial = partial || (unrolled.level > level && unrolled.factor > 1 && !addressed[unrolled.loop]);
    results = !partial;
  }
  const std::vector<double> iterations = iterations_below(operand, level);
  return word(operand, level, results, iterations) * elements(operand, iterations);
}

double MappedData::tensor_bits(std::size_t operand, std::size_t level) const {
  std::vector<double> all;
  all.reserve(layer_.loops.size() + 1);
  for (const LoopDimension& loop : layer_.loops) all.push_back(static_cast<double>(loop.size));
  all.push_back(1);
  return word(operand, level, operand == 0, all) * elements(operand, all);
}

double MappedData::visits(std::size_t level, bool above_upper_cut) const {
  const std::vector<int>& cuts = temporal_.operands[0].stationary;
  const int cut = above_upper_cut ? cuts[level] : level > 0 ? cuts[level - 1] : 0;
  double visits = 1;
  for (std::size_t loop = 0; loop < walked_.size(); ++loop)
    if (!addressed_[0][loop]) visits *= tiles_of(loop, static_cast<std::size_t>(cut));
  return visits;
}

double MappedData::tiles(std::size_t operand, std::size_t level) const {
  return all_tiles(static_cast<std::size_t>(temporal_.operands[operand].stationary[level]));
}

double MappedData::instances(std::size_t operand, std::size_t level) const {
  double instances = 1;
  for (const Unrolled& unrolled : unrolled_[operand])
    if (unrolled.level > level) instances *= whole_above(unrolled.factor);
  return instances;
}

std::size_t MappedData::loops_of_portion(const Served& served) const {
  const std::vector<int>& cuts = temporal_.operands[served.operand].stationary;
  const bool at_upper_memory =
      served.direction == Direction::read_to_low || served.direction == Direction::write_from_low;
  if (!at_upper_memory) return static_cast<std::size_t>(cuts[served.level]);
  if (served.level > 0) return static_cast<std::size_t>(cuts[served.level - 1]);
  return served.operand > 0 ? loops_that_keep(served.operand) : 0;
}

double MappedData::portions(const Served& served) const { return all_tiles(loops_of_portion(served)); }

double MappedData::whole_portions(const Served& served) const {
  double whole = 0;
  for_each_tile(loops_of_portion(served), [&](const std::vector<double>&, double times) {
    if (whole == 0) whole = times;
  });
  return whole;
}

double MappedData::request_cycles(const Port& port, const Served& served) const {
  if (!port.request) return 0;
  const LayerOperand& operand = layer_.operands[served.operand];
  std::string innermost;
  for (const OperandLayout& layout : layer_.mapping.layout)
    for (const std::string& dimension : layout.dimensions)
      if (layout.operand == operand.name && std::find(operand.dimensions.begin(), operand.dimensions.end(),
                                                      dimension) != operand.dimensions.end())
        innermost = dimension;
  const bool results =
      served.direction == Direction::write_from_low || served.direction == Direction::read_to_high;
  const bool own = results && port.request->store.has_value();
  const auto bytes = static_cast<double>(own ? port.request->store->bytes : port.request->bytes);
  double cycles = 0;
  for_each_tile(loops_of_portion(served), [&](std::vector<double> iterations, double times) {
    for (const Unrolled& unrolled : unrolled_[served.operand])
      if (unrolled.level <= served.level) iterations[unrolled.loop] *= unrolled.factor;
    iterations.back() = 1;
    double stretches = 1, stretch = 1;
    for (std::size_t i = 0; i < operand.dimensions.size(); ++i) {
      const Extent& extent = extents_[served.operand][i];
      double positions = iterations[extent.loop];
      if (extent.relation != nullptr)
        positions =
            std::min(distinct_values(extent.relation->stride, whole_below(iterations[extent.loop]),
                                     extent.relation->dilation, whole_below(iterations[extent.filter])),
                     static_cast<double>(extent.relation->size));
      (operand.dimensions[i] == innermost ? stretch : stretches) *= positions;
    }
    cycles += times * stretches *
              whole_above(stretch * word(served.operand, served.level, results, iterations) / 8 / bytes) *
              (own ? port.request->store->cycles : port.request->cycles);
  });
  return cycles;
}

double MappedData::port_width(std::size_t operand, std::size_t level, Direction direction) const {
  return width_[operand][level][static_cast<std::size_t>(direction)];
}

double distinct_values(std::int64_t stride, std::int64_t steps, std::int64_t dilation, std::int64_t taps) {
  constexpr std::int64_t most_counted = 1 << 16;
  if (stride > most_counted || taps > most_counted) return static_cast<double>(std::max(steps, taps));
  // Values of one b are a progression. Those of one remainder by the stride overlap, later ones at the end.
  std::vector<std::int64_t> end(static_cast<std::size_t>(stride), 0);
  double count = 0;
  for (std::int64_t b = 0; b < taps; ++b) {
    const std::int64_t first = dilation * b / stride;
    std::int64_t& covered = end[static_cast<std::size_t>(dilation * b % stride)];
    count += static_cast<double>(first + steps - std::max(first, covered));
    covered = first + steps;
  }
  return count;
}

}  // namespace zz::core
