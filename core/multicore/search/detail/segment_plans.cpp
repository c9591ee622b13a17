#include "core/multicore/search/detail/segment_plans.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/base/interruption.hpp"
#include "core/multicore/graph/samples.hpp"

namespace zz::core {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

/// The place of a piece along one axis: shares of the whole.
struct Interval {
  double low = 0, high = 1;

  bool overlaps(const Interval& other) const {
    constexpr double nothing = 1e-9;
    return low + nothing < other.high && other.low + nothing < high;
  }
};

/// One grid of a layer with what the program knows of it. Figures are of one node.
struct GridOption {
  int cut = 0;  ///< of the menu
  Cut loops;    ///< without samples
  double cycles = 0;
  double constants = 0, result = 0;  ///< bits; the result is of all samples of the node
};

/// A layer of the program.
struct PlannedLayer {
  std::vector<GridOption> options;  ///< none: it runs on other cores, or has no grid that fits
  int cut_without_grid = 0;         ///< then
  double cycles_without_grid = 0;   ///< ... of a sample; 0 where each cut streams
  double constants = 0;             ///< bits of the whole layer
  double result = 0;                ///< bits of a sample
  std::vector<int> producers;
  int last_reader = -1;
};

class SegmentProgram {
 public:
  SegmentProgram(const PlanSpace& space, PartitionGraphs& graphs, const CutPrices& prices,
                 const MultiCoreAccelerator& accelerator, std::int64_t most_nodes)
      : space_(space),
        graphs_(graphs),
        accelerator_(accelerator),
        samples_(space.samples()),
        cores_(equal_cores(accelerator)),
        together_(samples_of_plan(graphs.layers().size(), cores_.size(), samples_, most_nodes)) {
    if (cores_.size() < 2) return;
    read_layers(prices);
    read_machine();
  }

  bool possible() const {
    return space_.in_order() && std::any_of(layers_.begin(), layers_.end(),
                                            [](const auto& layer) { return !layer.options.empty(); });
  }

  /// `mesh`: weight of what cores receive from each other, beside their work.
  Plan plan(double mesh) {
    mesh_ = mesh;
    const int count = static_cast<int>(layers_.size());
    std::vector<double> until(count + 1, endless);
    std::vector<Segment> segment_to(count + 1);
    until[0] = 0;
    for (int begin = 0; begin < count; ++begin) {
      end_if_interrupted();
      if (until[begin] == endless) continue;
      for (Segment& segment : segments_from(begin)) {
        const double time = until[begin] + segment.time;
        if (time >= until[segment.end]) continue;
        until[segment.end] = time;
        segment_to[segment.end] = std::move(segment);
      }
    }
    Plan found;
    if (until[count] == endless) return found;
    found.cuts.resize(count);
    for (int end = count; end > 0; end = segment_to[end].begin) {
      const Segment& segment = segment_to[end];
      for (int layer = segment.begin; layer < end; ++layer)
        found.cuts[layer] = segment.cuts[layer - segment.begin];
      if (segment.begin > 0) found.order.segments.insert(found.order.segments.begin(), segment.begin);
    }
    found.cores.assign(count, slots_in_turn(0, space_.slots()));
    found.shifts.assign(count, 0);  // a piece of every sample on the core of its place
    return found;
  }

 private:
  struct Segment {
    int begin = 0, end = 0;
    double time = endless;  ///< cycles, of all samples
    std::vector<int> cuts;
  };

  /// By layer and cut: cycles of its longest node, where nothing streams.
  using LongestNodes = std::map<std::pair<int, int>, double>;

  static LongestNodes longest_nodes(const CutPrices& prices) {
    LongestNodes cycles;
    for (const auto& [key, price] : prices.known()) {
      if (price.costs->on.empty()) continue;
      double longest = 0;
      bool fits = true;
      const auto look = [&](const std::vector<CoreCost>& on) {
        longest = std::max(longest, on.front().runtime);
        fits = fits && on.front().streamed.empty();
      };
      look(price.costs->on);
      for (const auto& smaller : price.costs->smaller) look(smaller.on);
      if (!fits) continue;
      // The program counts room itself, so that the lower of the two prices of a cut will do.
      double& least = cycles.try_emplace({key.layer, key.cut}, endless).first->second;
      least = std::min(least, longest);
    }
    return cycles;
  }

