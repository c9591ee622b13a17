#include "core/multicore/graph/detail/box_dependencies.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"

namespace zz::core {

void DependencyList::close() {
  if (list_.size() > opened_at_) spans_[layers_].emplace_back(opened_at_, list_.size());
}

void DependencyList::begin(int producer_layer, int consumer_layer, int operand) {
  close();
  opened_at_ = list_.size();
  layers_ = {producer_layer, consumer_layer};
  operand_ = operand;
  earlier_.clear();
  for (const auto& [first, last] : spans_[layers_]) {
    for (std::size_t i = first; i < last; ++i) {
      if (one_for_each_pair_ || list_[i].operand == operand) earlier_[key(list_[i].from, list_[i].to)] = i;
    }
  }
}

void DependencyList::expect(std::int64_t count) const {
  check_graph_bytes(static_cast<std::int64_t>(graph_.nodes.size()),
                    static_cast<std::int64_t>(list_.size()) + count, "the network");
}

void DependencyList::add(int from, int to, std::int64_t bits) {
  if (!earlier_.empty()) {
    if (const auto found = earlier_.find(key(from, to)); found != earlier_.end()) {
      list_[found->second].operand = operand_;
      list_[found->second].bits = bits;
      return;
    }
  }
  list_.push_back({from, to, operand_, bits});
}

namespace {

/// Along one axis: for each position of the producer, the positions of the consumer that overlap it, as
/// their parts of the sub_id.
struct Overlaps {
  std::vector<int> begin{0};
  std::vector<int> node_offsets;
};

Overlaps everything(const PieceIntervals& producer, const PieceIntervals& consumer,
                    const DependencyList& to) {
  Overlaps overlaps;
  to.expect(std::int64_t{producer.position_count()} * consumer.position_count());
  for (int p = 0; p < producer.position_count(); ++p) {
    overlaps.node_offsets.insert(overlaps.node_offsets.end(), consumer.node_offset.begin(),
                                 consumer.node_offset.end());
    overlaps.begin.push_back(static_cast<int>(overlaps.node_offsets.size()));
  }
  return overlaps;
}

/// Intervals of the consumer by their lower end, to be asked which of them meet a range.
class IntervalIndex {
 public:
  explicit IntervalIndex(const PieceIntervals& pieces) {
    for (int position = 0; position < pieces.position_count(); ++position)
      for (const Range& range : pieces.at(position)) entries_.push_back({range, position});
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.range.low, a.position) < std::pair(b.range.low, b.position);
    });
    std::int64_t highest = entries_.empty() ? 0 : entries_.front().range.high;
    for (const Entry& entry : entries_)
      highest_so_far_.push_back(highest = std::max(highest, entry.range.high));
  }

  template <class Visit>
  void for_each_meeting(Range range, Visit visit) const {
    // No interval before the first one that reaches beyond range.low can meet the range.
    const auto first = std::upper_bound(highest_so_far_.begin(), highest_so_far_.end(), range.low) -
                       highest_so_far_.begin();
    for (auto entry = entries_.begin() + first; entry != entries_.end() && entry->range.low < range.high;
         ++entry)
      if (entry->range.high > range.low) visit(entry->position);
  }

 private:
  struct Entry {
    Range range;
    int position = 0;
  };
  std::vector<Entry> entries_;
  std::vector<std::int64_t> highest_so_far_;
};

Overlaps overlaps_along(const PieceIntervals& producer, const PieceIntervals& consumer,
                        const DependencyList& to) {
  const IntervalIndex index(consumer);
  Overlaps overlaps;
  std::vector<int> seen_for(consumer.position_count(), -1);
  for (int p = 0; p < producer.position_count(); ++p) {
    end_if_interrupted();
    to.expect(static_cast<std::int64_t>(overlaps.node_offsets.size()));
    for (const Range& range : producer.at(p)) {
      index.for_each_meeting(range, [&](int position) {
        if (seen_for[position] == p) return;
        seen_for[position] = p;
        overlaps.node_offsets.push_back(consumer.node_offset[position]);
      });
    }
    overlaps.begin.push_back(static_cast<int>(overlaps.node_offsets.size()));
  }
  return overlaps;
}

/// Parts of the sub_id of the outer loops that do not move the operand.
std::vector<int> offsets_of_other_loops(const CutLayer& cut_layer,
                                        const std::vector<PieceIntervals>& axes) {
  std::vector<bool> moves(cut_layer.outer_loops.size(), false);
  for (const PieceIntervals& axis : axes)
    for (const PieceIntervals::Mover& mover : axis.movers) moves[mover.outer_loop] = true;
  std::vector<int> offsets{0};
  std::int64_t nodes_per_step = 1;
  for (std::size_t i = 0; i < cut_layer.outer_loops.size(); ++i) {
    const std::int64_t count = cut_layer.outer_loops[i].count;
    const std::size_t before = offsets.size();
    for (std::int64_t v = 1; !moves[i] && v < count; ++v)
      for (std::size_t k = 0; k < before; ++k)
        offsets.push_back(offsets[k] + static_cast<int>(v * nodes_per_step));
    nodes_per_step *= count;
  }
  return offsets;
}

