#include "core/multicore/search/detail/lockstep_plans.hpp"

#include <algorithm>

#include "core/multicore/graph/cut.hpp"

namespace zz::core {
namespace {

constexpr std::int64_t least_rows = 8;  ///< of a core: fewer do not pay for loading an array
/// Rows of layers without constants are cut so much finer at most: their slots must repeat.
constexpr std::int64_t most_parts = 4;
/// Slices of a layer that has no rows to share out: what one core reads once may stream.
constexpr std::int64_t most_slices_alone = 64;

/// The rows that cores share out, and the room of a core.
struct Rows {
  std::string loop;
  std::int64_t cores = 0;
  double room = 0;  ///< bits
};

int weights_of(const Layer& layer) {
  const std::vector<int> constants = constants_in_source_order(layer);
  return constants.empty() ? -1 : constants.back();
}

double bits_of(const Layer& layer, int operand) {
  return static_cast<double>(layer.operand_bits(operand, Rules{}));
}

/// The rows of the layer with most constants of those that ask for lockstep; none: no cores.
Rows rows_of(const std::vector<std::shared_ptr<const Layer>>& layers,
             const MultiCoreAccelerator& accelerator, const std::vector<int>& cores) {
  Rows rows;
  double most = 0;
  std::int64_t longest = 0;
  for (const auto& layer : layers) {
    const int weights = weights_of(*layer);
    if (weights < 0 || !runs_on(*layer, cores)) continue;
    const int memory = accelerator.top(cores.front(), layer->memory_operand(weights));
    if (memory < 0) continue;
    const auto room = static_cast<double>(accelerator.top_memories[memory].size);
    if (bits_of(*layer, weights) <= std::max(room, most)) continue;
    for (const LoopDimension& loop : layer->loops) {
      if (loop.size < least_rows * static_cast<std::int64_t>(cores.size()) ||
          !may_be_spread(*layer, loop.name) || !layer->may_be_cut(layer->loop_index(loop.name)))
        continue;
      if (most == bits_of(*layer, weights) && loop.size <= longest) continue;
      longest = loop.size;
      most = bits_of(*layer, weights);
      rows = {loop.name, static_cast<std::int64_t>(cores.size()), room};
    }
  }
  return rows;
}

/// The fewest pieces of the loop that are at least so many; all iterations where there are not so many.
std::int64_t count_of(std::int64_t size, double wanted) {
  for (const std::int64_t count : piece_counts(size, 1, size))
    if (static_cast<double>(count) >= wanted) return count;
  return size;
}

/// The largest loop with these relevancies to the output and to an operand, or none.
const LoopDimension* largest(const Layer& layer, bool of_output, int operand, bool of_operand) {
  const LoopDimension* best = nullptr;
  for (const LoopDimension& loop : layer.loops) {
    const int index = layer.loop_index(loop.name);
    if (loop.size == 1 || !layer.may_be_cut(index)) continue;
    if ((layer.relevancy(0, index) == Relevancy::relevant) != of_output) continue;
    if ((layer.relevancy(operand, index) == Relevancy::relevant) != of_operand) continue;
    if (best == nullptr || loop.size > best->size) best = &loop;
  }
  return best;
}

/// A layer with constants: slices of these, and what it adds up over in parts, outside.
Cut in_slices(const Layer& layer, const Rows& rows, double share) {
  Cut cut;
  const int weights = weights_of(layer);
  const bool shared = layer.loop_size(rows.loop) >= rows.cores && may_be_spread(layer, rows.loop);
  const LoopDimension* channels = largest(layer, true, weights, true);
  const LoopDimension* sums = largest(layer, false, weights, true);
  double read = 0;
  for (int operand = 1; operand < static_cast<int>(layer.operands.size()); ++operand)
    if (!layer.operands[operand].constant)
      read += bits_of(layer, operand) / static_cast<double>(rows.cores);
  std::int64_t parts = 1;
  if (shared && sums != nullptr && read > rows.room / 2)
    parts = count_of(sums->size, read / (share * rows.room));
  double slices = bits_of(layer, weights) / static_cast<double>(parts) / (share * rows.room);
  if (!shared) slices = std::min(slices, static_cast<double>(most_slices_alone));
  if (channels != nullptr && slices > 1) cut.push_back({channels->name, count_of(channels->size, slices)});
  if (parts > 1) cut.push_back({sums->name, parts});
  if (shared) cut.push_back({rows.loop, rows.cores, true, true});
  return cut;
}

/// A layer without constants: its rows, and pieces that share nothing with others.
Cut in_blocks(const Layer& layer, const Rows& rows, double share) {
  if (layer.loop_size(rows.loop) < rows.cores || layer.operands.size() < 2) return {};
  Cut cut;
  double most = 0;
  for (int operand = 0; operand < static_cast<int>(layer.operands.size()); ++operand)
    most = std::max(most, bits_of(layer, operand));
  const LoopDimension* apart = nullptr;  // heads
  for (const LoopDimension& loop : layer.loops) {
    const int index = layer.loop_index(loop.name);
    bool of_all = loop.size > 1 && loop.name != rows.loop && layer.may_be_cut(index);
    for (int operand = 0; operand < static_cast<int>(layer.operands.size()); ++operand)
      of_all = of_all && layer.relevancy(operand, index) == Relevancy::relevant;
    if (of_all && (apart == nullptr || loop.size > apart->size)) apart = &loop;
  }
  std::int64_t parts = 1;
  const double pieces = static_cast<double>(rows.cores * (apart != nullptr ? apart->size : 1));
  while (parts < most_parts && most / pieces / static_cast<double>(parts) > share * rows.room / 2)
    parts *= 2;
  while (parts > 1 && layer.loop_size(rows.loop) < parts * rows.cores) parts /= 2;
  cut.push_back({rows.loop, parts * rows.cores});
  if (apart != nullptr) cut.push_back({apart->name, apart->size});
  return cut;
}

/// By slot: the core of a piece. Slots are whole rounds of the rows of all cores, in parts or not, so that
/// each core has the same rows of every layer, and members of a group are on different cores.
Plan::CoreSlots slots_of(const Layer& layer, const Cut& cut, int cores) {
  const int round = static_cast<int>(most_parts) * cores;
  const int slots = (Plan::fewest_slots + round - 1) / round * round;
  if (std::any_of(cut.begin(), cut.end(), [](const CutLoop& loop) { return loop.lockstep; }))
    return slots_in_turn(0, slots);
  Plan::CoreSlots in_blocks = slots_alike(0, slots);
  const auto pieces = static_cast<int>(cut.empty() ? 1 : cut.front().count.value_or(1));
  if (weights_of(layer) >= 0 || pieces % cores != 0) return in_blocks;
  for (int i = 0; i < slots; ++i) in_blocks[i] = i % pieces * cores / pieces;
  return in_blocks;
}

}  // namespace

std::vector<Partition> lockstep_partitions(const Workload& workload,
                                           const MultiCoreAccelerator& accelerator,
                                           const ScheduleSearchOptions& options, int most_nodes,
                                           CutMenus& menus) {
  std::vector<Partition> partitions;
  const std::vector<std::shared_ptr<const Layer>> layers = layers_by_id(workload);
  const std::vector<int> cores = equal_cores(accelerator);
  if (options.samples > 1 || !options.dimensions.empty() || cores.size() < 2) return partitions;
  const Rows rows = rows_of(layers, accelerator, cores);
  if (rows.cores == 0) return partitions;
  for (const double share : {1.0 / 4, 1.0 / 8, 1.0 / 16}) {
    std::vector<Cut> cuts;
    std::int64_t nodes = 0;
    for (const auto& layer : layers) {
      const bool here = runs_on(*layer, cores);
      cuts.push_back(!here                    ? Cut{}
                     : weights_of(*layer) < 0 ? in_blocks(*layer, rows, share)
                                              : in_slices(*layer, rows, share));
      nodes += pieces(cuts.back(), *layer);
    }
    if (nodes > most_nodes) continue;
    Partition& partition = partitions.emplace_back();
    for (std::size_t i = 0; i < layers.size(); ++i) partition.push_back(index_of(menus[i], cuts[i]));
  }
  return partitions;
}

std::vector<Plan> lockstep_plans(const PartitionGraphs& graphs, const MultiCoreAccelerator& accelerator,
                                 const std::vector<Partition>& partitions) {
  const auto cores = static_cast<int>(equal_cores(accelerator).size());
  const int layers = static_cast<int>(graphs.layers().size());
  std::vector<int> first_reader(layers, layers);
  for (const auto& [producer, consumer] : graphs.pairs())
    first_reader[producer] = std::min(first_reader[producer], consumer);
  std::vector<Plan> plans;
  for (const Partition& partition : partitions) {
    Plan& plan = plans.emplace_back();
    plan.cuts = partition;
    for (int layer = 0; layer < layers; ++layer) {
      plan.cores.push_back(
          slots_of(*graphs.layers()[layer], graphs.cuts()[layer][partition[layer]], cores));
      plan.order.layer_offset.push_back(-first_reader[layer]);
      plan.order.layer_slope.push_back(0.99);
    }
  }
  return plans;
}

}  // namespace zz::core
