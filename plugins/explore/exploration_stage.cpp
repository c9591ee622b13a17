#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/cost/rates.hpp"
#include "core/exploration/sampled_points.hpp"
#include "core/exploration/shard.hpp"
#include "core/exploration/space_forms.hpp"
#include "core/search/methods/objective.hpp"
#include "core/store/result_store.hpp"
#include "plugins/explore/design_points.hpp"
#include "plugins/explore/exploration.hpp"
#include "plugins/explore/point_figures.hpp"
#include "plugins/explore/point_settings.hpp"
#include "plugins/explore/proof.hpp"
#include "plugins/explore/shared_work.hpp"
#include "plugins/internal/json_values.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/stored_answers.hpp"

namespace zz::plugins {
namespace {

using Json = nlohmann::ordered_json;

/// Explores a space of designs and keeps what it found in a store.
class ExplorationStage : public Stage, public StoreSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.ExplorationStage",
      .name = "ExplorationStage",
      .summary = "explores a space of accelerators and settings, and keeps its Pareto front in a store",
      .doc =
          R"(Runs the chain below at the points of a space and finds those that no other one beats in the `objectives`.

`axes` is a map of names and their steps; the first entry is the slowest loop. A name is a field of the accelerator, as
in the file or as in the object (`memories.l1.size`, `memories[l1].ports[rw_port_1].bandwidth_max`,
`operational_array.sizes[D1]`, `operational_array.sizes`), or a setting of a stage below, files included. Steps are a
list, or a range of numbers `{from: 8, to: 64, step: 8}` or `{from: 8, to: 64, factor: 2}`. Several names in one key,
separated by commas, vary together; each step is then a list with a value for each.

`linked` sets further fields from these by closed forms with + - * /, parentheses, sqrt, pow, log2, min, max, floor,
ceil and round, in the order in which they are written; names in them are fields of the point, and a field's own name is
the value that it has in the accelerator above. `metrics` are figures of your own by such forms, which may name figures,
and metrics before them. `constraints` are limits of fields, metrics and any figures of evaluations, such as
`area <= 2.5`.

| `figures` | the figures of a point are |
|---|---|
| `separate` | each by its own best mappings: an ideal point, which no single mapping need reach |
| `latency`, `energy`, `edp` | those of the mappings that are best by that one, layer by layer |
| `latency within 5%` | those of the least energy among mappings at most so much slower; the same for `energy` |
| a metric | those of the mappings that MinimalMetricStage keeps by it |

With `separate` below OptimalMappingStage the energy and the latency are searched apart. Where the chain below is
SumStage, WorkloadStage, a reducer, OptimalMappingStage and CostModelStage and nothing else but ComponentCostStage above
them, or of other stages that say that they make the same (docs/abi.md), the layers are searched without opening it, and
the answers are kept by themselves: other points that ask the same question have it. With ComponentCostStage the
figure `area` is there, too.

| `strategy` | looks at |
|---|---|
| `proof` | boxes of points, most of which a bound rules out; what is left is found to be on the front or beaten |
| `grid` | every point |
| `random` | `samples` points by `seed` |
| `sobol` | `samples` points that are spread evenly over all axes |

`proof` needs `figures: separate` and a chain whose layers are searched without opening it. Every point is at most the
fraction `tolerance` below a point of its front in each objective; with 0 the front is that of `grid`. Arrays, memories
next to the array, `bandwidth_min`, and fields without a rule are enumerated; sizes and widths of other memories and all
costs are bounded over boxes, also those that ComponentCostStage fills by its forms (not with `cacti`).

The `store` is a file of SQLite, or a database of a PostgreSQL server, as `postgresql://user@host/database`; both have
the views `figures` and `front`. What it has is not computed again, whoever computed it, also where axes have more steps
now, or other constraints. Infeasible points are rows with their reasons. With a server any number of programs that run
the same pipeline share its points, and each ends with the front of all; what a killed one was at, others take after
some seconds.
A run that was killed goes on from what was written: four times a second, but not while a proof is at one box of
designs, which may take some seconds. `zz-host front` shows the front of a store, `zz-host why` what became of a point,
`zz-host merge` unites stores. `zz-host run --shard 2/4` takes every fourth point from the second on, `--point 7` runs
the chain below for point 7 alone.

`points` are numbers of points to look at in place of those of a strategy, so that any program may choose them. `given`
are figures of points that were found elsewhere, as `{7: {energy: 2.5e6, latency: 1200}}`: the store takes them as they
are, without a bound, where it has none for the point.

Points run in parallel with `-j`; results do not depend on it. Stages below get a folder of their own for each point,
`<dump_folder>/point_<number>`, where `dump_folder` is given.

Yields one result: energy and latency of the point of the front with the least of the first objective, with the extra
{settings, extra, point, front}: its settings, its number, and the rows of the front.

```yaml
stages:
  - WorkloadParserStage
  - AcceleratorParserStage
  - ExplorationStage:
      axes:
        operational_array.sizes[D1]: [8, 16, 32]
        memories.l1.size: {from: 262144, to: 4194304, factor: 2}
      linked: {memories.l1.r_cost: 0.1 * sqrt(memories.l1.size)}
      metrics: {area: "1e-6 * memories.l1.size + 0.001 * operational_array.sizes[D1]"}
      objectives: [latency, area]
      constraints: ["area <= 2.5"]
      strategy: grid
      store: results.sqlite
  - SumStage
  - ...
```)",
      .flags = ZZ_STAGE_REDUCES | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC};

  Value axes, linked, metrics_;
  std::vector<std::string> objectives{"latency", "energy"};
  std::vector<std::string> constraints;
  std::string figures = "separate";
  double tolerance = 0;
  std::string strategy = "grid";
  std::int64_t samples = 1000;
  std::int64_t seed = 0;
  std::vector<std::int64_t> points_;
  Value given;
  std::optional<std::int64_t> point;
  std::optional<std::string> shard;
  std::optional<std::string> dump_folder;
  static constexpr auto params = zz::params(
      param<&ExplorationStage::axes>(
          "axes", "what varies: {name: [values]}, {name: {from, to, step or factor}}; first is slowest")
          .required(),
      param<&ExplorationStage::linked>("linked", "fields that follow from others: {path: closed form}"),
      param<&ExplorationStage::metrics_>("metrics", "figures by closed forms: {name: closed form}"),
      param<&ExplorationStage::objectives>(
          "objectives",
          "what is to be low: energy, latency, edp, latency_ms, power, area, metrics; two or three"),
      param<&ExplorationStage::constraints>("constraints",
                                            "limits that points must keep, as \"area <= 2.5\""),
      param<&ExplorationStage::figures>(
          "figures", "by which mappings a point has its figures: separate, latency, energy, edp, a metric"),
      param<&ExplorationStage::tolerance>(
          "tolerance", "by which fraction the front may be above the true one; grid finds the true one")
          .allowed("[0, 1]"),
      param<&ExplorationStage::strategy>("strategy", "which points are looked at")
          .allowed("proof|grid|random|sobol"),
      store_setting,
      param<&ExplorationStage::samples>("samples", "points to look at by random and sobol")
          .allowed("[1, inf]"),
      param<&ExplorationStage::seed>("seed", "of the points by random").allowed("[0, inf]"),
      param<&ExplorationStage::points_>("points",
                                        "the numbers of the points to look at, in place of a strategy's"),
      param<&ExplorationStage::given>("given",
                                      "figures that were found elsewhere: {number: {figure: value}}"),
      param<&ExplorationStage::point>("point", "the number of the one point to run, counted from 0")
          .allowed("[0, inf]"),
      param<&ExplorationStage::shard>("shard", "the share of the points to run, as 2/4"),
      param<&ExplorationStage::dump_folder>("dump_folder", "the folder for the files of stages below"));
  static constexpr Port consumes[] = {
      zz::object("accelerator", "accelerator", "the accelerator whose fields are varied").optional()};
  static constexpr Port provides[] = {
      zz::object("accelerator", "accelerator", "that of a point").optional(),
      zz::Port("*", ZZ_NULL, "setting", "settings of stages below that vary"),
      zz::port("objective", ZZ_STR, "what mappings are best by, as `figures` says").optional(),
      zz::port("within", ZZ_F64, "by which fraction they may be above the best, as `figures` says")
          .optional(),
      zz::port("dump_folder", ZZ_STR, "the folder of a point").optional(),
      zz::port("store", ZZ_STR, "the store, for the layers of the points").optional()};

  void prepare();
  /// Keeps nothing; the names are those that results from below must have.
  zz_demand demand() const;
  void check(Value ctx) const;
  Result run(Value ctx);

 private:
  void check_points() const;
  void check_chain_as_written() const;
  bool proves() const { return strategy == "proof" && points_.empty() && given_.empty(); }
  bool looks_at_all() const { return strategy == "grid" && points_.empty() && given_.empty(); }
  std::vector<std::uint64_t> chosen_points() const;
  core::StoredSpace stored_space(const Value& ctx, const ChainShape& shape, const Value& base) const;
  void check_provable(const ChainShape& shape, bool searchable) const;
  void warn_of_widths(const Value& ctx) const;
  void check_clock(const Value& ctx, const ChainShape& shape) const;
  bool can_do_without_chain(const ChainShape& shape, const DesignPoints& points) const;
  std::uint64_t prove(Exploration& exploration, FiguresOfLayers& of_layers, const ChainShape& shape,
                      const SharedWork& work);
  std::uint64_t explore(Exploration& exploration, const SharedWork& work);
  std::string job_text(const core::StoredSpace& space) const;
  void tell_of_end(Exploration& exploration, const Error& failure) const;
  Result run_one(const PointRunner& runner, const ChainShape& shape);

  core::DesignSpace space_;
  mutable std::atomic<bool> warned_of_widths_ = false;
  core::SpaceForms forms_;
  FiguresChoice choice_;
  core::Shard shard_;
  std::map<std::uint64_t, std::vector<core::StoredFigure>> given_;  ///< by SpaceForms::figures
};

