#include "core/multicore/bound/detail/waiting_bound.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

#include "core/base/interruption.hpp"
#include "core/multicore/bound/detail/least_cycles.hpp"

namespace zz::core {
namespace {

constexpr double infinite_cycles = std::numeric_limits<double>::infinity();

}  // namespace

double without_rounding(double cycles) {
  const double whole = std::round(cycles);
  if (cycles == whole) return cycles;
  return cycles > whole && cycles - whole <= 1e-9 * std::max(1.0, whole) ? whole : cycles * (1 - 1e-12);
}

WaitingBound::WaitingBound(const ScheduleProblem::Tables& tables)
    : tables_(tables),
      moves_take_time_(!gives_original_figures(tables.options.rules)),
      ways_(cycles_of_moved_bit(*tables.accelerator)) {
  list_edges();
  list_constants();
}

double WaitingBound::of(const std::vector<int>& cores) {
  place(cores);
  find_heads();
  find_tails();
  if (tables_.node_count <= most_nodes_in_pairs) {
    tighten_heads();
    tighten_tails();
  }
  return without_rounding(finish());
}

double WaitingBound::least(std::int64_t evaluations, double enough) {
  const std::size_t genes = tables_.genes.size();
  std::vector<int> cores(genes, -1);
  struct Partial {
    double bound = 0;
    std::size_t decided = 0;
    std::vector<int> cores;
    bool operator<(const Partial& other) const {  // of two alike the one that is nearer to the end first
      return bound != other.bound ? bound > other.bound : decided < other.decided;
    }
  };
  std::vector<double> work(genes, 0);
  for (int node = 0; node < tables_.node_count; ++node)
    if (const int gene = tables_.groups[tables_.group_of[node]].gene; gene >= 0) {
      double shortest = infinite_cycles;
      for (const int core : tables_.genes[gene].cores)
        shortest = std::min(shortest, tables_.node_cost(node, core).runtime);
      work[gene] += shortest;
    }
  std::vector<int> order(genes);
  for (std::size_t gene = 0; gene < genes; ++gene) order[gene] = static_cast<int>(gene);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return work[a] > work[b]; });
  std::priority_queue<Partial> open;
  open.push({of(cores), 0, cores});
  while (!open.empty()) {
    const Partial best = open.top();
    if (best.decided == genes || best.bound >= enough || evaluations <= 0) break;
    end_if_interrupted();
    open.pop();
    const int gene = order[best.decided];
    for (const int core : tables_.genes[gene].cores) {
      Partial next = best;
      next.cores[gene] = core;
      ++next.decided;
      next.bound = std::max(best.bound, of(next.cores));
      --evaluations;
      open.push(std::move(next));
    }
  }
  return open.empty() ? enough : std::min(enough, open.top().bound);
}

std::int64_t WaitingBound::steps() const {
  const std::int64_t once = tables_.node_count + static_cast<std::int64_t>(edges_.size());
  return std::max<std::int64_t>(1, is_small() ? once * tables_.node_count : once);
}

void WaitingBound::list_edges() {
  const ComputationNodeGraph& graph = *tables_.graph;
  const auto nodes = static_cast<std::size_t>(tables_.node_count);
  one_writer_.assign(static_cast<std::size_t>(tables_.tensor_count), 0);
  std::vector<int> writers(static_cast<std::size_t>(tables_.tensor_count), 0);
  for (std::size_t node = 0; node < nodes; ++node)
    if (tables_.output_of[node] >= 0) ++writers[tables_.output_of[node]];
  for (std::size_t tensor = 0; tensor < writers.size(); ++tensor)
    one_writer_[tensor] = writers[tensor] == 1;
  std::vector<int> out_count(nodes + 1, 0);
  for (int node = 0; node < tables_.node_count; ++node) {
    in_begin_.push_back(static_cast<int>(edges_.size()));
    for (int i = graph.predecessor_begin[node]; i < graph.predecessor_begin[node + 1]; ++i) {
      const Dependency& dependency = graph.dependencies[graph.predecessors[i]];
      Edge edge{dependency.from, node, 0, dependency.operand};
      const int tensor = tables_.output_of[dependency.from];
      // Sums of several nodes are on their way when the last of these has ended.
      if (moves_take_time_ && dependency.operand >= 0 && tensor >= 0 && one_writer_[tensor] &&
          tables_.layer_of[dependency.from] != tables_.layer_of[node])
        edge.bits = tables_.tensor_bits[tensor];
      edges_.push_back(edge);
      ++out_count[static_cast<std::size_t>(dependency.from) + 1];
    }
  }
  in_begin_.push_back(static_cast<int>(edges_.size()));
  for (std::size_t node = 0; node < nodes; ++node) out_count[node + 1] += out_count[node];
  out_begin_ = out_count;
  out_.resize(edges_.size());
  for (std::size_t edge = 0; edge < edges_.size(); ++edge)
    out_[static_cast<std::size_t>(out_count[edges_[edge].from]++)] = static_cast<int>(edge);
}