std::int64_t count_dependencies(const CutLayer& producer, const std::vector<PieceIntervals>& written,
                                const std::vector<Overlaps>& overlaps, const std::vector<bool>& finishing,
                                std::size_t others) {
  double count = 0;  // products of many axes may be larger than integers
  PieceCounters counters(producer);
  for (int p = 0; p < producer.node_count; ++p, counters.advance()) {
    if (!finishing[p]) continue;
    auto readers = static_cast<double>(others);
    for (std::size_t axis = 0; axis < overlaps.size(); ++axis) {
      const int position = written[axis].position(counters);
      readers *= overlaps[axis].begin[position + 1] - overlaps[axis].begin[position];
    }
    count += readers;
  }
  return static_cast<std::int64_t>(std::min(count, 1e18));
}

bool spread_along(const PieceIntervals& producer, const PieceIntervals& consumer, const DataFlow& flow) {
  if (producer.extent == consumer.extent) return false;
  return producer.extent == 1 || flow.maybe_resized;
}

}  // namespace

std::vector<bool> finishing_nodes(const CutLayer& producer, const std::vector<std::int64_t>& sizes) {
  std::vector<bool> finishing(producer.node_count, true);
  for (int loop = 0; loop < static_cast<int>(producer.layer->loops.size()); ++loop) {
    const PieceAxis axis = axis_of_loop(producer, loop);
    if (axis.movers.empty() || !is_irrelevant(*producer.layer, 0, loop)) continue;
    PieceCounters counters(producer);
    for (int node = 0; node < producer.node_count; ++node, counters.advance()) {
      std::int64_t high = axis.low + axis.width;
      for (const PieceAxis::Mover& mover : axis.movers) high += counters[mover.outer_loop] * mover.step;
      if (high < sizes[loop]) finishing[node] = false;
    }
  }
  return finishing;
}

void add_box_dependencies(const ComputationNodeGraph& graph, const DataFlow& flow, const Rules& rules,
                          DependencyList& to) {
  const CutLayer& producer = graph.layers[flow.producer];
  const CutLayer& consumer = graph.layers[flow.consumer];
  const std::vector<PieceIntervals> written = data_intervals(producer, 0, rules);
  const std::vector<PieceIntervals> read = data_intervals(consumer, flow.operand, rules);
  if (written.size() != read.size())
    throw InputError(fmt::format(
        "layer {} '{}' reads as {} what layer {} '{}' writes, but with {} axes instead of {}; a reshape "
        "between them would say how they fit",
        consumer.layer->id, consumer.layer->name, consumer.layer->operands[flow.operand].name,
        producer.layer->id, producer.layer->name, read.size(), written.size()));

  std::vector<Overlaps> overlaps;
  for (std::size_t axis = 0; axis < read.size(); ++axis) {
    const bool all = !rules.inexact_dependencies && spread_along(written[axis], read[axis], flow);
    overlaps.push_back(all ? everything(written[axis], read[axis], to)
                           : overlaps_along(written[axis], read[axis], to));
  }
  const std::vector<int> other = offsets_of_other_loops(consumer, read);
  const std::vector<bool> finishing = finishing_nodes(producer, producer.loop_sizes);
  to.expect(count_dependencies(producer, written, overlaps, finishing, other.size()));
  to.begin(flow.producer, flow.consumer, flow.operand);
  std::vector<int> readers, combined;
  PieceCounters counters(producer);
  for (int p = 0; p < producer.node_count; ++p, counters.advance()) {
    end_if_interrupted();
    if (!finishing[p]) continue;
    readers = other;
    for (std::size_t axis = 0; axis < read.size() && !readers.empty(); ++axis) {
      const int position = written[axis].position(counters);
      combined.clear();
      for (int i = overlaps[axis].begin[position]; i < overlaps[axis].begin[position + 1]; ++i)
        for (const int reader : readers) combined.push_back(reader + overlaps[axis].node_offsets[i]);
      readers.swap(combined);
    }
    if (!std::is_sorted(readers.begin(), readers.end())) std::sort(readers.begin(), readers.end());
    const int from = producer.first_node + p;
    for (const int reader : readers)
      to.add(from, consumer.first_node + reader, graph.nodes[from].produced_bits);
  }
}

}  // namespace zz::core
