#include "plugins/transformer/serving_costs.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

namespace zz::plugins {

std::string ServingCost::limited_by() const {
  return limits.empty() || limits.front().cycles <= 0 ? "" : limits.front().limiter;
}

void ServingCost::add(const ServingCost& other, double times) {
  cycles += times * other.cycles;
  energy += times * other.energy;
  compute += times * other.compute;
  memory += times * other.memory;
  for (const core::Limit& limit : other.limits) {
    const auto known = std::find_if(limits.begin(), limits.end(),
                                    [&](const core::Limit& one) { return one.limiter == limit.limiter; });
    if (known == limits.end())
      limits.push_back({limit.limiter, times * limit.cycles});
    else
      known->cycles += times * limit.cycles;
  }
  std::stable_sort(limits.begin(), limits.end(),
                   [](const core::Limit& a, const core::Limit& b) { return a.cycles > b.cycles; });
  together = together || other.together;
  if (without.empty()) without = other.without;
}

ServingCost cost_of_layers(const std::vector<std::shared_ptr<const core::Evaluation>>& layers) {
  ServingCost cost;
  for (const auto& layer : layers) {
    double busiest = 0;
    for (const core::PortFigures& port : layer->ports)
      busiest = std::max(busiest, port.traffic_above_lowest);
    ServingCost own;
    own.cycles = layer->latency_total2;
    own.energy = layer->energy_total;
    own.compute = layer->ideal_cycle;
    own.memory = busiest;
    own.limits = core::limits_of(*layer);
    cost.add(own, 1);
  }
  return cost;
}

namespace {

/// Rows that differ in their axes alone.
using RowKind = std::tuple<std::int64_t, ServingTable, std::string, bool>;

bool is_at_least(const ServingRow& row, const ServingRow& other) {
  return std::equal(row.axes.begin(), row.axes.end(), other.axes.begin(), other.axes.end(),
                    std::greater_equal<>());
}

/// Attention of a chunk and of decoding sequences, one after the other.
bool is_mixed(const ServingRow& row) {
  return row.table == ServingTable::attention && row.axes[0] > 0 && row.axes[2] > 0;
}

}  // namespace

std::vector<ServingCost> costs_of_rows(const ServingPlan& plan, const std::vector<ServingCost>& pieces) {
  const std::vector<ServingRow>& rows = plan.rows;
  std::vector<ServingCost> alone(rows.size());
  std::map<RowKind, std::vector<std::size_t>> kinds;
  std::map<std::pair<std::int64_t, std::vector<std::int64_t>>, std::size_t> attention;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (is_mixed(rows[i])) continue;
    for (const ServingRow::Use& use : rows[i].uses) alone[i].add(pieces[use.piece], use.times);
    alone[i].uses = rows[i].uses;
    const bool of_chunk = rows[i].table == ServingTable::attention && rows[i].axes[0] > 0;
    kinds[{rows[i].degree, rows[i].table, rows[i].layer, of_chunk}].push_back(i);
    if (rows[i].table == ServingTable::attention) attention[{rows[i].degree, rows[i].axes}] = i;
  }
  std::vector<ServingCost> costs = alone;
  for (const auto& [kind, members] : kinds)
    for (const std::size_t row : members)
      for (const std::size_t other : members) {
        const bool better = alone[other].without.empty() &&
                            (!costs[row].without.empty() || alone[other].cycles < costs[row].cycles);
        if (!better || !is_at_least(rows[other], rows[row])) continue;
        costs[row] = alone[other];
        costs[row].as = rows[other].axes;
      }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!is_mixed(rows[i])) continue;
    const std::vector<std::int64_t>& axes = rows[i].axes;
    const ServingCost& chunk = costs[attention.at({rows[i].degree, {axes[0], axes[1], 0, 0}})];
    const ServingCost& decoding = costs[attention.at({rows[i].degree, {0, 0, axes[2], axes[3]}})];
    costs[i].add(chunk, 1);
    costs[i].add(decoding, 1);
    costs[i].uses = chunk.uses;
    costs[i].uses.insert(costs[i].uses.end(), decoding.uses.begin(), decoding.uses.end());
    if (chunk.as.empty() && decoding.as.empty()) continue;
    const std::vector<std::int64_t>& first = chunk.as.empty() ? axes : chunk.as;
    const std::vector<std::int64_t>& second = decoding.as.empty() ? axes : decoding.as;
    costs[i].as = {first[0], first[1], second[2], second[3]};
  }
  return costs;
}

}  // namespace zz::plugins