void WaitingBound::list_constants() {
  constants_of_.resize(static_cast<std::size_t>(tables_.node_count));
  if (!moves_take_time_) return;
  std::vector<char> before(static_cast<std::size_t>(tables_.tensor_count), 0);
  for (const auto& prefetch : tables_.prefetches) before[prefetch.what.tensor] = 1;
  std::map<int, std::size_t> numbers;
  for (int node = 0; node < tables_.node_count; ++node) {
    for (const NeededTensor& need : tables_.needs[static_cast<std::size_t>(node)]) {
      if (tables_.is_output[need.tensor] || before[need.tensor] || tables_.tensor_bits[need.tensor] == 0)
        continue;
      const auto [entry, fresh] = numbers.try_emplace(need.tensor, constants_.size());
      if (fresh) constants_.push_back({tables_.tensor_bits[need.tensor], {}, false, {}});
      constants_[entry->second].readers.emplace_back(node, need.operand);
      constants_of_[node].push_back(static_cast<int>(entry->second));
    }
  }
}

bool WaitingBound::surely_brought(int node, int operand) const {
  const Cores& cores = cores_of(node);
  return std::none_of(cores.begin(), cores.end(), [&](int core) { return streams(node, operand, core); });
}

double WaitingBound::lag(const Edge& edge) const {
  if (edge.bits == 0) return 0;
  const bool together = tables_.group_of[edge.from] == tables_.group_of[edge.to];
  double least = infinite_cycles;
  for (const int from : cores_of(edge.from)) {
    const int source = streams(edge.from, 0, from) ? tables_.offchip_core : from;
    for (const int to : cores_of(edge.to)) {
      if (together && from != to) continue;
      const int place = streams(edge.to, edge.operand, to) ? tables_.offchip_core : to;
      least = std::min(least, way(source, place));
      if (least == 0) return 0;
    }
  }
  return least < infinite_cycles ? edge.bits * least : 0;
}

/// Cycles until the node's result is off-chip; 0: it need not be there.
double WaitingBound::way_off_chip(int node) const {
  const int tensor = tables_.output_of[node];
  if (!moves_take_time_ || tensor < 0 || !tables_.writes_result[node]) return 0;
  double least = infinite_cycles;
  for (const int core : cores_of(node))
    least = std::min(least, streams(node, 0, core) ? 0 : way(core, tables_.offchip_core));
  return least < infinite_cycles ? tables_.tensor_bits[tensor] * least : 0;
}

/// Links of all routes from off-chip to one of the cores, or from it there.
std::vector<int> WaitingBound::common_links(const Cores& cores, bool inward) const {
  std::vector<int> common, both;
  for (std::size_t i = 0; i < cores.size() && (i == 0 || !common.empty()); ++i) {
    std::vector<int> route = inward ? tables_.route(tables_.offchip_core, cores[i]).distinct
                                    : tables_.route(cores[i], tables_.offchip_core).distinct;
    std::sort(route.begin(), route.end());
    both.clear();
    std::set_intersection(common.begin(), common.end(), route.begin(), route.end(),
                          std::back_inserter(both));
    common = i == 0 ? route : both;
  }
  return common;
}

