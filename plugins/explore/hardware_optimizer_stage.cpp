#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json_text.hpp"
#include "core/exploration/space_forms.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/search/methods/objective.hpp"
#include "plugins/explore/design_points.hpp"
#include "plugins/explore/hardware_table.hpp"
#include "plugins/explore/point_runner.hpp"
#include "plugins/explore/point_settings.hpp"
#include "plugins/internal/json_values.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"

namespace zz::plugins {
namespace {

/// Runs the chain below on variants of the accelerator and keeps the best one.
class HardwareOptimizerStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.HardwareOptimizerStage",
      .name = "HardwareOptimizerStage",
      .summary = "tries variants of the accelerator and keeps the best",
      .doc =
          R"(Opens the chain below once for each combination of values in `hardware_parameters`, a map of fields of the
accelerator and lists of values. The first entry is the slowest loop; several fields in one key, separated by commas,
take their values together. Fields are named by their path, as in the file or as in the object: `memories.l1.size`,
`memories[l1].ports[rw_port_1].bandwidth_max`, `operational_array.sizes[D1]`, or `operational_array.sizes` for all at
once.

`linked_parameters` sets further fields from these by closed forms, in the order in which they are written, as the
`linked` of ExplorationStage: that is the stage for many points, several figures and a store.

The best point is the one with the lowest `hardware_metric`; for `latency` the lower energy decides between equals, for
`energy` the lower latency, and in the end the one that comes first. A point that is no valid accelerator, or on which
nothing can be mapped, is recorded with its reason and the sweep goes on; only when all are infeasible there is no
result. Points run in parallel with `-j`; results do not depend on it.

With `dump_folder` the table of all points goes to `<dump_folder>/hardware_points.csv` and `.json`, and the stages below
get a folder of their own for each point, `<dump_folder>/point_<number>`.

Yields one result: the best evaluation, with the extra {settings, extra, points}: the settings of the best point, what
came with its result, and the list of all points.

```yaml
parameters:
  hardware_parameters:
    memories.l1.size, memories.l1.r_cost: [[262144, 95], [524288, 104]]
    operational_array.sizes: [[8, 8], [8, 16], [16, 16]]
  linked_parameters:
    memories.l1.w_cost: memories.l1.r_cost * 1.2
    memories.l1.ports[rw_port_1].bandwidth_max: operational_array.sizes[D1] * operational_array.sizes[D2] * 8
stages:
  - WorkloadParserStage
  - AcceleratorParserStage
  - HardwareOptimizerStage
  - SumStage
  - WorkloadStage
  - ...
```

Unrollings that the mapping file prescribes are cut to the size of the array; prescribe the largest one, or hints.)",
      .flags = ZZ_STAGE_REDUCES | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  Value hardware_parameters;
  Value linked_parameters;
  std::string hardware_metric = "latency";
  std::optional<std::string> dump_folder;
  static constexpr auto params = zz::params(
      param<&HardwareOptimizerStage::hardware_parameters>(
          "hardware_parameters",
          "the fields to vary: {path: [values]}, {\"path, path\": [[value, value]]}; first is slowest")
          .required(),
      param<&HardwareOptimizerStage::linked_parameters>(
          "linked_parameters", "fields that follow from others: {path: expression}"),
      param<&HardwareOptimizerStage::hardware_metric>(
          "hardware_metric",
          "what is to be lowest: latency, energy, edp, or any number of evaluations by its name"),
      param<&HardwareOptimizerStage::dump_folder>(
          "dump_folder", "the folder for the table of all points; without it no table is written"));
  static constexpr Port consumes[] = {
      zz::object("accelerator", "accelerator", "the accelerator whose fields are varied")};
  static constexpr Port provides[] = {zz::object("accelerator", "accelerator", "the variant of a point"),
                                      zz::port("dump_folder", ZZ_STR, "the folder of a point").optional()};

  void prepare();
  void check(Value ctx) const;
  Result run(Value ctx);
  zz_demand demand() const;

 private:
  DesignPoints points_of(const Value& ctx) const;
  void warn_of_widths(const Value& ctx) const;
  std::vector<Name> criteria() const;
  Result best_below(const Value& ctx, HardwareOutcome& point) const;
  void write(const HardwareTable& table) const;

  core::DesignSpace space_;
  mutable std::atomic<bool> warned_of_widths_ = false;
  core::SpaceForms forms_;
  std::string wrong_forms_;
};

void HardwareOptimizerStage::prepare() {
  space_ = space_of(hardware_parameters, "hardware_parameters");
  forms_.linked = core::closed_forms(json_of_value(linked_parameters), "linked_parameters", wrong_forms_);
}

std::vector<Name> HardwareOptimizerStage::criteria() const {
  const std::optional<core::Objective> objective = core::objective_of_word(hardware_metric);
  if (objective == core::Objective::latency) return {"latency_total2"_n, "energy_total"_n};
  if (objective == core::Objective::energy) return {"energy_total"_n, "latency_total2"_n};
  if (objective == core::Objective::edp) return {"edp"_n};
  return {Name(hardware_metric)};
}

