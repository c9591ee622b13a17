#include "core/multicore/bound/detail/cut_waits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/base/interruption.hpp"
#include "core/multicore/bound/detail/least_cycles.hpp"
#include "core/multicore/graph/cut.hpp"
#include "core/multicore/graph/split.hpp"
#include "core/workload/tile_bits.hpp"

namespace zz::core {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// The pieces of a layer with one of its cuts, and groups.
struct Pieces {
  std::vector<std::int64_t> count;   ///< by loop
  std::vector<char> separates;       ///< by loop: its pieces are in groups of their own
  std::vector<GroupCores> shortest;  ///< cycles of the shortest node, by kind of core
  double samples = 1;                ///< in each node
  double least_node = 0;             ///< cycles on whichever core
  double result_bits = 0;            ///< of the smallest result that one node writes alone
  CutWait alone;                     ///< without producers and readers
};

/// One axis of what a reader reads of its producer: which pieces of the one meet which of the other.
class SharedAxis {
 public:
  /// `reader` and `operand`: whose axis it is; `producer_loop` of the producer lies along it, or -1.
  SharedAxis(const CutLayer& producer, int producer_loop, const CutLayer& reader, int operand,
             std::size_t axis)
      : reader_(reader), operand_(operand), axis_(axis), producer_loop_(producer_loop) {
    const std::string& name = reader.layer->operands[operand].dimensions[axis];
    if (producer_loop_ >= 0) extent_ = producer.loop_sizes[producer_loop_];
    for (const DimensionRelation& entry : reader.layer->relations) {
      if (entry.data != name) continue;
      relation_ = &entry;
      loop_ = reader.layer->loop_index(entry.output_loop);
      filter_ = reader.layer->loop_index(entry.filter_loop);
      return;
    }
    loop_ = reader.layer->loop_index(name);
  }

  int producer_loop() const { return producer_loop_; }
  int reader_loop() const { return loop_; }
  bool moves(int loop) const { return loop == loop_ || (relation_ && loop == filter_); }

  struct Counts {
    double needed = 0;   ///< pieces of the producer that any piece of the reader reads from, at least
    double reading = 0;  ///< pieces of the reader that read from any piece of the producer
  };

  Counts counts(const Pieces& of_producer, const Pieces& of_reader) const {
    const std::int64_t made = producer_loop_ < 0 ? 1 : of_producer.count[producer_loop_];
    const std::int64_t read = loop_ < 0 ? 1 : of_reader.count[loop_];
    const std::int64_t filter = filter_ < 0 || !relation_ ? 1 : of_reader.count[filter_];
    const auto [known, fresh] = known_.try_emplace({made, read, filter});
    if (fresh) known->second = count(made, read, filter);
    return known->second;
  }

 private:
  Counts count(std::int64_t made, std::int64_t read, std::int64_t filter) const {
    const std::int64_t size = rounded_up(extent_, made);
    const std::int64_t all = loop_ < 0 ? 1 : reader_.loop_sizes[loop_];
    const std::int64_t piece = rounded_up(all, read);
    if (has_gaps(filter)) {
      std::vector<std::int64_t> smallest = reader_.loop_sizes;
      if (loop_ >= 0) smallest[loop_] = last_piece(all, read);
      if (filter_ >= 0) smallest[filter_] = last_piece(smallest[filter_], filter);
      return {static_cast<double>(rounded_up(touched_along(reader_, operand_, axis_, smallest), size)), 0};
    }
    std::vector<std::int64_t> lows, highs;  // of the pieces of the reader that read something
    Counts found{never, never};
    for (std::int64_t first = 0; first < all; first += piece) {
      const Range range = window(first, std::min(all, first + piece));
      if (range.low >= range.high) {
        found.needed = 0;
        continue;
      }
      lows.push_back(range.low);
      highs.push_back(range.high);
      found.needed =
          std::min(found.needed, static_cast<double>((range.high - 1) / size - range.low / size + 1));
    }
    for (std::int64_t first = 0; first < extent_; first += size) {
      const std::int64_t end = std::min(extent_, first + size);
      const auto begun = std::lower_bound(lows.begin(), lows.end(), end) - lows.begin();
      const auto over = std::upper_bound(highs.begin(), highs.end(), first) - highs.begin();
      found.reading = std::min(found.reading, static_cast<double>(begun - over));
    }
    return found;
  }