/// Cores, lengths and lags of an allocation.
void WaitingBound::place(const std::vector<int>& cores) {
  const auto nodes = static_cast<std::size_t>(tables_.node_count);
  group_cores_.assign(tables_.groups.size(), {});
  for (int node = 0; node < tables_.node_count; ++node) {
    Cores& of_group = group_cores_[tables_.group_of[node]];
    if (!of_group.empty()) continue;
    const NodeGroup& group = tables_.groups[tables_.group_of[node]];
    if (group.gene < 0)
      of_group = {group.core};
    else if (!cores.empty() && cores[group.gene] >= 0)
      of_group = {cores[group.gene]};
    else
      of_group = tables_.genes[group.gene].cores;
    std::sort(of_group.begin(), of_group.end());
  }
  sets_ = group_cores_;
  Cores all;
  for (const Cores& of_group : group_cores_) all.insert(all.end(), of_group.begin(), of_group.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  sets_.push_back(all);
  std::sort(sets_.begin(), sets_.end());
  sets_.erase(std::unique(sets_.begin(), sets_.end()), sets_.end());
  std::erase_if(sets_, [](const Cores& set) { return set.empty(); });
  std::vector<std::vector<int>> sets_of_group;
  for (const Cores& of_group : group_cores_) {
    std::vector<int>& found = sets_of_group.emplace_back();
    for (std::size_t set = 0; set < sets_.size(); ++set)
      if (std::includes(sets_[set].begin(), sets_[set].end(), of_group.begin(), of_group.end()))
        found.push_back(static_cast<int>(set));
  }
  confined_.clear();
  length_.assign(nodes, infinite_cycles);
  result_.assign(nodes, 0);
  for (int node = 0; node < tables_.node_count; ++node) {
    confined_.push_back(sets_of_group[tables_.group_of[node]]);
    for (const int core : cores_of(node))
      length_[node] = std::min(length_[node], tables_.node_cost(node, core).runtime);
    result_[node] = way_off_chip(node);
  }
  for (Edge& edge : edges_) edge.lag = lag(edge);
  for (Constant& constant : constants_) {
    Cores readers;
    constant.passes = false;
    for (const auto& [node, operand] : constant.readers) {
      constant.passes = constant.passes || surely_brought(node, operand);
      readers.insert(readers.end(), cores_of(node).begin(), cores_of(node).end());
    }
    std::sort(readers.begin(), readers.end());
    readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
    constant.links = constant.passes ? common_links(readers, true) : std::vector<int>();
  }
}

/// Cycles in which nodes of one layer run, at least: those of a group on one of its cores.
double WaitingBound::span(const std::vector<int>& nodes) const {
  std::map<int, double> decided;                // by core
  std::map<int, std::vector<double>> of_group;  // whose core is open, by its cores
  for (const int node : nodes) {
    const int group = tables_.group_of[node];
    const Cores& cores = group_cores_[group];
    if (cores.size() == 1) {
      decided[cores.front()] += length_[node];
      continue;
    }
    std::vector<double>& work = of_group[group];
    work.resize(cores.size(), 0);
    for (std::size_t i = 0; i < cores.size(); ++i) work[i] += tables_.node_cost(node, cores[i]).runtime;
  }
  double longest = 0;
  for (const auto& [core, work] : decided) longest = std::max(longest, work);
  if (of_group.empty()) return longest;
  const Cores& cores = group_cores_[of_group.begin()->first];
  std::vector<GroupCores> least(cores.size(), {infinite_cycles, 1});
  double alike = 0;
  for (const auto& [group, work] : of_group) {
    if (group_cores_[group] != cores) continue;
    ++alike;
    for (std::size_t i = 0; i < cores.size(); ++i) least[i].cycles = std::min(least[i].cycles, work[i]);
  }
  return std::max(longest, cycles_of_groups(alike, least));
}

/// The longest of what nodes at the other ends of these edges take, by layer: the least of their waits and
/// of the lags, and between them the time in which all of them run.
template <class Other>
double WaitingBound::beside(int begin, int end, const std::vector<double>& wait, const Other& other) const {
  struct Nodes {
    double wait = infinite_cycles, lag = infinite_cycles;
    std::vector<int> all;
  };
  if (end - begin < 2) return 0;
  std::map<int, Nodes> by_layer;
  for (int i = begin; i < end; ++i) {
    const auto& [node, lag] = other(i);
    Nodes& nodes = by_layer[tables_.layer_of[node]];
    nodes.wait = std::min(nodes.wait, wait[node]);
    nodes.lag = std::min(nodes.lag, lag);
    nodes.all.push_back(node);
  }
  double longest = 0;
  for (auto& [layer, nodes] : by_layer) {
    // A node that is read by two operands has two edges.
    std::sort(nodes.all.begin(), nodes.all.end());
    nodes.all.erase(std::unique(nodes.all.begin(), nodes.all.end()), nodes.all.end());
    if (nodes.all.size() > 1) longest = std::max(longest, nodes.wait + span(nodes.all) + nodes.lag);
  }
  return longest;
}

void WaitingBound::find_heads() {
  head_.assign(static_cast<std::size_t>(tables_.node_count), 0);
  const auto before = [&](int i) { return std::pair(edges_[i].from, edges_[i].lag); };
  for (const int node : tables_.graph->topological_order) {
    double& head = head_[node];
    head = beside(in_begin_[node], in_begin_[node + 1], head_, before);
    for (int i = in_begin_[node]; i < in_begin_[node + 1]; ++i)
      head = std::max(head, head_[edges_[i].from] + length_[edges_[i].from] + edges_[i].lag);
    for (const int number : constants_of_[node]) {
      const Constant& constant = constants_[number];
      for (const auto& [reader, operand] : constant.readers) {
        if (reader != node || !surely_brought(node, operand)) continue;
        double least = infinite_cycles;
        for (const int core : cores_of(node)) least = std::min(least, way(tables_.offchip_core, core));
        if (least < infinite_cycles) head = std::max(head, constant.bits * least);
      }
    }
  }
}

void WaitingBound::find_tails() {
  tail_.assign(static_cast<std::size_t>(tables_.node_count), 0);
  const auto after = [&](int i) { return std::pair(edges_[out_[i]].to, edges_[out_[i]].lag); };
  const std::vector<int>& order = tables_.graph->topological_order;
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    double& tail = tail_[*at];
    tail = std::max(result_[*at], beside(out_begin_[*at], out_begin_[*at + 1], tail_, after));
    for (int i = out_begin_[*at]; i < out_begin_[*at + 1]; ++i) {
      const Edge& edge = edges_[out_[i]];
      tail = std::max(tail, edge.lag + length_[edge.to] + tail_[edge.to]);
    }
  }
}