  void read_layers(const CutPrices& prices) {
    const int count = static_cast<int>(graphs_.layers().size());
    layers_.resize(count);
    for (const auto& [producer, consumer] : graphs_.pairs()) {
      layers_[consumer].producers.push_back(producer);
      layers_[producer].last_reader = std::max(layers_[producer].last_reader, consumer);
    }
    const auto whole = graphs_.graph(Partition(count, 0));
    for (const Dependency& dependency : whole->dependencies)
      operands_[{whole->nodes[dependency.from].layer, whole->nodes[dependency.to].layer}].insert(
          dependency.operand);
    for (const PieceTensor& tensor : whole->tensors) {
      PlannedLayer& planned = layers_[tensor.layer];
      const auto bits = static_cast<double>(tensor.bits);
      if (tensor.operand == 0) planned.result += bits;
      if (shared_by_samples(*graphs_.layers()[tensor.layer], tensor.operand)) planned.constants += bits;
    }
    const LongestNodes cycles = longest_nodes(prices);
    for (int layer = 0; layer < count; ++layer) {
      end_if_interrupted();
      read_cuts(layer, cycles);
    }
  }

  /// The grids of a layer, and the cut for cores that are not of the team.
  void read_cuts(int layer, const LongestNodes& cycles) {
    const Layer& whole = *graphs_.layers()[layer];
    const bool on_them = runs_on(whole, cores_);
    const auto cores = static_cast<std::int64_t>(cores_.size());
    PlannedLayer& planned = layers_[layer];
    double least = endless;
    for (int cut = 0; cut < static_cast<int>(graphs_.cuts()[layer].size()); ++cut) {
      const auto known = cycles.find({layer, graphs_.cut_of_nodes(layer, cut)});
      if (known == cycles.end()) continue;
      Cut loops = graphs_.cuts()[layer][cut];
      const int together = graphs_.samples_together(layer, cut);
      const bool grid = on_them && together == together_ && is_grid(loops, whole, static_cast<int>(cores));
      const bool spread = !loops.empty() && loops.back().dimension == samples_loop && loops.back().spread;
      std::erase_if(loops, [](const CutLoop& loop) { return loop.dimension == samples_loop; });
      const std::int64_t count = pieces(loops, whole);
      if (grid) planned.options.push_back(option(layer, cut, std::move(loops), known->second));
      const double all = known->second * static_cast<double>(count);
      const bool fine = count > 1 && count * together_ > cores;
      if (together > 1 || spread || fine || all >= least) continue;
      least = all;
      planned.cut_without_grid = cut;
      planned.cycles_without_grid = all;
    }
  }

  GridOption option(int layer, int cut, Cut loops, double cycles) {
    GridOption option{cut, std::move(loops), cycles, 0, 0};
    const auto graph = graphs_.layer(layer, cut);
    const ComputationNode& node = graph->nodes.front();
    const Layer& whole = *graphs_.layers()[layer];
    for (std::size_t operand = 0; operand < whole.operands.size(); ++operand) {
      if (node.tensors[operand] < 0) continue;
      const auto bits = static_cast<double>(graph->tensors[node.tensors[operand]].bits);
      if (operand == 0)
        option.result = bits * together_;
      else if (whole.operands[operand].constant && shared_by_samples(whole, static_cast<int>(operand)))
        option.constants += bits;
    }
    return option;
  }

  void read_machine() {
    for (const int top : accelerator_.cores_tops[cores_.front()])
      room_ += static_cast<double>(accelerator_.top_memories[top].size);
    for (const int link : accelerator_.route(cores_[0], cores_[1]))
      width_ = std::min(width_, bandwidth(link));
    if (accelerator_.offchip_core)
      for (const int link : accelerator_.route(*accelerator_.offchip_core, cores_[0]))
        offchip_ = std::min(offchip_, bandwidth(link));
  }

  double bandwidth(int link) const { return static_cast<double>(accelerator_.links[link].bandwidth); }

  /// The place of a piece along a loop. `halo`: what its windows reach beyond.
  static Interval place(const Cut& loops, const std::string& name, int piece, double halo) {
    int rest = piece;
    for (const CutLoop& loop : loops) {
      const int count = static_cast<int>(loop.count.value_or(1));
      const int at = rest % count;
      rest /= count;
      if (loop.dimension != name) continue;
      return {static_cast<double>(at) / count - halo, static_cast<double>(at + 1) / count + halo};
    }
    return {};
  }

  static bool names(const Cut& loops, const std::string& name) {
    return std::any_of(loops.begin(), loops.end(),
                       [&](const CutLoop& loop) { return loop.dimension == name; });
  }