  /// True if a piece may read elements that do not follow each other.
  bool has_gaps(std::int64_t filter) const {
    if (!relation_) return false;
    const std::int64_t width = filter_ < 0 ? 1 : reader_.loop_sizes[filter_];
    return filter > 1 || (relation_->dilation != 1 && width > 1) || relation_->stride > width;
  }

  /// Elements that the outputs first .. end - 1 read.
  Range window(std::int64_t first, std::int64_t end) const {
    if (!relation_) return {first, end};
    const std::int64_t width = filter_ < 0 ? 1 : reader_.loop_sizes[filter_];
    const std::int64_t low = first * relation_->stride - relation_->padding_low;
    const std::int64_t high = (end - 1) * relation_->stride - relation_->padding_low + width;
    return {std::max<std::int64_t>(0, low), std::min(relation_->size, high)};
  }

  const CutLayer& reader_;
  int operand_;
  std::size_t axis_;
  int producer_loop_, loop_ = -1, filter_ = -1;
  const DimensionRelation* relation_ = nullptr;
  std::int64_t extent_ = 1;  ///< of the producer
  mutable std::map<std::array<std::int64_t, 3>, Counts> known_;
};

/// Cycles of pairs of rows of a producer and a reader; below 0: not looked at.
class PairTable {
 public:
  void resize(std::size_t rows, std::size_t classes) {
    classes_ = classes;
    cycles_.assign(rows * classes, -1);
  }
  bool empty() const { return cycles_.empty(); }
  double& at(int row, int of_class) {
    return cycles_[static_cast<std::size_t>(row) * classes_ + static_cast<std::size_t>(of_class)];
  }

 private:
  std::size_t classes_ = 0;
  std::vector<double> cycles_;
};

/// A producer and a reader. Rows are in one class where they meet the other side alike.
struct Edge {
  int producer = 0, reader = 0, operand = 0;
  std::vector<SharedAxis> axes;
  double way = 0;                                       ///< cycles of a bit
  std::vector<int> class_of_producer, class_of_reader;  ///< by row
  std::size_t producer_classes = 0, reader_classes = 0;
  PairTable needed;   ///< by row of the producer and class of the reader
  PairTable reading;  ///< by row of the reader and class of the producer
};

}  // namespace

class CutWaits::Pairs {
 public:
  Pairs(const ComputationNodeGraph& whole, const std::vector<DirectInput>& inputs,
        const MultiCoreAccelerator& accelerator, const PricedMenus& menu, int samples)
      : whole_(whole),
        accelerator_(accelerator),
        menu_(menu),
        samples_(samples),
        kinds_(core_kinds(accelerator)),
        ways_(cycles_of_moved_bit(accelerator)),
        is_read_(menu.size(), 0) {
    for (const Dependency& dependency : whole.dependencies)
      is_read_[whole.nodes[dependency.from].layer] = 1;
    for (const int node : whole.topological_order) order_.push_back(whole.nodes[node].layer);
    for (std::size_t layer = 0; layer < menu.size(); ++layer) list_pieces(static_cast<int>(layer));
    for (const DirectInput& input : inputs) add_edge(input);
  }

  Rows all_rows() const {
    Rows rows;
    for (const std::vector<Pieces>& of_layer : pieces_) {
      rows.emplace_back(of_layer.size());
      std::iota(rows.back().begin(), rows.back().end(), 0);
    }
    return rows;
  }

  /// The waits of these rows, each with the neighbours among them that make it the least.
  Waits among(const Rows& rows) {
    waits_.clear();
    for (const std::vector<Pieces>& of_layer : pieces_) {
      std::vector<CutWait>& found = waits_.emplace_back();
      for (const Pieces& pieces : of_layer) found.push_back(pieces.alone);
    }
    for (const int layer : order_)
      for (Edge& edge : edges_)
        if (edge.reader == layer) wait_for_producer(edge, rows);
    for (auto layer = order_.rbegin(); layer != order_.rend(); ++layer)
      for (Edge& edge : edges_)
        if (edge.producer == *layer) wait_for_reader(edge, rows);
    Waits found;
    for (std::size_t layer = 0; layer < rows.size(); ++layer) {
      found.emplace_back();
      for (const int row : rows[layer]) found.back().push_back(waits_[layer][row]);
    }
    return found;
  }

  void keep() {
    for (Edge& edge : edges_) {
      edge.needed.resize(pieces_[edge.producer].size(), edge.reader_classes);
      edge.reading.resize(pieces_[edge.reader].size(), edge.producer_classes);
    }
  }

