#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/cost/boundary_table.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/methods/objective.hpp"
#include "core/search/methods/processor_time.hpp"
#include "core/search/salsa/salsa.hpp"
#include "core/search/temporal/best_by_score.hpp"
#include "core/search/temporal/loop_factors.hpp"
#include "plugins/internal/accelerator_with_costs.hpp"
#include "plugins/internal/converted_context.hpp"
#include "plugins/internal/leaf_model.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "plugins/internal/tried_share.hpp"

namespace zz::plugins {
namespace {

/// Opens the chain below for the best temporal mapping that simulated annealing finds.
class SalsaStage : public Stage, public CompatSetting, public MappingTypeSetting, public TimeLimitSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.SalsaStage",
      .name = "SalsaStage",
      .summary = "finds a good order of a layer's temporal loops by simulated annealing (SALSA)",
      .doc =
          R"(Splits the loops that the unrolling leaves for time into all their prime factors and starts with a random order
of them. Each of `salsa_iteration_number` steps swaps two loops, allocates the new order to the memories like LomaStage
does, and takes it when it is better, or, with a probability that falls with the temperature, when it is worse. Orders
that do not fit into the memories are never taken. Use it where LomaStage has too many orders to try all. The chain
below is opened once, with the best `temporal_mapping` of all restarts.

What is minimised is, unless `salsa_opt_criterion` says otherwise, what the reducer above keeps (MinimalLatencyStage:
the latency), or the energy where nothing above reduces. A step is scored by the chain below, so by CostModelStage or
whichever cost model stands there; where that cannot be scored, by ZigZag's model.

The same `seed` gives the same result on any number of threads and on every machine. Raise `salsa_restarts` for
better results: the restarts are independent, share the pool of `zz-host --jobs`, and the best one counts. A
`temporal_ordering` of the mapping file is kept: a complete one is the result, with the `cuts` that stand beside it; an
incomplete one holds in every step.
What stages above limit is kept likewise.

A layer that needs more than `time_limit`, on each of the threads that share its restarts, gets the best mapping found
until then, and a warning says so. Only then can results differ between machines.

With `compat`, as ZigZag 3.8.5: the criterion is the energy unless it is set, the latency is that without loading and
off-loading, whole unrollings are not told from fractional ones, and orderings of the mapping file count for nothing.
ZigZag's random numbers cannot be repeated; its results agree statistically.

Results say with `orders_tried` and `orders_possible` how many orders were evaluated of how many the prime factors have.

Yields (evaluation, [temporal mapping, extra]) for each result from below.

```yaml
  - MinimalLatencyStage
  - SalsaStage: {salsa_iteration_number: 2000, salsa_restarts: 4, seed: 7}
  - CostModelStage
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  int64_t salsa_iteration_number = 1000;
  double salsa_start_temperature = 0.05;
  std::string salsa_opt_criterion;
  int64_t salsa_restarts = 1;
  int64_t seed = 1;
  int64_t threads = 0;
  int64_t loma_lpf_limit = 0;
  static constexpr auto params = zz::params(
      param<&SalsaStage::salsa_iteration_number>("salsa_iteration_number", "how many swaps are proposed")
          .unit("swaps")
          .allowed("[1, inf]"),
      param<&SalsaStage::salsa_start_temperature>(
          "salsa_start_temperature",
          "how readily worse orders are taken at first; falls by 0.5 % a swap. 0: never")
          .allowed("[0, inf]"),
      param<&SalsaStage::salsa_opt_criterion>(
          "salsa_opt_criterion", "what is minimised; empty: what the reducer above keeps, else the energy")
          .allowed(core::objective_choices_or_none),
      param<&SalsaStage::salsa_restarts>("salsa_restarts",
                                         "how often each layer is annealed anew, from another random order")
          .unit("times")
          .allowed("[1, 65536]")
          .alias("salsa_number_of_core"),
      param<&SalsaStage::seed>("seed", "start of the random numbers; other seeds, other orders")
          .allowed("[0, inf]"),
      param<&SalsaStage::threads>(
          "threads",
          "how many restarts may be made at once; 0: as many as the host has threads. "
          "Never changes results")
          .allowed("[0, 1024]"),
      time_limit_setting, mapping_type_setting,
      param<&SalsaStage::loma_lpf_limit>(
          "loma_lpf_limit", "known for the sake of old pipelines; without effect, as in ZigZag")
          .deprecated(),
      compat_setting);
  static constexpr Port consumes[] = {
      zz::object("accelerator", "accelerator", "its memories hold the loops"),
      zz::object("layer", "layer", "the layer to map"),
      zz::object("spatial_mapping", "spatial_mapping",
                 "the unrolling with fractional factors; what it leaves is ordered in time"),
      zz::object("spatial_mapping_int", "spatial_mapping",
                 "the unrolling with whole factors, for the latency with `compat`")};
  static constexpr Port provides[] = {zz::object("temporal_mapping", "temporal_mapping",
                                                 "the best order that was found, with its allocation")};

  static constexpr auto& metrics = orders_share_metrics;

  /// The mapping that it hands down is found later.
  Value check(Value ctx) const { return ctx; }
  Results run(Value ctx);

 private:
  core::Objective criterion() const;
  core::MappingCost cost(const Value& ctx, const core::Salsa& annealing) const;
  core::MappingCost zigzag_cost(const Value& ctx) const;
  /// The best of all restarts, with the evaluations of all.
  core::Salsa::Outcome best_outcome(const Value& ctx, const core::Salsa& annealing) const;
};

using core::Salsa;
using core::SalsaCost;

std::int64_t host_threads() {
  const auto* const parallel = static_cast<const zz_parallel*>(host().get_extension(ZZ_PARALLEL));
  return parallel == nullptr ? 1 : std::max<std::int64_t>(1, parallel->width());
}

core::Objective SalsaStage::criterion() const {
  if (const auto given = core::objective_of_word(salsa_opt_criterion)) return *given;
  if (rules().salsa_anneals_energy) return core::Objective::energy;
  zz_limits limits{};
  const zz_demand demand = demanded_within(limits);
  if (demand.keep == 0 || demand.n == 0) return core::Objective::energy;
  return core::objective_of_figure(Name(demand.metric[0]).text()).value_or(core::Objective::energy);
}

core::MappingCost SalsaStage::zigzag_cost(const Value& ctx) const {
  const auto fractional = object<core::SpatialMapping>(ctx, "spatial_mapping"_n, "spatial_mapping");
  // ZigZag anneals with the fractional unrolling in place of the whole one.
  const auto model = std::make_shared<core::CostModel>(
      accelerator_with_costs(ctx), object<core::Layer>(ctx, "layer"_n, "layer"), fractional, fractional,
      core::CostModelOptions{.rules = core::rules_of("zigzag-3.8.5")});
  return [model, wanted = criterion()](const core::CompactMapping& mapping) -> SalsaCost {
    const core::Score score = model->score(mapping);
    if (wanted == core::Objective::energy) return {score.energy_total, score.latency_total2};
    if (wanted == core::Objective::latency) return {score.latency_total0, score.latency_total2};
    return {score.energy_total * score.latency_total2, score.energy_total};
  };
}

core::MappingCost SalsaStage::cost(const Value& ctx, const Salsa& salsa) const {
  const core::Objective wanted = criterion();
  const auto cost_of = [wanted](double energy, double latency) -> SalsaCost {
    return {core::value_of(wanted, energy, latency), wanted == core::Objective::energy ? latency : energy};
  };
  // Beyond a limit of a stage above a mapping is as good as one that does not fit.
  zz_limits limits{};
  demanded_within(limits);
  std::vector<Name> metrics{"energy_total"_n, "latency_total2"_n};
  std::vector<core::OrderLimit> known;
  for (uint32_t i = 0; i < limits.n; ++i) {
    metrics.emplace_back(limits.metric[i]);
    if (const auto metric = core::objective_of_figure(metrics.back().text()))
      known.push_back({*metric, limits.at_most[i]});
  }
  core::CompactMappings description;
  salsa.describe(description);
  std::shared_ptr<const core::CostModel> model;
  if (known.size() == limits.n) model = leaf_model(place(), ctx);
  std::optional<RowScorer> below;
  if (!model) below = scorer(ctx, "temporal_mapping"_n, metrics);
  if (below) {
    const auto shared = std::make_shared<RowScorer>(std::move(*below));
    return [description, shared, cost_of, limits](const core::CompactMapping& mapping) {
      const Value row = wrap(description.mapping(mapping));
      std::vector<double> figures(2 + limits.n);
      shared->score(make(nullptr, list({row})), 0, 1, figures.data());
      for (uint32_t i = 0; i < limits.n; ++i)
        if (!(figures[2 + i] <= limits.at_most[i])) return SalsaCost{};
      return cost_of(figures[0], figures[1]);
    };
  }
  if (!model) {
    model = std::make_shared<const core::CostModel>(
        accelerator_with_costs(ctx), object<core::Layer>(ctx, "layer"_n, "layer"),
        object<core::SpatialMapping>(ctx, "spatial_mapping"_n, "spatial_mapping"),
        object<core::SpatialMapping>(ctx, "spatial_mapping_int"_n, "spatial_mapping"),
        core::CostModelOptions{});
  }
  std::shared_ptr<core::BoundaryTable> table;
  if (description.lattice) table = std::make_shared<core::BoundaryTable>(*model, description.lattice);
  return [model, table, cost_of, known](const core::CompactMapping& mapping) {
    const core::Score score = table ? table->score(mapping) : model->score(mapping);
    for (const core::OrderLimit& limit : known)
      if (!(core::value_of(limit.metric, score) <= limit.at_most)) return SalsaCost{};
    return cost_of(score.energy_total, score.latency_total2);
  };
}

Salsa::Outcome SalsaStage::best_outcome(const Value& ctx, const Salsa& annealing) const {
  const std::int64_t lanes = std::min(threads == 0 ? host_threads() : threads, salsa_restarts);
  // A scorer serves one thread at a time, so each lane has its own.
  std::vector<core::MappingCost> costs;
  for (std::int64_t lane = 0; lane < lanes; ++lane)
    costs.push_back(rules().salsa_anneals_energy ? zigzag_cost(ctx) : cost(ctx, annealing));
  std::vector<Salsa::Outcome> outcomes(static_cast<std::size_t>(salsa_restarts));
  Progress display =
      progress("annealing steps", static_cast<uint64_t>(salsa_restarts * salsa_iteration_number));
  std::atomic<bool> ended{false};
  for_each(static_cast<uint32_t>(lanes), [&](uint32_t lane) {
    const core::ProcessorTime time;
    bool over = false;
    std::int64_t left = 0;  // of the walk
    const auto stop = [&] {
      const std::int64_t begun = std::min(left, Salsa::steps_between_stops);
      display.advance(static_cast<uint64_t>(begun));
      left -= begun;
      over = is_over(time.seconds());
      return over || cancelled();
    };
    for (std::size_t number = lane; number < outcomes.size() && !over;
         number += static_cast<std::size_t>(lanes)) {
      left = salsa_iteration_number;
      outcomes[number] = annealing.anneal(static_cast<std::uint64_t>(seed), number, costs[lane], stop);
    }
    if (over) ended = true;
  });
  if (cancelled()) throw Error(ZZ_E_CANCELLED, "stopped while loop orders were annealed");
  uint64_t evaluated = 0;
  for (const Salsa::Outcome& outcome : outcomes) evaluated += static_cast<uint64_t>(outcome.evaluations);
  count("mappings evaluated", evaluated);
  const Salsa::Outcome* best = Salsa::best(outcomes);
  if (best == nullptr) {
    if (evaluated == 0) refuse_small_topmost_memories(ctx, rules());
    zz_limits limits{};
    demanded_within(limits);
    const std::string why = limits.n > 0 && evaluated > 0
                                ? "layer '" + std::string(ctx["layer.name"_n].str()) + "': none of " +
                                      std::to_string(evaluated) +
                                      " annealed mappings keeps the limits of the stages above"
                                : annealing.reason(outcomes.front());
    throw core::NotFound(
        why + (ended ? ended_early : "") +
        "; more salsa_iteration_number tries more orders, and OptimalMappingStage searches all orders "
        "and unrollings");
  }
  if (ended) tell_of_end(*this);
  core::Salsa::Outcome outcome = *best;
  outcome.evaluations = static_cast<std::int64_t>(evaluated);
  return outcome;
}

Results SalsaStage::run(Value ctx) {
  const auto layer = object<core::Layer>(ctx, "layer"_n, "layer");
  const auto unrolled = object<core::SpatialMapping>(ctx, "spatial_mapping"_n, "spatial_mapping");
  const Salsa annealing(layer, object<core::Accelerator>(ctx, "accelerator"_n, "accelerator"), unrolled,
                        {.iterations = salsa_iteration_number,
                         .start_temperature = salsa_start_temperature,
                         .type = mapping_type(),
                         .rules = rules()});
  if (rules().salsa_anneals_energy && !layer->mapping.cuts.empty())
    log(Level::warning, "layer '" + layer->name +
                            "': with `compat` the temporal_ordering and the cuts of mapping entry '" +
                            layer->mapping.name + "' count for nothing");
  core::CompactMappings found;
  annealing.describe(found);
  const Salsa::Outcome best = best_outcome(ctx, annealing);
  found.rows.push_back(best.mapping);
  const Value mapping = wrap(found.mapping(std::size_t{0}));
  const auto tried = static_cast<double>(best.evaluations);
  const double possible = core::count_of_orders(*layer, *unrolled, rules());
  for (Result& result : substage(with(ctx, {{"temporal_mapping"_n, mapping}}))) {
    const Value extra = make(nullptr, list({mapping, result.extra}));
    // The same order may be evaluated several times.
    co_yield Result(orders_share.told(result.evaluation, tried, possible), extra);
  }
}

}  // namespace

ZZ_PLUGIN_STAGE(SalsaStage)

}  // namespace zz::plugins