/// The end of the preemptive schedule in which the job with the longest tail goes first: no schedule of the
/// machine ends before it.
double WaitingBound::one_machine(std::vector<Job>& jobs) {
  std::sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.head < b.head; });
  std::priority_queue<std::pair<double, double>> waiting;  // tail and what is left of the work
  double time = 0, end = 0;
  for (std::size_t next = 0; next < jobs.size() || !waiting.empty();) {
    if (waiting.empty()) time = std::max(time, jobs[next].head);
    while (next < jobs.size() && jobs[next].head <= time) {
      waiting.emplace(jobs[next].tail, jobs[next].work);
      ++next;
    }
    const auto [tail, work] = waiting.top();
    waiting.pop();
    const double until = next < jobs.size() ? jobs[next].head : infinite_cycles;
    if (time + work <= until) {
      time += work;
      end = std::max(end, time + tail);
    } else {
      waiting.emplace(tail, work - (until - time));
      time = until;
    }
  }
  return end;
}

/// All that comes before a node shares its cores and links.
void WaitingBound::tighten_heads() {
  const auto nodes = static_cast<std::size_t>(tables_.node_count);
  std::vector<double> to_start(nodes);  // from the end of a node to the start of that at hand
  std::vector<std::vector<Job>> by_set(sets_.size());
  std::map<int, std::vector<Job>> by_link;
  const std::vector<int>& order = tables_.graph->topological_order;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const int node = order[place];
    std::fill(to_start.begin(), to_start.end(), -1);
    for (auto& jobs : by_set) jobs.clear();
    by_link.clear();
    std::map<int, double> brought;  // constants that must have passed, and how long before the start
    for (std::size_t at = place + 1; at-- > 0;) {
      const int before = order[at];
      double& wait = to_start[before];
      if (before != node) {
        for (int i = out_begin_[before]; i < out_begin_[before + 1]; ++i) {
          const Edge& edge = edges_[out_[i]];
          if (edge.to == node)
            wait = std::max(wait, edge.lag);
          else if (to_start[edge.to] >= 0)
            wait = std::max(wait, edge.lag + length_[edge.to] + to_start[edge.to]);
        }
        if (wait < 0) continue;
        for (const int set : confined_[before])
          by_set[set].push_back(
              {head_[before], length_[before] / static_cast<double>(sets_[set].size()), wait});
      }
      const double from_start = before == node ? 0 : length_[before] + wait;
      for (const int number : constants_of_[before]) {
        const Constant& constant = constants_[number];
        for (const auto& [reader, operand] : constant.readers)
          if (reader == before && surely_brought(before, operand)) {
            double& known = brought.try_emplace(number, 0).first->second;
            known = std::max(known, from_start);
          }
      }
    }
    for (const auto& [number, wait] : brought)
      for (const int link : constants_[number].links)
        by_link[link].push_back(
            {0, constants_[number].bits / tables_.accelerator->links[link].bandwidth, wait});
    for (auto& jobs : by_set) head_[node] = std::max(head_[node], one_machine(jobs));
    for (auto& [link, jobs] : by_link) head_[node] = std::max(head_[node], one_machine(jobs));
    for (int i = in_begin_[node]; i < in_begin_[node + 1]; ++i)
      head_[node] = std::max(head_[node], head_[edges_[i].from] + length_[edges_[i].from] + edges_[i].lag);
  }
}