  bool complete() const { return pairs_ <= most_pairs_of_cuts; }

 private:
  using Cores = std::vector<std::pair<int, int>>;  ///< with entries of costs, as of cores_with_costs()

  double way(int from, int to) const {
    return ways_[static_cast<std::size_t>(from) * static_cast<std::size_t>(accelerator_.core_count()) +
                 static_cast<std::size_t>(to)];
  }

  static bool streams(const CoreCost& cost, int operand) {
    return std::find(cost.streamed.begin(), cost.streamed.end(), operand) != cost.streamed.end();
  }

  void list_pieces(int layer) {
    std::vector<Pieces>& listed = pieces_.emplace_back();
    const Layer& whole = *whole_.layers[layer].layer;
    Layer copy = whole;
    for (const PricedCut& cut : menu_[layer]) {
      end_if_interrupted();
      const std::size_t first = listed.size();
      const Cores cores = cores_with_costs(whole, kinds_, *cut.costs);
      listed.push_back(pieces_of(layer, cut, cut.loops, cores, copy));
      for (const Cut& loops : cut.grouped_otherwise) {
        Pieces pieces = pieces_of(layer, cut, loops, cores, copy);
        if (std::none_of(listed.begin() + static_cast<std::ptrdiff_t>(first), listed.end(),
                         [&](const Pieces& known) {
                           return known.separates == pieces.separates && known.count == pieces.count;
                         }))
          listed.push_back(std::move(pieces));
      }
    }
  }

  /// `copy` of the layer: outer_loops() may enlarge it, though not by the physical rules.
  Pieces pieces_of(int layer, const PricedCut& cut, const Cut& loops, const Cores& cores_of_layer,
                   Layer& copy) const {
    const CutLayer& whole = whole_.layers[layer];
    SplitOptions options;
    options.loops = loops;
    std::vector<std::string> warnings;
    Pieces pieces;
    pieces.samples = cut.samples;
    pieces.count.assign(whole.loop_sizes.size(), 1);
    pieces.separates.assign(whole.loop_sizes.size(), 0);
    for (const NodeLoop& outer : outer_loops(copy, accelerator_, options, warnings)) {
      pieces.count[outer.loop] *= outer.count;
      if (outer.count > 1 && separates_groups(whole, outer, Rules{})) pieces.separates[outer.loop] = 1;
    }
    std::map<int, int> cores_of_entry;
    for (const auto& [core, entry] : cores_of_layer) ++cores_of_entry[entry];
    pieces.least_node = never;
    for (const auto& [entry, cores] : cores_of_entry) {
      double shortest = never;
      for (std::size_t shape = 0; shape < cut.shapes.size(); ++shape)
        shortest = std::min(shortest, cut.costs->of(static_cast<int>(shape))[entry].runtime);
      pieces.shortest.push_back({shortest, cores});
      pieces.least_node = std::min(pieces.least_node, shortest);
    }
    pieces.alone.span = span(layer, cut, pieces, cores_of_entry);
    pieces.alone.before = first_constants(layer, cut, pieces, cores_of_layer);
    if (may_write_alone(layer, pieces)) pieces.result_bits = bits(layer, 0, pieces);
    if (!is_read_[layer]) pieces.alone.after = bits(layer, 0, pieces) * way_off_chip(cut, cores_of_layer);
    return pieces;
  }

  /// No other node adds to its outputs.
  bool may_write_alone(int layer, const Pieces& pieces) const {
    for (std::size_t loop = 0; loop < pieces.count.size(); ++loop)
      if (pieces.count[loop] > 1 && is_irrelevant(*whole_.layers[layer].layer, 0, static_cast<int>(loop)))
        return false;
    return true;
  }

  /// Iterations of each loop in the smallest node.
  std::vector<std::int64_t> smallest(int layer, const Pieces& pieces) const {
    std::vector<std::int64_t> sizes = whole_.layers[layer].loop_sizes;
    for (std::size_t loop = 0; loop < sizes.size(); ++loop)
      sizes[loop] = last_piece(sizes[loop], pieces.count[loop]);
    return sizes;
  }