  /// Share of the loop that a window reaches beyond a piece, on each side.
  static double halo_of(const Layer& layer, const std::string& name) {
    for (const DimensionRelation& relation : layer.relations) {
      if (relation.output_loop != name) continue;
      const std::int64_t filter = layer.loop_size(relation.filter_loop);
      const double extent = static_cast<double>(layer.loop_size(name) * relation.stride);
      return static_cast<double>((filter - 1) * relation.dilation) / 2 / extent;
    }
    return 0;
  }

  struct Received {
    double by_links = 0;  ///< bits of the core that receives most
    double in_all = 0;    ///< bits of the inputs of the core that has most
  };

  /// Pieces of a producer that the cores get: whole ones, wherever they overlap with data that are read.
  Received received(int producer, const GridOption& from, int consumer, const GridOption& to) const {
    const Layer& reader = *graphs_.layers()[consumer];
    const auto known = operands_.find({producer, consumer});
    const std::set<int> operands = known == operands_.end() ? std::set<int>{} : known->second;
    Received most;
    const int cores = static_cast<int>(cores_.size());
    for (int core = 0; core < cores; ++core) {
      double links = 0, all = 0;
      for (int other = 0; other < cores; ++other) {
        bool overlap = true;
        for (const CutLoop& loop : from.loops) {
          // A loop that the reader sums over, or does not have, is read whole.
          if (!overlap) break;
          if (!names(to.loops, loop.dimension)) continue;
          const int index = reader.loop_index(loop.dimension);
          const bool narrows = std::all_of(operands.begin(), operands.end(), [&](int operand) {
            const Relevancy relevancy = reader.relevancy(operand, index);
            return relevancy != Relevancy::irrelevant && relevancy != Relevancy::none;
          });
          if (!narrows) continue;
          overlap = place(from.loops, loop.dimension, other, 0)
                        .overlaps(place(to.loops, loop.dimension, core, halo_of(reader, loop.dimension)));
        }
        if (!overlap) continue;
        all += from.result;
        if (other != core) links += from.result;
      }
      most.by_links = std::max(most.by_links, links);
      most.in_all = std::max(most.in_all, all);
    }
    return most;
  }

  const Received& received_of(int producer, int from, int consumer, int to) {
    const auto [entry, is_new] = received_.try_emplace({producer, from, consumer, to});
    if (is_new)
      entry->second =
          received(producer, layers_[producer].options[from], consumer, layers_[consumer].options[to]);
    return entry->second;
  }

  /// The best segments that begin at a layer, one for each end.
  std::vector<Segment> segments_from(int begin) {
    const int count = static_cast<int>(layers_.size());
    std::vector<Segment> best(count - begin);
    for (const double price : {0.0, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 1.0}) {
      bool all_fit = true;
      follow(begin, price, best, all_fit);
      if (all_fit) break;
    }
    std::erase_if(best, [](const Segment& segment) { return segment.time == endless; });
    return best;
  }

  /// The cheapest grids so far that end with an option of the latest layer.
  struct Path {
    double value = 0;  ///< cycles of a node of each layer, and the price of room
    double cycles = 0, constants = 0, largest = 0;
    std::vector<int> cuts;
  };

  /// Extends segments layer by layer, with a price in cycles for each bit of constants.
  void follow(int begin, double price, std::vector<Segment>& best, bool& all_fit) {
    const int count = static_cast<int>(layers_.size());
    std::vector<Path> paths{{}};
    int latest = -1;  // layer with options, of the paths
    double others = 0, constants = 0;
    for (int layer = begin; layer < count; ++layer) {
      end_if_interrupted();
      const PlannedLayer& planned = layers_[layer];
      constants += planned.constants;
      if (planned.options.empty()) {
        others += planned.cycles_without_grid;
        for (Path& path : paths) path.cuts.push_back(planned.cut_without_grid);
      } else {
        std::vector<Path> next(planned.options.size());
        for (std::size_t to = 0; to < next.size(); ++to)
          extend(paths, latest, layer, static_cast<int>(to), price, next[to]);
        paths = std::move(next);
        latest = layer;
      }
      const auto cheapest = std::min_element(
          paths.begin(), paths.end(), [](const Path& a, const Path& b) { return a.value < b.value; });
      const double moving = 2 * cheapest->largest;
      if (cheapest->constants + moving > room_ && layer > begin) {
        all_fit = false;
        if (least_constants(begin, layer) > room_) return;
        continue;
      }
      const double time = time_of(begin, layer + 1, *cheapest, others, constants);
      Segment& segment = best[layer - begin];
      if (time < segment.time) segment = {begin, layer + 1, time, cheapest->cuts};
    }
  }