/// All that follows a node shares its cores.
void WaitingBound::tighten_tails() {
  const auto nodes = static_cast<std::size_t>(tables_.node_count);
  std::vector<double> from_end(nodes);  // from the end of the node at hand to the start of another one
  std::vector<std::vector<Job>> by_set(sets_.size());
  const std::vector<int>& order = tables_.graph->topological_order;
  for (std::size_t place = order.size(); place-- > 0;) {
    const int node = order[place];
    std::fill(from_end.begin(), from_end.end(), -1);
    for (auto& jobs : by_set) jobs.clear();
    for (std::size_t at = place + 1; at < order.size(); ++at) {
      const int after = order[at];
      double& wait = from_end[after];
      for (int i = in_begin_[after]; i < in_begin_[after + 1]; ++i) {
        const Edge& edge = edges_[i];
        if (edge.from == node)
          wait = std::max(wait, edge.lag);
        else if (from_end[edge.from] >= 0)
          wait = std::max(wait, from_end[edge.from] + length_[edge.from] + edge.lag);
      }
      if (wait < 0) continue;
      for (const int set : confined_[after])
        by_set[set].push_back(
            {wait, length_[after] / static_cast<double>(sets_[set].size()), tail_[after]});
    }
    for (auto& jobs : by_set) tail_[node] = std::max(tail_[node], one_machine(jobs));
    for (int i = out_begin_[node]; i < out_begin_[node + 1]; ++i) {
      const Edge& edge = edges_[out_[i]];
      tail_[node] = std::max(tail_[node], edge.lag + length_[edge.to] + tail_[edge.to]);
    }
  }
}

/// The largest of paths and machines.
double WaitingBound::finish() {
  double bound = 0;
  for (std::size_t layer = 0; layer < tables_.graph->layers.size(); ++layer) {
    std::vector<int> nodes(tables_.graph->layers[layer].node_count);
    std::iota(nodes.begin(), nodes.end(), tables_.graph->layers[layer].first_node);
    double head = infinite_cycles, tail = infinite_cycles;
    for (const int node : nodes) {
      head = std::min(head, head_[node]);
      tail = std::min(tail, tail_[node]);
    }
    if (!nodes.empty()) bound = std::max(bound, head + span(nodes) + tail);
  }
  std::vector<std::vector<Job>> by_set(sets_.size()), by_group(group_cores_.size());
  std::map<int, std::vector<Job>> by_link;
  const auto pass = [&](const std::vector<int>& links, double bits, double head, double tail) {
    for (const int link : links) {
      const double bandwidth = tables_.accelerator->links[link].bandwidth;
      if (!std::isinf(bandwidth) && bits > 0) by_link[link].push_back({head, bits / bandwidth, tail});
    }
  };
  for (int node = 0; node < tables_.node_count; ++node) {
    bound = std::max(bound, head_[node] + length_[node] + tail_[node]);
    for (const int set : confined_[node])
      by_set[set].push_back(
          {head_[node], length_[node] / static_cast<double>(sets_[set].size()), tail_[node]});
    if (const int group = tables_.group_of[node]; group_cores_[group].size() > 1)
      by_group[group].push_back({head_[node], length_[node], tail_[node]});
    if (!moves_take_time_) continue;
    if (result_[node] > 0) {
      Cores senders = cores_of(node);
      for (const int core : cores_of(node))
        senders.push_back(tables_.sender_of_output(tables_.layer_of[node], core));
      pass(common_links(senders, false), tables_.tensor_bits[tables_.output_of[node]],
           head_[node] + length_[node], 0);
    }
    // Streams pass while their node runs.
    if (cores_of(node).size() > 1) continue;
    const int core = cores_of(node).front();
    const NodeCost& cost = tables_.node_cost(node, core);
    if (cost.read_demand > 0)
      pass(tables_.route(tables_.offchip_core, core).distinct, cost.cost->stream_read_bits, head_[node],
           tail_[node]);
    if (cost.write_demand > 0)
      pass(tables_.route(core, tables_.offchip_core).distinct, cost.cost->stream_write_bits, head_[node],
           tail_[node]);
  }
  for (const Constant& constant : constants_) {
    // It has passed before any of its readers starts.
    double tail = 0;
    for (const auto& [node, operand] : constant.readers)
      if (surely_brought(node, operand)) tail = std::max(tail, length_[node] + tail_[node]);
    if (constant.passes) pass(constant.links, constant.bits, 0, tail);
  }
  for (auto& jobs : by_set) bound = std::max(bound, one_machine(jobs));
  for (auto& jobs : by_group) bound = std::max(bound, one_machine(jobs));
  for (auto& [link, jobs] : by_link) bound = std::max(bound, one_machine(jobs));
  return bound;
}

}  // namespace zz::core