  /// Bits of an operand of one node in one sample, at least.
  double bits(int layer, int operand, const Pieces& pieces) const {
    const CutLayer& whole = whole_.layers[layer];
    const std::vector<std::int64_t> sizes = smallest(layer, pieces);
    const bool finished = operand == 0 && whole.layer->final_output_precision > 0;
    double bits = TileBits(*whole.layer, operand, finished).least();
    for (std::size_t axis = 0; axis < whole.layer->operands[operand].dimensions.size(); ++axis)
      bits *= static_cast<double>(touched_along(whole, operand, axis, sizes));
    return bits;
  }

  /// Cycles of all nodes.
  double span(int layer, const PricedCut& cut, const Pieces& pieces,
              const std::map<int, int>& cores_of_entry) const {
    const CutLayer& whole = whole_.layers[layer];
    const double repeats = std::max(1.0, samples_ / cut.samples);
    double groups = repeats, others = 1;
    bool even = true;
    for (std::size_t loop = 0; loop < pieces.count.size(); ++loop) {
      const auto count = static_cast<double>(pieces.count[loop]);
      (pieces.separates[loop] ? groups : others) *= count;
      even = even && (!pieces.separates[loop] || whole.loop_sizes[loop] % pieces.count[loop] == 0);
    }
    // Each shape on its cheapest core, where those are in proportion to the work of all nodes on each core.
    std::vector<GroupCores> all;
    double speed = 0;
    for (const auto& [entry, cores] : cores_of_entry) {
      double work = 0;
      for (std::size_t shape = 0; shape < cut.shapes.size(); ++shape)
        work += cut.shapes[shape].nodes * cut.costs->of(static_cast<int>(shape))[entry].runtime;
      all.push_back({even ? work / (groups / repeats) : work, cores});
      speed += cores / (repeats * work);
    }
    if (even) return cycles_of_groups(groups, all);
    double cheapest = 0;
    for (std::size_t shape = 0; shape < cut.shapes.size(); ++shape) {
      double least = never;
      std::size_t kind = 0;
      for (const auto& [entry, cores] : cores_of_entry)
        least = std::min(least, cut.costs->of(static_cast<int>(shape))[entry].runtime / all[kind++].cycles);
      cheapest += cut.shapes[shape].nodes * least;
    }
    return std::max(cheapest / speed, cycles_of_groups(groups, in_row(pieces.shortest, others)));
  }

  static std::vector<GroupCores> in_row(std::vector<GroupCores> cores, double nodes) {
    for (GroupCores& kind : cores) kind.cycles *= nodes;
    return cores;
  }

  /// Cycles until the constants of some node have come.
  double first_constants(int layer, const PricedCut& cut, const Pieces& pieces, const Cores& cores) const {
    const CutLayer& whole = whole_.layers[layer];
    std::vector<std::pair<int, double>> constants;  // operand, bits
    for (const int operand : whole.constants)
      if (whole.layer->operands[operand].offchip_elements == 0)
        constants.emplace_back(operand, bits(layer, operand, pieces));
    double least = never;
    for (const auto& [core, entry] : cores) {
      double longest = 0;
      for (const auto& [operand, amount] : constants)
        if (!streams(cut.costs->on[entry], operand))
          longest = std::max(longest, amount * way(*accelerator_.offchip_core, core));
      least = std::min(least, longest);
    }
    return least < never ? least : 0;
  }

  /// Cycles until a bit of a result is off-chip.
  double way_off_chip(const PricedCut& cut, const Cores& cores) const {
    double least = never;
    for (const auto& [core, entry] : cores)
      least = std::min(least, streams(cut.costs->on[entry], 0) ? 0 : way(core, *accelerator_.offchip_core));
    return least < never ? least : 0;
  }

  /// The places of an operand of a layer: cores that may run it, and off-chip where they may stream it.
  std::vector<int> places(int layer, int operand) const {
    std::vector<char> is_place(kinds_.size(), 0);
    for (const PricedCut& cut : menu_[layer])
      for (const auto& [core, entry] : cores_with_costs(*whole_.layers[layer].layer, kinds_, *cut.costs))
        is_place[streams(cut.costs->on[entry], operand) ? *accelerator_.offchip_core : core] = 1;
    std::vector<int> found;
    for (int core = 0; core < static_cast<int>(is_place.size()); ++core)
      if (is_place[core]) found.push_back(core);
    return found;
  }

