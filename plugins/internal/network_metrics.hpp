#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/cost/missing_work.hpp"
#include "core/hardware/chip_area.hpp"
#include "core/workload/workload.hpp"
#include "plugins/internal/objects.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// For stages that make results of a whole network: what its estimate lacks (Workload::uncosted) is told
/// with every result, as metrics, and once as a table.
struct MissingWork {
  static constexpr Metric metrics[] = {
      zz::metric(core::MissingWork::nodes_metric, "operators that multiply, or may do so, and have no cost")
          .largest(),
      zz::metric(core::MissingWork::share_metric,
                 "their share of the multiply-accumulates, 0 to 1; not there when nobody knows it")
          .largest()};

  static void mark(core::Evaluation& evaluation, const core::Workload& workload) {
    if (workload.uncosted.empty()) return;
    const core::MissingWork missing = core::missing_work(workload);
    evaluation.metrics.emplace_back(core::MissingWork::nodes_metric, missing.nodes);
    if (missing.share) evaluation.metrics.emplace_back(core::MissingWork::share_metric, *missing.share);
  }

  /// A table of the operators, with why they have no cost.
  static void report(const Stage& stage, const core::Workload& workload) {
    if (workload.uncosted.empty()) return;
    struct Row {
      std::int64_t nodes = 0;
      std::optional<double> macs = 0;
    };
    std::map<std::pair<std::string, std::string>, Row> by_reason;
    for (const core::UncostedNode& node : workload.uncosted) {
      Row& row = by_reason[{node.type, node.reason}];
      ++row.nodes;
      row.macs = row.macs && node.mac_count
                     ? std::optional(*row.macs + static_cast<double>(*node.mac_count))
                     : std::nullopt;
    }
    std::vector<Value> rows;
    for (const auto& [what, row] : by_reason)
      rows.push_back(make(
          nullptr,
          list({what.first, row.nodes, row.macs ? Literal(*row.macs) : Literal("unknown"), what.second})));
    const Value columns = make(nullptr, list({"operator", "nodes", "multiply-accumulates", "why"}));
    stage.report("without cost; " + core::missing_work_words(core::missing_work(workload)), columns.look(),
                 make_list(rows).look());
  }

  /// For the top of a page, from the workload or from the metrics of a result; "" when nothing is missing.
  template <class Result>
  static std::string note(const Result& result) {
    const std::string note = core::missing_work_note(core::missing_work(result));
    return note.empty() ? "" : note + " ";
  }
};

/// A result of a network, or of a layer of it, with what it lacks, and with what rates follow from: frames
/// and tokens, and the area of the chip, where its parts say theirs. Of `samples` runs of the network.
inline Value with_network_figures(const Value& evaluation, const core::Workload& workload,
                                  const core::ChipArea& area, std::int64_t samples = 1) {
  const auto found = object_or_null<core::Evaluation>(evaluation);
  if (!found) return evaluation;
  core::Evaluation marked = *found;
  MissingWork::mark(marked, workload);
  marked.frames = workload.frames * static_cast<double>(samples);
  marked.tokens = workload.tokens * static_cast<double>(samples);
  if (area.is_known()) marked.chip_area = area.mm2;
  return wrap(std::move(marked));
}

/// The area of a core and of the vector unit beside it, which may be null.
inline core::ChipArea area_with_unit(const core::Accelerator& accelerator, const core::Accelerator* unit) {
  core::ChipArea area = core::chip_area(accelerator);
  if (unit == nullptr) return area;
  const core::ChipArea own = core::chip_area(*unit, &accelerator);
  area.mm2 += own.mm2;
  area.without.insert(area.without.end(), own.without.begin(), own.without.end());
  return area;
}

/// A metric of a result, or 0 for one that has none of that name.
inline double metric_of(const core::Evaluation& evaluation, std::string_view name) {
  const double* const figure = core::find_metric(evaluation, name);
  return figure == nullptr ? 0 : *figure;
}

}  // namespace zz::plugins

/// The metrics by which a schedule tells what nodes exchange inside of their cores.
namespace zz::plugins::inner_fusion {

inline constexpr const char* tensors = "inner_fusion_tensors";
inline constexpr const char* saved = "inner_fusion_saved";

}  // namespace zz::plugins::inner_fusion

/// The metrics of a network that runs for several samples, and what no choice of cuts, cores and order can
/// be below.
namespace zz::plugins::batch_figures {

inline constexpr const char* first = "latency_first";
inline constexpr const char* per_sample = "cycles_per_sample";
inline constexpr const char* first_fill = "first_fill";
inline constexpr const char* first_bound = "latency_first_bound";
inline constexpr const char* per_sample_bound = "cycles_per_sample_bound";

}  // namespace zz::plugins::batch_figures

/// The metrics by which a layer of a network with fused groups tells what it costs by itself.
namespace zz::plugins::by_itself {

inline constexpr const char* energy = "unfused_energy";
inline constexpr const char* latency = "unfused_latency";

}  // namespace zz::plugins::by_itself

/// The metrics by which a search over cuts tells, with every result, what no choice of cuts, cores and
/// order can be below.
namespace zz::plugins::partition_bounds {

inline constexpr const char* latency = "partition_latency_bound";
inline constexpr const char* energy = "partition_energy_bound";
inline constexpr const char* edp = "partition_edp_bound";

}  // namespace zz::plugins::partition_bounds
