#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/search/optimal/first_pair.hpp"
#include "core/search/optimal/joint_question.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/optimal/searched_space.hpp"
#include "core/search/spatial/spatial_limits.hpp"
#include "plugins/internal/accelerator_with_costs.hpp"
#include "plugins/internal/converted_context.hpp"
#include "plugins/internal/first_answers.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "plugins/internal/stored_answers.hpp"
#include "plugins/internal/this_run.hpp"
#include "plugins/optimal/proven_optimum.hpp"

namespace zz::plugins {
namespace {

/// Opens the chain below for the best pair of spatial and temporal mapping there is, and says how well that
/// is proven.
class OptimalMappingStage : public Stage,
                            public ProofSettings,
                            public CompatSetting,
                            public SameDataSetting,
                            public MixedUnrollingSettings,
                            public StoreSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.OptimalMappingStage",
      .name = "OptimalMappingStage",
      .summary = "finds the best pair of spatial and temporal mapping of a layer, with a proof",
      .doc =
          R"(Searches all legal spatial mappings of `layer` on `accelerator`, each with all its temporal mappings, and opens the
chain below once, with the best pair. What is best is the `objective`: the energy, the latency, or their product (EDP).
It replaces SpatialMappingGeneratorStage, OptimalTemporalMappingStage and the reducer between them.

Legal is what SpatialMappingGeneratorStage could give: what the mapping file prescribes is kept, hints are, and array
dimensions, loops and the innermost memories limit the rest. Along an array dimension that is left open any loop may be
unrolled, or none, or several loops side by side (not with `enable_mix_spatial_mapping_generation: false`).

| `unrolling` | how often a loop may be unrolled, up to the limit |
|---|---|
| `even` | so often that every round is full, or as often as the limit allows: a loop of 56 along 12 units 2, 4, 7, 8, or 12 times |
| `any` | any number of times: 56 in 19 rounds on 3 units, 2.95 of them on average. Data are counted with that average. With `compat` the latency counts 2, so that what is cut off costs no time: results can look faster than the data can move |

Without `unrolling` it is `any`, and `even` with `compat`. The search among even unrollings comes first, as with `even`.
The others have what is left of `time_limit`, and its answer to beat. Where `unrolling` is not given they get, in the
second search below, about as much work as the even ones took; with `unrolling: any` all of what is left. Where that is
not enough, what is proven is said of even ones.

Temporal mappings are those of OptimalTemporalMappingStage with `space: free`. With `tiles: chains` tiles compete as
well that do not divide their loop: 197 rounds in tiles of 50, the last of them of 47. In a chain each tile divides the
next one, and only the outermost is cut short. They are searched after the others, under even unrollings, and for about
as long; where that is not enough, what is proven is said of tiles that divide. Nothing of the kind with `compat`, with
a `temporal_ordering`, on arrays that compute in memory or have `fold` or `instruction`, nor with `request` at a port.
How: docs/optimal-mapping.md.

The fastest pair may cost twice the energy of one that is hardly slower. So a second search takes, of all pairs whose
latency is at most the fraction `within` above the least that was found, the one of least energy; and the other way
round when the energy is the objective. The EDP weighs both already: there `within` has no effect.

The result comes with a certificate, as metrics of the evaluation:

| metric | means |
|---|---|
| `optimum_least` | the least value of the objective that was found; the result is at most `within` above it |
| `optimum_lower_bound` | no pair does better; in the unit of the objective |
| `optimum_gap` | by which fraction of the bound the least found may be too high; 0: proven |
| `optimum_second_bound` | of the pairs within, none has less of the other figure |
| `optimum_second_gap` | by which fraction of that bound the other figure of the result may be too high; 0: proven |
| `optimum_states` | how many partial temporal mappings were looked at |
| `optimum_spatial_mappings` | how many spatial mappings were listed; of the others a bound says that they are no better |
| `optimum_spatial_searched` | for how many of them temporal mappings were searched |
| `optimum_spatial_passed_over` | how many were not, because a bound says that they are no better, or because they differ from another in words only |
| `optimum_space` | what was left out of the proof, as a number: docs/optimal-mapping.md has its parts, and a line below the table the words |
| `optimum_gap_allowed` | the setting `gap`, where it is above 0 |

Counts are those of the search for the objective. Mostly few of thousands of spatial mappings need a search, and
a layer takes less than a second. A layer that needs more than `time_limit` or `memory_limit` gets the best pair found
until then, no worse than the default three candidates of SpatialMappingGeneratorStage as far as these could be
searched, and the bounds proven until then. All spatial mappings get a short search before any gets a long one, and the
second search has turns within the first. A limit only ends the searches, so that more time never leads to a worse least
value. Only where time ends a search can results differ between machines. `gap` ends either search as soon as its result
is good enough. With `compat: zigzag-3.8.5` loading may take less than no time, so that latency and EDP may have no
bound above 0; a result without one has `optimum_unbounded` 1. How the proof works: docs/optimal-mapping.md.

A search over cuts (SearchHintLoopsStage) asks for the first answers of thousands of layers before it asks for proofs.
It then gets the best of LOMA's orders of at most six factors under the unrollings of SpatialMappingGeneratorStage, with
two metrics: `first_answer_least_energy` and `first_answer_least_runtime`, which no mapping of the proof is below (the
runtime without off-loading). It gets the proof where these are not known: with `tiles: chains`, `compat`, limits of
stages above, and arrays that compute in memory.

With a `store` each layer is searched once for all runs that name it, whichever network has it: docs/stores.md.

The figures are those of CostModelStage below: `compat` and `access_same_data_considered_as_no_access` must be the same
for both, best among `parameters`. Memories are shared out as by LomaStage (uneven). A `temporal_ordering` of the
mapping file is kept, and so are `cuts` that stand beside it, which leave one mapping of each unrolling. Where stages
above limit the energy or the latency, the proof is about the mappings within.

Yields (evaluation, [spatial mapping, [temporal mapping, extra]]) for each result from below.

```yaml
  - MinimalLatencyStage
  - OptimalMappingStage: {time_limit: 5, gap: 0.01}
  - CostModelStage
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  OptimalMappingStage() { enable_mix_spatial_mapping_generation = true; }

  double within = 0.001;
  std::optional<std::string> unrolling;
  int64_t nb_mappings_generated = 0;
  static constexpr auto params = zz::params(
      objective_setting, time_limit_setting("processor time for one layer"), gap_setting,
      memory_limit_setting,
      param<&OptimalMappingStage::within>("within",
                                          "by which fraction the result may be above the least found, for "
                                          "the least of the other one of energy and "
                                          "latency; 0: equals only")
          .allowed("[0, inf]"),
      param<&OptimalMappingStage::unrolling>(
          "unrolling", "how often a loop may be unrolled; without it `any`, and with `compat` `even`")
          .allowed("even|any"),
      tiles_setting, mixed_setting, diagonal_setting,
      param<&OptimalMappingStage::nb_mappings_generated>(
          "nb_mappings_generated",
          "known for the sake of pipelines made for SpatialMappingGeneratorStage; without effect, as all "
          "are "
          "searched")
          .deprecated(),
      mapping_type_setting, factor_limit_setting, same_data_setting, compat_setting, store_setting);
  using Proven = core::CertificateFigures;
  static constexpr Metric metrics[] = {
      certificate_metrics[0],
      certificate_metrics[1],
      certificate_metrics[2],
      certificate_metrics[3],
      certificate_metrics[4],
      certificate_metrics[5],
      certificate_metrics[6],
      proven(&Proven::least),
      proven(&Proven::within),
      proven(&Proven::second_gap),
      proven(&Proven::spatial_mappings),
      proven(&Proven::spatial_searched),
      proven(&Proven::spatial_passed_over),
      metric(first_answers::least_energy, "of a first answer: no mapping has less").unit("pJ").not_summed(),
      metric(first_answers::least_runtime,
             "of a first answer: none has fewer until the units have finished")
          .unit("cycles")
          .not_summed()};
  static constexpr Port consumes[] = {
      zz::object("accelerator", "accelerator", "its array is unrolled over, its memories hold the loops"),
      zz::object("layer", "layer", "the layer to map, with its entry of the mapping file"),
      first_answers::port};
  static constexpr Port provides[] = {
      zz::object("layer", "layer", "the layer with the best unrolling in `mapping.spatial_mapping`"),
      zz::object("spatial_mapping", "spatial_mapping",
                 "the unrolling by memory level, with fractional factors"),
      zz::object("spatial_mapping_int", "spatial_mapping",
                 "the same with whole factors, rounded up; with `compat` cut"),
      zz::object("temporal_mapping", "temporal_mapping",
                 "the best mapping of the temporal loops, as far as proven")};

  Value check(Value ctx) const;
  Value makes() const;
  Results run(Value ctx);

 private:
  core::JointOptions asked() const;
  /// Nothing where only the whole answer will do.
  std::optional<core::FirstPair> first(const Value& ctx, const core::JointOptions& options) const;
  Results run_first(Value ctx, core::FirstPair pair);
  core::UnrollingFactors factors() const {
    if (!unrolling) return core::usual_factors(rules());
    return *unrolling == "any" ? core::UnrollingFactors::any : core::UnrollingFactors::even;
  }
  std::shared_ptr<const core::JointOptimum> best(const Value& ctx, const core::JointOptions& options) const;
};

core::JointOptions OptimalMappingStage::asked() const {
  core::JointOptions options;
  options.objective = wanted_objective(*this, objective);
  options.tiles = with_chains() ? core::Tiles::chains : core::Tiles::dividing;
  options.mixed = enable_mix_spatial_mapping_generation;
  options.factors = factors();
  options.brief = !unrolling;
  options.model = {.same_data_free = access_same_data_considered_as_no_access, .rules = rules()};
  options.within = within;
  options.limits = limits(*this);
  options.refinements = refinements_of_run();
  options.allowed = limits_above(*this);
  return options;
}

std::shared_ptr<const core::JointOptimum> OptimalMappingStage::best(
    const Value& ctx, const core::JointOptions& options) const {
  core::AnswersByStore::Place& known = answers();
  const core::Optima::Found found =
      known.optima.of(*object<core::Layer>(ctx, "layer"_n, "layer"), accelerator_with_costs(ctx), options);
  if (cancelled()) throw Error(ZZ_E_CANCELLED, "stopped while the best mapping was searched");
  known.answers.write_if_due();
  if (found.source == core::Optima::Source::earlier_optimum) count("optima proven anew from earlier ones");
  // With a store the host says how many it had.
  if (found.source == core::Optima::Source::earlier_run && known.answers.store() == nullptr)
    count("optima kept from earlier runs");
  return found.optimum;
}

std::optional<core::FirstPair> OptimalMappingStage::first(const Value& ctx,
                                                          const core::JointOptions& options) const {
  if (!first_answers::are_asked(ctx)) return std::nullopt;
  return core::find_first_pair(*object<core::Layer>(ctx, "layer"_n, "layer"), accelerator_with_costs(ctx),
                               options);
}

Value OptimalMappingStage::check(Value ctx) const {
  require_uneven(temporal_mapping_type);
  wanted_objective(*this, objective);
  check_store();
  return ctx;
}

Value OptimalMappingStage::makes() const {
  if (temporal_mapping_type != "uneven") return {};
  return make(nullptr,
              {{"makes", "optimum"},
               {"tiles", tiles},
               {"unrolling", factors() == core::UnrollingFactors::any ? "any" : "even"},
               {"enable_mix_spatial_mapping_generation", enable_mix_spatial_mapping_generation},
               {"compat", compat},
               {"access_same_data_considered_as_no_access", access_same_data_considered_as_no_access},
               {"time_limit", time_limit},
               {"memory_limit", memory_limit},
               {"gap", gap}});
}

Results OptimalMappingStage::run(Value ctx) {
  require_uneven(temporal_mapping_type);
  core::JointOptions options = asked();
  if (std::optional<core::FirstPair> pair = first(ctx, options)) {
    Results quick = run_first(ctx, *std::move(pair));
    for (Result result; quick.next(result);) co_yield std::move(result);
    co_return;
  }
  const std::shared_ptr<const core::JointOptimum> found = best(ctx, options);
  options.limits.cancelled = {};  // is of this stage
  const auto question = std::make_shared<const core::JointQuestion>(
      core::JointQuestion{*object<core::Layer>(ctx, "layer"_n, "layer"), std::move(options)});
  const core::JointOptimum optimum = core::as_proven(*found, gap);
  for (const std::string& change : optimum.warnings) log(Level::warning, change);
  if (with_chains())
    warn_without_chains(*this, "tiles: chains", question->layer, *accelerator_with_costs(ctx), rules());
  if (!optimum.warnings.empty()) count("unrollings fitted to their layer");
  count("spatial mappings searched", optimum.searched);
  count("spatial mappings passed over", optimum.passed_over);
  const bool unbounded = has_no_bound(optimum.certificate, wanted_objective(*this, objective), rules());
  report_certificate(*this, optimum.certificate, gap, unbounded);
  const core::JointOptimum& pair = optimum.chosen();
  core::CertificateFigures certificate =
      figures_of(optimum.certificate, gap,
                 core::space_of(optimum, question->options, question->layer, *accelerator_with_costs(ctx)));
  certificate.least = optimum.certificate.value;
  certificate.spatial_mappings = static_cast<double>(optimum.spatial_mappings);
  certificate.spatial_searched = static_cast<double>(optimum.searched);
  certificate.spatial_passed_over = static_cast<double>(optimum.passed_over);
  if (unbounded) certificate.unbounded = 1;
  if (optimum.second) {
    certificate.second_bound = pair.certificate.lower_bound;
    certificate.second_gap = pair.certificate.gap();
    certificate.within = within;
  }

  core::Layer mapped = *object<core::Layer>(ctx, "layer"_n, "layer");
  mapped.mapping.spatial_mapping = pair.unrolling;
  const auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  for (const std::string& hint : core::hints_of_no_dimension(mapped, *accelerator))
    log(Level::warning, hint);
  const Value unrolled = converted_context(*this, ctx, std::move(mapped), *accelerator, rules());
  // A new object each time: what results have in common shows in archives, and must not depend on which
  // thread searched first.
  const Value temporal =
      wrap(core::readable(pair.certificate.mapping, *pair.problem.layer, *pair.problem.fractional));
  const Value spatial = unrolling_value(pair.unrolling);
  for (Result& result : substage(with(unrolled, {{"temporal_mapping"_n, temporal}}))) {
    const Value inner = make(nullptr, list({temporal, result.extra}));
    const Value extra = make(nullptr, list({spatial, inner}));
    const core::Objective wanted = wanted_objective(*this, objective);
    co_yield Result(certified(result.evaluation, wanted, core::value_of(wanted, pair.energy, pair.latency),
                              certificate, question),
                    extra);
  }
}

Results OptimalMappingStage::run_first(Value ctx, core::FirstPair pair) {
  core::Layer mapped = *object<core::Layer>(ctx, "layer"_n, "layer");
  mapped.mapping.spatial_mapping = pair.unrolling;
  const auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  const Value unrolled = converted_context(*this, ctx, std::move(mapped), *accelerator, rules());
  const Value temporal = wrap(std::move(pair.temporal));
  const core::Objective wanted = wanted_objective(*this, objective);
  for (Result& result : substage(with(unrolled, {{"temporal_mapping"_n, temporal}}))) {
    const Value costed = certified(result.evaluation, wanted,
                                   core::value_of(wanted, pair.energy, pair.latency), {}, nullptr);
    core::Evaluation extended = *object_or_null<core::Evaluation>(costed);
    extended.metrics.emplace_back(first_answers::least_energy, pair.least_energy);
    extended.metrics.emplace_back(first_answers::least_runtime, pair.least_until_finished);
    co_yield Result(wrap(std::move(extended)), std::move(result.extra));
  }
}

}  // namespace

ZZ_PLUGIN_STAGE(OptimalMappingStage)

}  // namespace zz::plugins