zz_demand ExplorationStage::demand() const {
  zz_demand named{};
  for (const std::string& figure : forms_.figures)
    if (named.n < std::size(named.metric)) named.metric[named.n++] = Name(name_in_evaluation(figure)).id();
  return named;
}

/// Throws what a run over this chain refuses whatever comes from above.
void ExplorationStage::check_chain_as_written() const {
  if (point) return;
  const ChainShape shape(*this, Value());
  const std::vector<std::string> names = space_.names();
  const bool of_fields = std::none_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::find(shape.settings().begin(), shape.settings().end(), name) != shape.settings().end();
  });
  if (proves()) check_provable(shape, of_fields && !dump_folder);
  check_choice(shape, choice_);
}

void ExplorationStage::prepare() {
  choice_ = FiguresChoice::of(figures);
  if (shard) shard_ = core::Shard::of(*shard);
  std::string wrong;
  try {
    space_ = space_of(axes, "axes");
  } catch (const Error& problem) {
    wrong = problem.what();
  }
  for (std::string& name : objectives)
    if (const auto objective = core::objective_of_word(name)) name = core::word_of(*objective);
  forms_ = core::space_forms(space_, json_of_value(linked), json_of_value(metrics_), constraints,
                             objectives, wrong);
  if (!wrong.empty()) throw Error(ZZ_E_INVALID, wrong);
  given_ = core::given_figures(json_of_value(given), forms_);
  check_points();
  check_chain_as_written();
}

