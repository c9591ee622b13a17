#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/library/run_figures.hpp"
#include "host/report/merged_rows.hpp"

namespace zz::host {

/// A layer, or a whole result, of two runs.
struct ComparedRow {
  std::string layer;
  std::optional<ResultRow> ours, theirs;  ///< none: that run has no such layer
  /// Moved by each rule, of one pipeline both ways. These add up to `ours` less `theirs`.
  std::vector<std::pair<std::string, Figures>> by_rule;
};

struct ComparedResult {
  Settings settings;  ///< of a point of a sweep
  std::vector<ComparedRow> layers;
  std::optional<ComparedRow> total;
};

/// Results of two runs, the first with the first, and in them layers with those of the same name; what only
/// one run has stands alone. Layers come as the first run has them; those that only the second has follow
/// what they follow there. A row without a total that no layer of the other run pairs with is a whole.
std::vector<ComparedResult> pair_up(const std::vector<ResultRows>& ours,
                                    const std::vector<ResultRows>& theirs);

/// The layers as tables and pages see them, for merged_rows().
std::vector<TableLayer> table_layers(const ComparedResult& result);

/// {energy_total, latency_total2}, of filled costs also energy_low and energy_high; or null.
nlohmann::ordered_json figures_json(const std::optional<Figures>& figures);

/// Two runs, of other pipelines, accelerators, networks or settings.
struct SideBySide {
  std::string first, second;  ///< names of what was run or read
  std::vector<ComparedResult> results;
};

/// {first, second, results: [{settings, total, layers: [{layer, first, second, difference}]}]}, where
/// `first` and `second` have figures_json(), limited_by, mac_utilization2, optimum_gap and what rates are
/// known (core/cost/rates.def), and `difference` is what the second has more.
nlohmann::ordered_json side_by_side_json(const SideBySide& runs);

/// A page for a browser that needs no network: two bars for the total and each layer, latency and energy.
std::string side_by_side_page(const SideBySide& runs);

}  // namespace zz::host
