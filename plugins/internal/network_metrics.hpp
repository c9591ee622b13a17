#pragma once
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/workload/workload.hpp"
#include "plugins/internal/objects.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// For stages that make results of a whole network: what its estimate lacks (Workload::uncosted) is told
/// with every result, as metrics, and once as a table.
struct MissingWork {
  static constexpr const char* nodes_metric = "uncosted_nodes";
  static constexpr const char* share_metric = "missing_mac_share";
  static constexpr Metric metrics[] = {
      zz::metric(nodes_metric, "operators that multiply, or may do so, and have no cost").largest(),
      zz::metric(share_metric, "their share of the multiply-accumulates that are known, 0 to 1").largest()};

  /// The evaluation of a result with the metrics; unchanged for a network that lacks nothing.
  static Value marked(const Value& evaluation, const core::Workload& workload) {
    const auto found = object_or_null<core::Evaluation>(evaluation);
    if (workload.uncosted.empty() || !found) return evaluation;
    core::Evaluation marked = *found;
    marked.metrics.emplace_back(nodes_metric, static_cast<double>(workload.uncosted.size()));
    marked.metrics.emplace_back(share_metric, workload.missing_mac_share());
    return wrap(std::move(marked));
  }

  /// A table of the operators, with why they have no cost.
  static void report(const Stage& stage, const core::Workload& workload) {
    if (workload.uncosted.empty()) return;
    std::map<std::pair<std::string, std::string>, std::pair<std::int64_t, double>> by_reason;
    for (const core::UncostedNode& node : workload.uncosted) {
      auto& [nodes, macs] = by_reason[{node.type, node.reason}];
      ++nodes;
      macs += static_cast<double>(node.mac_count);
    }
    std::vector<Value> rows;
    for (const auto& [what, how_many] : by_reason)
      rows.push_back(make(nullptr, list({what.first, how_many.first, how_many.second, what.second})));
    const Value columns =
        make(nullptr, list({"operator", "nodes", "multiply-accumulates that are known", "why"}));
    stage.report("without cost; " +
                     sentence(static_cast<double>(workload.uncosted.size()), workload.missing_mac_share()),
                 columns.look(), make_list(rows).look());
  }

  /// For the top of a page, from the workload or from the metrics of a result; "" when nothing is missing.
  static std::string note(const core::Workload& workload) {
    return note(static_cast<double>(workload.uncosted.size()), workload.missing_mac_share());
  }
  static std::string note(const core::Evaluation& evaluation) {
    const auto metric = [&](const char* name) {
      const auto found = std::find_if(evaluation.metrics.begin(), evaluation.metrics.end(),
                                      [&](const auto& one) { return one.first == name; });
      return found == evaluation.metrics.end() ? 0 : found->second;
    };
    return note(metric(nodes_metric), metric(share_metric));
  }

 private:
  static std::string note(double nodes, double share) {
    return nodes == 0 ? "" : "These figures are not of the whole network: " + sentence(nodes, share) + ". ";
  }
  static std::string sentence(double nodes, double share) {
    return fmt::format(
        "{:.0f} operator{} that multipl{}, or may do so, lack{} a cost, {:.2f} % of the "
        "multiply-accumulates that are known",
        nodes, nodes == 1 ? "" : "s", nodes == 1 ? "ies" : "y", nodes == 1 ? "s" : "", 100 * share);
  }
};

}  // namespace zz::plugins

/// The metrics by which a search over cuts tells, with every result, what no choice of cuts, cores and
/// order can be below.
namespace zz::plugins::partition_bounds {

inline constexpr const char* latency = "partition_latency_bound";
inline constexpr const char* energy = "partition_energy_bound";
inline constexpr const char* edp = "partition_edp_bound";

/// One of them, or 0 for a result that has none.
inline double of(const core::Evaluation& evaluation, std::string_view name) {
  const auto found = std::find_if(evaluation.metrics.begin(), evaluation.metrics.end(),
                                  [&](const auto& one) { return one.first == name; });
  return found == evaluation.metrics.end() ? 0 : found->second;
}

}  // namespace zz::plugins::partition_bounds