/// Throws for points that settings name and that are not there.
void ExplorationStage::check_points() const {
  std::vector<std::int64_t> named = points_;
  if (point) named.push_back(*point);
  for (const auto& [number, figures_there] : given_) named.push_back(static_cast<std::int64_t>(number));
  for (const std::int64_t number : named)
    if (static_cast<std::uint64_t>(number) >= space_.size())
      throw Error(ZZ_E_INVALID, fmt::format("there is no point {}: the space has {}, counted from 0",
                                            number, space_.size()));
}

/// Everything in the context that figures may follow from, but for the accelerator.
std::string objects_text(const Value& ctx) {
  std::string text;
  for (uint32_t i = 0; i < ctx.size(); ++i) {
    const std::string_view key = ctx.key(i);
    if (key != "accelerator" && ctx.at(i).kind() == ZZ_OBJECT)
      text += fmt::format("{}: {}\n", key, ctx.at(i).json());
  }
  return text;
}

core::ColumnKind kind_of(const core::DesignAxis& axis, std::size_t name) {
  const auto all = [&](auto is) {
    return std::all_of(axis.steps.begin(), axis.steps.end(),
                       [&](const auto& step) { return is(step[name]); });
  };
  if (all([](const nlohmann::json& value) { return value.is_number_integer(); }))
    return core::ColumnKind::integer;
  return all([](const nlohmann::json& value) { return value.is_number(); }) ? core::ColumnKind::real
                                                                            : core::ColumnKind::any;
}