  void extend(const std::vector<Path>& paths, int latest, int layer, int to, double price, Path& next) {
    const GridOption& option = layers_[layer].options[to];
    const auto& producers = layers_[layer].producers;
    next.value = endless;
    for (std::size_t from = 0; from < paths.size(); ++from) {
      const Path& path = paths[from];
      double links = 0, inputs = 0;
      for (const int producer : producers) {
        if (layers_[producer].options.empty()) {
          inputs += layers_[producer].result * together_ / static_cast<double>(cores_.size());
          continue;
        }
        // An earlier producer is taken to have the grid of the latest layer, where that has the same loops.
        const int of_producer = latest < 0           ? alike(producer, layer, to)
                                : producer == latest ? static_cast<int>(from)
                                                     : alike(producer, latest, static_cast<int>(from));
        const Received& received = received_of(producer, of_producer, layer, to);
        links += received.by_links;
        inputs += received.in_all;
      }
      const double cycles = option.cycles + mesh_ * links / width_;
      const double value = path.value + cycles + price * option.constants;
      if (value >= next.value) continue;
      next.value = value;
      next.cycles = path.cycles + cycles;
      next.constants = path.constants + option.constants;
      next.largest = std::max(path.largest, inputs + option.result);
      next.cuts = path.cuts;
    }
    next.cuts.push_back(option.cut);
  }

  /// The option of a layer that divides loops as that of another one does, or its first.
  int alike(int layer, int other, int option) const {
    const Cut& wanted = layers_[other].options[option].loops;
    const auto& options = layers_[layer].options;
    const auto same = std::find_if(options.begin(), options.end(), [&](const GridOption& entry) {
      return same_loops(entry.loops, wanted);
    });
    return same == options.end() ? 0 : static_cast<int>(same - options.begin());
  }

  double least_constants(int begin, int last) const {
    double sum = 0;
    for (int layer = begin; layer <= last; ++layer) {
      double least = endless;
      for (const GridOption& option : layers_[layer].options) least = std::min(least, option.constants);
      if (!layers_[layer].options.empty()) sum += least;
    }
    return sum;
  }

  /// Cycles of all samples: work, other cores, the off-chip link.
  double time_of(int begin, int end, const Path& path, double others, double constants) const {
    const double runs = static_cast<double>(samples_) / together_;
    double handed_on = 0, results = 0;
    for (int layer = 0; layer < end; ++layer) {
      if (layers_[layer].last_reader >= end) handed_on += layers_[layer].result * samples_;
      if (layers_[layer].last_reader < 0 && layer >= begin) results += layers_[layer].result * samples_;
    }
    const double free =
        static_cast<double>(cores_.size()) * std::max(0.0, room_ - path.constants - 2 * path.largest);
    const double link = constants + results + 2 * std::max(0.0, handed_on - free);
    // The first constants wait for the link alone, whatever is done meanwhile.
    return std::max({runs * path.cycles, samples_ * others, link / offchip_});
  }

  const PlanSpace& space_;
  PartitionGraphs& graphs_;
  const MultiCoreAccelerator& accelerator_;
  int samples_;
  std::vector<int> cores_;
  int together_;  ///< samples of a node
  std::vector<PlannedLayer> layers_;
  double room_ = 0, width_ = endless, offchip_ = endless, mesh_ = 1;
  std::map<std::pair<int, int>, std::set<int>> operands_;  ///< that a layer reads from another
  std::map<std::array<int, 4>, Received> received_;
};

}  // namespace

int samples_of_plan(std::size_t layers, std::size_t cores, int samples, std::int64_t most_nodes) {
  for (int count = 1; count < samples; ++count)
    if (samples % count == 0 && static_cast<std::int64_t>(layers * cores) * (samples / count) <= most_nodes)
      return count;
  return samples;
}

std::vector<Plan> segment_plans(const PlanSpace& space, PartitionGraphs& graphs, const CutPrices& prices,
                                const MultiCoreAccelerator& accelerator, std::int64_t most_nodes) {
  std::vector<Plan> plans;
  SegmentProgram program(space, graphs, prices, accelerator, most_nodes);
  if (!program.possible()) return plans;
  for (const double mesh : {0.25, 0.5, 0.1}) {
    Plan plan = program.plan(mesh);
    if (plan.cuts.empty() || space.pieces(plan.cuts) > most_nodes) continue;
    if (std::find(plans.begin(), plans.end(), plan) == plans.end()) plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace zz::core