zz_demand HardwareOptimizerStage::demand() const {
  zz_demand demand{};
  demand.keep = 1;
  for (const Name name : criteria()) demand.metric[demand.n++] = name.id();
  return demand;
}

/// Says all at once that is wrong with expressions and with fields.
DesignPoints HardwareOptimizerStage::points_of(const Value& ctx) const {
  // Several cores have no single accelerator whose fields could vary. Asking for it says so.
  object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  std::string wrong = wrong_forms_;
  try {
    DesignPoints points(ctx, space_, forms_, {});
    if (wrong.empty()) return points;
  } catch (const Error& failure) {
    wrong += fmt::format("{}{}", wrong.empty() ? "" : "\n", failure.what());
  }
  throw Error(ZZ_E_INVALID, wrong);
}

void HardwareOptimizerStage::warn_of_widths(const Value& ctx) const {
  if (!warned_of_widths_.exchange(true))
    warn_of_width_without_cost(*this, core::varied_names(space_, forms_), ctx);
}

void HardwareOptimizerStage::check(Value ctx) const {
  warn_of_widths(ctx);
  points_of(ctx);
}

/// The best result below a context, by the figures of these names; of equals the first.
Result HardwareOptimizerStage::best_below(const Value& ctx, HardwareOutcome& point) const {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  Result best;
  for (Result& result : substage(ctx)) {
    std::vector<double> figures;
    for (const Name name : criteria()) figures.push_back(result.evaluation[name].num());
    if (point.feasible() && !(figures < point.figures)) continue;
    point.figures = std::move(figures);
    point.energy = result.evaluation["energy_total"_n].num(unknown);
    point.latency = result.evaluation["latency_total2"_n].num(unknown);
    best = std::move(result);
  }
  if (!point.feasible()) throw Error(ZZ_E_NO_RESULT, "the chain below gave no result");
  return best;
}

Result HardwareOptimizerStage::run(Value ctx) {
  warn_of_widths(ctx);
  const DesignPoints variants = points_of(ctx);
  const PointRunner runner(*this, variants, ctx, dump_folder);
  const std::uint64_t size = space_.size();
  HardwareTable table{std::string(criteria().front().text()), std::vector<HardwareOutcome>(size), {}};
  Result best;
  Progress display = progress("hardware points", size);
  // Each thread writes its own points only.
  const auto work_out = [&](std::uint64_t number, Result& found) {
    HardwareOutcome& point = table.points[number];
    DesignPoint design;
    const auto failure =
        runner.run(number, design, [&](const Value& below) { found = best_below(below, point); });
    point.settings = std::move(design.settings);
    if (failure) {
      point.figures.clear();
      point.reason = failure->reason;
    }
    display.advance();
  };
  std::uint64_t ended = 0;
  const auto take = [&](std::uint64_t number, Result& found) {
    ended = number + 1;
    const HardwareOutcome& point = table.points[number];
    if (!point.feasible())
      log(Level::debug, "infeasible with " + to_string(point.settings) + ": " + point.reason);
    if (!point.feasible() || (table.best && !(point.figures < table.points[*table.best].figures))) return;
    table.best = number;
    best = std::move(found);
  };
  try {
    work_out_in_order<Result>(*this, 0, size, work_out, take);
  } catch (const Error& failure) {
    if (failure.code != ZZ_E_CANCELLED) throw;
    for (; ended < size; ++ended) {
      table.points[ended].figures.clear();
      table.points[ended].reason = "not evaluated: the run was interrupted";
    }
    write(table);
    throw;
  }

  const auto infeasible = static_cast<std::size_t>(
      std::count_if(table.points.begin(), table.points.end(),
                    [](const HardwareOutcome& point) { return !point.feasible(); }));
  count("hardware points", size);
  if (infeasible > 0) count("infeasible hardware points", infeasible);
  write(table);
  if (!table.best) {
    throw Error(ZZ_E_NO_RESULT,
                fmt::format("none of the {} hardware points is feasible; the first, with {}: {}", size,
                            to_string(table.points.front().settings), table.points.front().reason));
  }
  const HardwareOutcome& chosen = table.points[*table.best];
  log(Level::info, fmt::format("best of {} hardware points, {} of them infeasible: {}", size, infeasible,
                               to_string(chosen.settings)));
  const Value settings = as_map(chosen.settings), all = table.value();
  const Value extra =
      make(nullptr, {{"settings", settings}, {"extra", best.extra}, {"points", all["points"_n]}});
  return Result(std::move(best.evaluation), extra);
}

void HardwareOptimizerStage::write(const HardwareTable& table) const {
  if (!dump_folder) return;
  const std::filesystem::path folder(*dump_folder);
  output((folder / "hardware_points.csv").string(), table.csv());
  output((folder / "hardware_points.json").string(),
         core::json_text(nlohmann::ordered_json::parse(table.value().json())) + "\n");
}

}  // namespace

ZZ_PLUGIN_STAGE(HardwareOptimizerStage)

}  // namespace zz::plugins