core::StoredSpace ExplorationStage::stored_space(const Value& ctx, const ChainShape& shape,
                                                 const Value& base) const {
  core::StoredSpace space;
  space.axes = space_.names();
  space.figures = forms_.figures;
  for (const core::ClosedForm& metric : forms_.metrics) space.metrics.push_back(metric.name);
  space.objectives = objectives;
  for (const core::DesignAxis& axis : space_.axes())
    for (std::size_t name = 0; name < axis.names.size(); ++name) space.kinds.push_back(kind_of(axis, name));
  space.identity = Json{
      {"axes", space.axes},
      {"chain", core::digest_of(shape.text())},
      {"network or other inputs", core::digest_of(objects_text(ctx))},
      {"accelerator", core::digest_of(base ? base.json() : "")},
      {"figures",
       figures}}.dump();
  const auto parsed = [](const Value& map) { return map.is_null() ? Json() : Json::parse(map.json()); };
  // The strategy and the tolerance decide which points are looked at, not what the points are.
  space.text =
      Json{{"axes", parsed(axes)},       {"linked", parsed(linked)},   {"metrics", parsed(metrics_)},
           {"objectives", objectives},   {"constraints", constraints}, {"figures", figures},
           {"identity", space.identity}, {"points", space_.size()}}
          .dump();
  return space;
}

/// Everything that decides which points are looked at, and what they are.
std::string ExplorationStage::job_text(const core::StoredSpace& space) const {
  return Json{{"space", space.text},    {"strategy", strategy},
              {"tolerance", tolerance}, {"samples", samples},
              {"seed", seed},           {"points", points_},
              {"given", given.json()},  {"shard", shard.value_or("")}}
      .dump();
}

std::vector<std::uint64_t> ExplorationStage::chosen_points() const {
  if (!points_.empty() || !given_.empty()) {
    std::set<std::uint64_t> chosen(points_.begin(), points_.end());
    for (const auto& [number, figures_there] : given_) chosen.insert(number);
    return {chosen.begin(), chosen.end()};
  }
  if (strategy == "random")
    return core::random_points(space_, static_cast<std::uint64_t>(samples),
                               static_cast<std::uint64_t>(seed));
  return core::sobol_points(space_, static_cast<std::uint64_t>(samples));
}

Result ExplorationStage::run_one(const PointRunner& runner, const ChainShape& shape) {
  DesignPoint design;
  runner.points().make(static_cast<std::uint64_t>(*point), design);
  Value below = runner.context(design);
  std::string objective = choice_.objective;
  std::optional<double> within = choice_.within;
  if (choice_.separate() && !shape.optimum().is_null()) {
    within = 0;  // as the figures of the point are found
    // A chain without a reducer searches by the first objective that is searched for.
    if (shape.kept().empty()) {
      const auto searched = std::find_if(objectives.begin(), objectives.end(), FiguresOfLayers::sums);
      objective = searched == objectives.end() ? "latency" : *searched;
    }
  }
  if (!objective.empty()) below = with(below, {{"objective"_n, objective}});
  if (within) below = with(below, {{"within"_n, *within}});
  Result first;
  Substage results = substage(below);
  if (!results.next(first)) throw Error(ZZ_E_NO_RESULT, "the chain below gave no result");
  const Value settings = as_map(design.settings);
  const Value extra = make(nullptr, {{"settings", settings}, {"extra", first.extra}, {"point", *point}});
  return Result(std::move(first.evaluation), extra);
}