  void add_edge(const DirectInput& input) {
    const CutLayer &producer = whole_.layers[input.producer], &reader = whole_.layers[input.consumer];
    Edge edge;
    edge.producer = input.producer;
    edge.reader = input.consumer;
    edge.operand = input.operand;
    const std::vector<std::string>& axes = producer.layer->operands[0].dimensions;
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      edge.axes.emplace_back(producer, producer.layer->loop_index(axes[axis]), reader, input.operand, axis);
    for (auto axis = edge.axes.begin(); axis != edge.axes.end(); ++axis)
      for (auto other = edge.axes.begin(); other != axis; ++other)
        if ((axis->producer_loop() >= 0 && axis->producer_loop() == other->producer_loop()) ||
            (axis->reader_loop() >= 0 && axis->reader_loop() == other->reader_loop()))
          return;  // axes are not independent
    edge.way = never;
    const std::vector<int> to = places(input.consumer, input.operand);
    for (const int from : places(input.producer, 0))
      for (const int place : to) edge.way = std::min(edge.way, way(from, place));
    if (!(edge.way < never)) edge.way = 0;
    const auto classes = [&](int layer, bool of_reader, std::vector<int>& class_of) {
      std::map<std::vector<std::int64_t>, int> known;
      for (const Pieces& pieces : pieces_[layer])
        class_of.push_back(known.try_emplace(along(edge, pieces, of_reader), static_cast<int>(known.size()))
                               .first->second);
      return known.size();
    };
    edge.producer_classes = classes(input.producer, false, edge.class_of_producer);
    edge.reader_classes = classes(input.consumer, true, edge.class_of_reader);
    edges_.push_back(std::move(edge));
  }

  /// Nodes that are needed or that read, in groups that are alike.
  struct Boxes {
    double groups = 1, in_group = 1;

    void multiply(double count, bool separates) { (separates ? groups : in_group) *= count; }
  };

  static double samples_apart(double some, double together) { return std::ceil(some / together); }

  Boxes needed(const Edge& edge, const Pieces& of_producer, const Pieces& of_reader) const {
    Boxes boxes;
    boxes.multiply(samples_apart(of_reader.samples, of_producer.samples), true);
    const Layer& producer = *whole_.layers[edge.producer].layer;
    for (const SharedAxis& axis : edge.axes) {
      const int loop = axis.producer_loop();
      boxes.multiply(axis.counts(of_producer, of_reader).needed, loop >= 0 && of_producer.separates[loop]);
    }
    // Sums are complete when all have been added.
    for (std::size_t loop = 0; loop < of_producer.count.size(); ++loop)
      if (of_producer.count[loop] > 1 && is_irrelevant(producer, 0, static_cast<int>(loop)))
        boxes.multiply(static_cast<double>(of_producer.count[loop]), of_producer.separates[loop]);
    return boxes;
  }

  static Boxes reading(const Edge& edge, const Pieces& of_producer, const Pieces& of_reader) {
    Boxes boxes;
    boxes.multiply(samples_apart(of_producer.samples, of_reader.samples), true);
    for (const SharedAxis& axis : edge.axes) {
      const int loop = axis.reader_loop();
      boxes.multiply(axis.counts(of_producer, of_reader).reading, loop >= 0 && of_reader.separates[loop]);
    }
    for (std::size_t loop = 0; loop < of_reader.count.size(); ++loop)
      if (of_reader.count[loop] > 1 &&
          std::none_of(edge.axes.begin(), edge.axes.end(),
                       [&](const SharedAxis& axis) { return axis.moves(static_cast<int>(loop)); }))
        boxes.multiply(static_cast<double>(of_reader.count[loop]), of_reader.separates[loop]);
    return boxes;
  }

  static double cycles(const Boxes& boxes, const std::vector<GroupCores>& shortest) {
    if (boxes.groups == 0 || boxes.in_group == 0) return 0;
    return cycles_of_groups(boxes.groups, in_row(shortest, boxes.in_group));
  }

  /// Numbers of pieces along the loops that decide about an edge.
  static std::vector<std::int64_t> along(const Edge& edge, const Pieces& pieces, bool of_reader) {
    std::vector<std::int64_t> counts{static_cast<std::int64_t>(pieces.samples)};
    for (const SharedAxis& axis : edge.axes) {
      for (std::size_t loop = 0; loop < pieces.count.size(); ++loop)
        if (of_reader ? axis.moves(static_cast<int>(loop)) : axis.producer_loop() == static_cast<int>(loop))
          counts.push_back(pieces.count[loop]);
    }
    return counts;
  }

