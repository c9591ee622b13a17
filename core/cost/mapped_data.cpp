#include "core/cost/mapped_data.hpp"

#include <algorithm>
#include <cmath>

namespace zz::core {
namespace {

constexpr double counting_noise = 1e-9;

std::int64_t whole_below(double iterations) {
  return std::max<std::int64_t>(1,
                                static_cast<std::int64_t>(std::floor(iterations * (1 + counting_noise))));
}

}  // namespace

MappedData::MappedData(const Accelerator& accelerator, const Layer& layer, const SpatialMapping& spatial,
                       const TemporalMapping& temporal)
    : layer_(layer), spatial_(spatial), temporal_(temporal) {
  memories_.resize(layer.operands.size());
  width_.resize(layer.operands.size());
  // Memories of one operand follow each other in the file from the units outwards.
  for (std::size_t operand = 0; operand < layer.operands.size(); ++operand) {
    const std::string& held = layer.memory_operand(static_cast<int>(operand));
    for (const Memory& memory : accelerator.memories)
      if (memory.holds(held)) memories_[operand].push_back(&memory);
    width_[operand].resize(memories_[operand].size());
  }
  for (const Memory& memory : accelerator.memories) {
    for (std::size_t operand = 0; operand < memories_.size(); ++operand) {
      const int level = level_of(operand, memory);
      if (level < 0) continue;
      const std::string& held = layer.memory_operand(static_cast<int>(operand));
      for (int direction = 0; direction < direction_count; ++direction) {
        // Of two ports with one transfer the last one counts.
        const Port* serving = nullptr;
        for (const Port& port : memory.ports) {
          for (const PortAllocation& allocation : port.allocation) {
            if (allocation.operand == held && allocation.direction == static_cast<Direction>(direction))
              serving = &port;
          }
        }
        if (serving == nullptr) continue;
        const auto at = static_cast<std::size_t>(level);
        width_[operand][at][static_cast<std::size_t>(direction)] =
            static_cast<double>(serving->bandwidth_max);
        auto use = std::find_if(ports_.begin(), ports_.end(),
                                [&](const PortUse& listed) { return listed.port == serving; });
        if (use == ports_.end()) use = ports_.insert(ports_.end(), {&memory, serving, {}});
        use->served.push_back({operand, at, static_cast<Direction>(direction)});
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
  for (const TemporalLoop& loop : temporal_.loops) iterations *= static_cast<double>(loop.size);
  return iterations;
}

double MappedData::operations() const {
  double operations = 1;
  for (const LoopDimension& loop : layer_.loops) operations *= static_cast<double>(loop.size);
  return operations;
}

double MappedData::units() const {
  double units = 1;
  for (const auto& level : spatial_.operands.front().levels)
    for (const UnrolledLoop& loop : level) units *= loop.factor;
  return units;
}

double MappedData::covered(std::size_t operand, std::size_t loop) const {
  const std::string& name = layer_.loops[loop].name;
  double iterations = 1;
  for (const TemporalLoop& temporal : temporal_.loops)
    if (temporal.dimension == name) iterations *= static_cast<double>(temporal.size);
  for (const auto& level : spatial_.operands[operand].levels)
    for (const UnrolledLoop& unrolled : level)
      if (unrolled.dimension == name) iterations *= unrolled.factor;
  return iterations;
}

/// By loop of the layer: what one instance of the memory holds goes over these.
std::vector<double> MappedData::iterations_below(std::size_t operand, std::size_t level) const {
  std::vector<double> iterations(layer_.loops.size(), 1);
  const auto multiply = [&](const std::string& name, double factor) {
    for (std::size_t loop = 0; loop < layer_.loops.size(); ++loop)
      if (layer_.loops[loop].name == name) iterations[loop] *= factor;
  };
  const int cut = temporal_.operands[operand].stationary[level];
  for (int i = 0; i < cut; ++i)
    multiply(temporal_.loops[static_cast<std::size_t>(i)].dimension,
             static_cast<double>(temporal_.loops[static_cast<std::size_t>(i)].size));
  for (std::size_t below = 0; below <= level; ++below)
    for (const UnrolledLoop& unrolled : spatial_.operands[operand].levels[below])
      multiply(unrolled.dimension, unrolled.factor);
  return iterations;
}

double MappedData::elements(std::size_t operand, const std::vector<double>& iterations) const {
  const auto of = [&](const std::string& name) {
    for (std::size_t loop = 0; loop < layer_.loops.size(); ++loop)
      if (layer_.loops[loop].name == name) return iterations[loop];
    return 1.0;
  };
  double elements = 1;
  for (const std::string& dimension : layer_.operands[operand].dimensions) {
    const auto relation =
        std::find_if(layer_.relations.begin(), layer_.relations.end(),
                     [&](const DimensionRelation& candidate) { return candidate.data == dimension; });
    if (relation == layer_.relations.end()) {
      elements *= of(dimension);
    } else {
      const double positions = distinct_values(relation->stride, whole_below(of(relation->output_loop)),
                                               relation->dilation, whole_below(of(relation->filter_loop)));
      elements *= std::min(positions, static_cast<double>(relation->size));
    }
  }
  return elements;
}

bool MappedData::is_addressed_by(std::size_t operand, const std::string& loop) const {
  for (const std::string& dimension : layer_.operands[operand].dimensions) {
    if (dimension == loop) return true;
    for (const DimensionRelation& relation : layer_.relations)
      if (relation.data == dimension && (relation.output_loop == loop || relation.filter_loop == loop))
        return true;
  }
  return false;
}

double MappedData::held_bits(std::size_t operand, std::size_t level) const {
  const auto& levels = spatial_.operands[operand].levels;
  double word = static_cast<double>(layer_.operands[operand].precision);
  if (operand == 0) {
    // Results are complete where nothing is added above.
    bool partial = false;
    const auto cut = static_cast<std::size_t>(temporal_.operands[operand].stationary[level]);
    for (std::size_t i = cut; i < temporal_.loops.size(); ++i)
      partial = partial || !is_addressed_by(operand, temporal_.loops[i].dimension);
    for (std::size_t above = level + 1; above < levels.size(); ++above)
      for (const UnrolledLoop& unrolled : levels[above])
        partial = partial || !is_addressed_by(operand, unrolled.dimension);
    if (!partial) word = std::min(word, static_cast<double>(layer_.final_output_precision));
  }
  return word * elements(operand, iterations_below(operand, level));
}

double MappedData::tensor_bits(std::size_t operand) const {
  std::vector<double> all;
  all.reserve(layer_.loops.size());
  for (const LoopDimension& loop : layer_.loops) all.push_back(static_cast<double>(loop.size));
  double word = static_cast<double>(layer_.operands[operand].precision);
  if (operand == 0) word = std::min(word, static_cast<double>(layer_.final_output_precision));
  return word * elements(operand, all);
}

double MappedData::instances(std::size_t operand, std::size_t level) const {
  double instances = 1;
  const auto& levels = spatial_.operands[operand].levels;
  for (std::size_t above = level + 1; above < levels.size(); ++above)
    for (const UnrolledLoop& unrolled : levels[above]) instances *= unrolled.factor;
  return instances;
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