void ExplorationStage::check_provable(const ChainShape& shape, bool searchable) const {
  for (const std::string& figure : forms_.figures)
    if (!FiguresOfLayers::has(figure, shape))
      throw Error(
          ZZ_E_INVALID,
          fmt::format("strategy: proof has no bound of the figure '{}'; it needs energy, latency, edp, "
                      "latency_ms, frames_per_second, tokens_per_second, a name of 'metrics', or area "
                      "where ComponentCostStage stands below; use strategy: grid for others",
                      figure));
    else if (const auto varied = core::varied_names(space_, forms_);
             FiguresOfLayers::follows_from_latency(figure) &&
             std::find(varied.begin(), varied.end(), "clock_period") != varied.end())
      throw Error(
          ZZ_E_INVALID,
          fmt::format("strategy: proof has no bound of the figure '{}' where 'clock_period' varies; "
                      "use strategy: grid",
                      figure));
  if (!choice_.separate())
    throw Error(
        ZZ_E_INVALID,
        fmt::format(
            "strategy: proof needs figures: separate. For figures: {} it would need bounds of energy + "
            "multiplier x latency, which the searches do not offer; use strategy: grid",
            figures));
  for (const core::ClosedForm& metric : forms_.metrics)
    for (const std::string& name : metric.expression.names())
      if ((FiguresOfLayers::sums(name) || FiguresOfLayers::follows_from_latency(name)) &&
          std::find(forms_.figures.begin(), forms_.figures.end(), name) != forms_.figures.end())
        throw Error(
            ZZ_E_INVALID,
            fmt::format(
                "strategy: proof: the metric '{}' names the figure '{}', and has no bound over boxes of "
                "designs; use strategy: grid, or write it as a constraint",
                metric.name, name));
  if (!shape.sums_optima())
    throw Error(ZZ_E_INVALID,
                fmt::format("strategy: proof needs the chain SumStage, WorkloadStage, a reducer, "
                            "OptimalMappingStage, CostModelStage below, with ComponentCostStage or "
                            "without, whose figures have bounds{}; use strategy: grid for others",
                            shape.why_not()));
  if (!searchable)
    throw Error(ZZ_E_INVALID,
                "strategy: proof needs axes that are fields of the accelerator, and no dump_folder; "
                "use strategy: grid");
  if (!shard_.whole())
    throw Error(ZZ_E_INVALID,
                "strategy: proof runs as a whole: --shard is for grid, random and sobol; with a store on a "
                "server any number of programs share a proof");
}

std::uint64_t ExplorationStage::prove(Exploration& exploration, FiguresOfLayers& of_layers,
                                      const ChainShape& shape, const SharedWork& work) {
  Progress display = progress("points of the space", space_.size());
  try {
    const bool exact = shape.optimum().value("compat", "") != "";
    Proof proof(exploration, of_layers, tolerance, exact);
    const std::vector<core::DesignBox> boxes =
        work.shared() ? core::cut_for_sharing(proof.boxes()) : proof.boxes();
    ProofCounts counts;
    work.run(
        boxes.size(), [&] { exploration.store().remove_boxes(); },
        [&](std::uint64_t first, std::uint64_t end) {
          for (std::uint64_t place = first; place < end; ++place)
            exploration.store().remove_boxes(boxes[place].lower, boxes[place].upper);
        },
        [&](std::uint64_t first, std::uint64_t end) {
          const auto at = [&](std::uint64_t place) {
            return boxes.begin() + static_cast<std::ptrdiff_t>(place);
          };
          counts += proof.run({at(first), at(end)}, display);
        });
    proof.complete_front();
    count("points solved", counts.solved);
    count("points discarded by a bound", counts.discarded);
    count("layers searched", of_layers.answers().searches());
  } catch (const Error& failure) {
    tell_of_end(exploration, failure);
    throw;
  }
  return space_.size();
}