  /// Rows in the order of what they cost at least.
  std::vector<std::pair<double, int>> soonest_first(int layer, const std::vector<int>& rows,
                                                    double CutWait::*wait) const {
    std::vector<std::pair<double, int>> sorted;
    for (const int row : rows)
      sorted.emplace_back(waits_[layer][row].*wait + pieces_[layer][row].least_node, row);
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }

  /// Cycles of a pair, which are asked of `find` once where they are kept; never: beyond the limit.
  template <class Find>
  double of_pair(PairTable& table, int row, int of_class, const Find& find) {
    double* const kept = table.empty() ? nullptr : &table.at(row, of_class);
    if (kept != nullptr && *kept >= 0) return *kept;
    if (++pairs_ > most_pairs_of_cuts) return never;
    const double cycles = find();
    if (kept != nullptr) *kept = cycles;
    return cycles;
  }

  /// Nothing is waited for where a node reads padding alone.
  void wait_for_producer(Edge& edge, const Rows& rows) {
    const std::vector<Pieces>&producers = pieces_[edge.producer], &readers = pieces_[edge.reader];
    const auto sorted = soonest_first(edge.producer, rows[edge.producer], &CutWait::before);
    std::vector<double> of_class(edge.reader_classes, -1);
    for (const int row : rows[edge.reader]) {
      end_if_interrupted();
      const int reader_class = edge.class_of_reader[row];
      double& least = of_class[reader_class];
      if (least < 0) {
        least = never;
        for (auto at = sorted.begin(); at != sorted.end() && at->first < least; ++at) {
          const Pieces& producer = producers[at->second];
          const double made = of_pair(edge.needed, at->second, reader_class, [&] {
            return cycles(needed(edge, producer, readers[row]), producer.shortest);
          });
          least = made > 0 && made < never ? std::min(least, waits_[edge.producer][at->second].before +
                                                                 made + producer.result_bits * edge.way)
                                           : 0;
        }
      }
      double& before = waits_[edge.reader][row].before;
      if (least < never) before = std::max(before, least);
    }
  }

  /// Nothing follows where some results are not read.
  void wait_for_reader(Edge& edge, const Rows& rows) {
    const std::vector<Pieces>&producers = pieces_[edge.producer], &readers = pieces_[edge.reader];
    const auto sorted = soonest_first(edge.reader, rows[edge.reader], &CutWait::after);
    std::vector<double> of_class(edge.producer_classes, -1);
    for (const int row : rows[edge.producer]) {
      end_if_interrupted();
      const int producer_class = edge.class_of_producer[row];
      double& least = of_class[producer_class];
      if (least < 0) {
        least = never;
        for (auto at = sorted.begin(); at != sorted.end() && at->first < least; ++at) {
          const Pieces& reader = readers[at->second];
          const double read = of_pair(edge.reading, at->second, producer_class, [&] {
            return cycles(reading(edge, producers[row], reader), reader.shortest);
          });
          least =
              read > 0 && read < never ? std::min(least, read + waits_[edge.reader][at->second].after) : 0;
        }
      }
      double& after = waits_[edge.producer][row].after;
      if (least > 0 && least < never)
        after = std::max(after, producers[row].result_bits * edge.way + least);
    }
  }

  const ComputationNodeGraph& whole_;
  const MultiCoreAccelerator& accelerator_;
  const PricedMenus& menu_;
  const double samples_;
  const std::vector<int> kinds_;
  const std::vector<double> ways_;
  std::vector<char> is_read_;                ///< by layer
  std::vector<std::vector<Pieces>> pieces_;  ///< by layer
  std::vector<int> order_;                   ///< layers, producers first
  std::vector<Edge> edges_;
  double pairs_ = 0;  ///< looked at
  Waits waits_;       ///< by layer and row
};

CutWaits::CutWaits(const ComputationNodeGraph& whole, const std::vector<DirectInput>& inputs,
                   const MultiCoreAccelerator& accelerator, const PricedMenus& menu, int samples)
    : pairs_(std::make_unique<Pairs>(whole, inputs, accelerator, menu, samples)) {}

CutWaits::~CutWaits() = default;

CutWaits::Rows CutWaits::all_rows() const { return pairs_->all_rows(); }
CutWaits::Waits CutWaits::among(const Rows& rows) { return pairs_->among(rows); }
void CutWaits::keep() { pairs_->keep(); }
bool CutWaits::complete() const { return pairs_->complete(); }

}  // namespace zz::core