/// Keeps what was found before a run ends early.
void ExplorationStage::tell_of_end(Exploration& exploration, const Error& failure) const {
  exploration.store().write();
  if (failure.code == ZZ_E_CANCELLED && !store.empty())
    log(Level::info,
        fmt::format("interrupted; another run goes on from the store '{}'", exploration.store().name()));
}

/// Looks at the chosen points, in windows that run in parallel, and gives their number.
std::uint64_t ExplorationStage::explore(Exploration& exploration, const SharedWork& work) {
  const std::vector<std::uint64_t> chosen = looks_at_all() ? std::vector<std::uint64_t>() : chosen_points();
  const std::uint64_t own = shard_.count_of(looks_at_all() ? space_.size() : chosen.size());
  Progress display = progress("points of the space", own);
  const auto work_out = [&](std::uint64_t index, PointOutcome& outcome) {
    const std::uint64_t place = shard_.place(index);
    const std::uint64_t number = chosen.empty() ? place : chosen[place];
    const auto known = given_.find(number);
    if (known == given_.end() || exploration.store().point(number))
      exploration.work_out(number, outcome);
    else
      exploration.take_given(number, known->second, outcome);
    display.advance();
  };
  const auto take = [&](std::uint64_t, PointOutcome& outcome) { exploration.take(outcome); };
  const auto look_at = [&](std::uint64_t begin, std::uint64_t end) {
    work_out_in_order<PointOutcome>(*this, begin, end, work_out, take);
  };
  try {
    // A lost program's range is found in the store as far as it got.
    work.run(
        own, [] {}, [](std::uint64_t, std::uint64_t) {}, look_at);
  } catch (const Error& failure) {
    tell_of_end(exploration, failure);
    throw;
  }
  return own;
}

void ExplorationStage::warn_of_widths(const Value& ctx) const {
  if (!warned_of_widths_.exchange(true))
    warn_of_width_without_cost(*this, core::varied_names(space_, forms_), ctx);
}

/// Throws where a figure needs a clock that nobody can tell.
void ExplorationStage::check_clock(const Value& ctx, const ChainShape& shape) const {
  const Ref read = ctx["accelerator"_n];
  const auto accelerator = read.is_null() ? nullptr : object_or_null<core::Accelerator>(ctx.hold(read));
  if (accelerator == nullptr || accelerator->clock_period > 0 || accelerator->array.imc) return;
  const std::vector<std::string> varied = core::varied_names(space_, forms_);
  if (std::find(varied.begin(), varied.end(), "clock_period") != varied.end()) return;
  if (shape.text().find("LeakageStage") != std::string::npos) return;  // it has a clock of its own
  for (const std::string& figure : forms_.figures)
    if (const core::RateRow* rate = core::rate_row(figure);
        rate != nullptr && rate->member != &core::Rates::area)
      throw Error(ZZ_E_INVALID, core::why_no_rate({}, *rate));
}

/// True when the layers can be searched without opening the chain below.
bool ExplorationStage::can_do_without_chain(const ChainShape& shape, const DesignPoints& points) const {
  const std::vector<std::string> names = space_.names();
  const bool same_layers = std::none_of(names.begin(), names.end(), [](const std::string& name) {
    return name.find("operand_precision") != std::string::npos;
  });
  const bool of_searches =
      std::all_of(forms_.figures.begin(), forms_.figures.end(),
                  [&](const std::string& figure) { return FiguresOfLayers::has(figure, shape); });
  return shape.sums_optima() && same_layers && !points.varies_settings() && of_searches && !dump_folder;
}

void ExplorationStage::check(Value ctx) const {
  warn_of_widths(ctx);
  const ChainShape shape(*this, ctx);
  const DesignPoints points(ctx, space_, forms_, shape.settings());
  if (point) return;
  for (const std::string& value : points.values_without_accelerator()) log(Level::warning, value);
  check_clock(ctx, shape);
  if (proves()) check_provable(shape, can_do_without_chain(shape, points));
  check_store();
}

Result ExplorationStage::run(Value ctx) {
  warn_of_widths(ctx);
  const ChainShape shape(*this, ctx);
  const DesignPoints points(ctx, space_, forms_, shape.settings());
  const PointRunner runner(*this, points, store.empty() ? ctx : with(ctx, {{"store"_n, store}}),
                           dump_folder);
  if (point) return run_one(runner, shape);
  check_clock(ctx, shape);

  const bool can_do_without = can_do_without_chain(shape, points);
  if (proves()) check_provable(shape, can_do_without);
  const bool searches_layers = choice_.separate() && can_do_without;
  std::unique_ptr<PointFigures> of_chain;
  if (!searches_layers) of_chain = figures_of_chain(*this, shape, choice_, forms_.figures);

  // Everything that is refused is refused before a file is touched.
  std::optional<core::AnswersByStore::Place> of_this_run;
  core::AnswersByStore::Place& known = store.empty() ? of_this_run.emplace(":memory:", false) : answers();
  core::ResultStore& results = *known.answers.store();
  const core::StoredSpace told = stored_space(ctx, shape, points.base());
  results.begin(told);
  std::unique_ptr<FiguresOfLayers> of_layers;
  if (searches_layers)
    of_layers = std::make_unique<FiguresOfLayers>(*this, shape, ctx, known.answers, forms_.figures,
                                                  proves() ? tolerance : 0);
  PointFigures& by = of_layers ? static_cast<PointFigures&>(*of_layers) : *of_chain;

  Exploration exploration(runner, results, by, objectives, core::ResultStore::is_on_server(store));
  const SharedWork work{*this, results, store, job_text(told)};
  const std::uint64_t looked_at =
      proves() ? prove(exploration, *of_layers, shape, work) : explore(exploration, work);
  results.write();
  if (of_layers) exploration.keep_layers_of_front(*of_layers);
  results.write();
  if (work.shared()) exploration.count_all();
  count("points", looked_at);
  if (exploration.known() > 0) count("points that the store had", exploration.known());
  if (exploration.found() > 0) count("points whose figures the store had", exploration.found());
  if (exploration.infeasible() > 0) count("infeasible points", exploration.infeasible());
  if (exploration.beyond() > 0) count("points beyond a constraint", exploration.beyond());

  const core::StoredTable front = results.front();
  if (front.rows.empty()) throw Error(ZZ_E_NO_RESULT, exploration.why_none(looked_at));
  if (exploration.infeasible() > 0) log(Level::warning, exploration.infeasible_words());
  std::vector<Value> rows, named;
  for (const auto& row : front.rows) {
    std::vector<Value> cells;
    for (const nlohmann::json& cell : row) cells.push_back(value_of_json(cell));
    rows.push_back(make_list(cells));
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < cells.size(); ++i) entries.emplace_back(front.columns[i], cells[i]);
    named.push_back(make(Literal(std::span<const Entry>(entries))));
  }
  std::vector<std::string> columns = front.columns;
  report(fmt::format("front by {}{}", fmt::join(objectives, ", "),
                     choice_.separate() ? "; ideal points: each figure is of its own best mapping" : ""),
         make(list(columns)).look(), make_list(rows).look());
  if (front.rows.front().front().get<std::uint64_t>() >= space_.size())
    throw Error(
        ZZ_E_INVALID,
        fmt::format("the store '{}' has a point that its space has not; it is damaged", results.name()));
  DesignPoint least;
  points.make(front.rows.front().front().get<std::uint64_t>(), least);
  const auto number = [&](const char* name) {
    const auto column = std::find(front.columns.begin(), front.columns.end(), name) - front.columns.begin();
    const nlohmann::json& cell = front.rows.front()[static_cast<std::size_t>(column)];
    return cell.is_number() ? cell.get<double>() : 0.0;
  };
  const Value settings = as_map(least.settings), all = make_list(named);
  const Value extra =
      make(nullptr, {{"settings", settings}, {"extra", Value()}, {"point", least.number}, {"front", all}});
  return Result(
      make("evaluation", {{"energy_total", number("energy")}, {"latency_total2", number("latency")}}),
      extra);
}

}  // namespace

ZZ_PLUGIN_STAGE(ExplorationStage)

}  // namespace zz::plugins
