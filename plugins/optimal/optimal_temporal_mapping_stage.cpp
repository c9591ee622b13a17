#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/optimal/searched_space.hpp"
#include "plugins/internal/accelerator_with_costs.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/search_cache.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "plugins/internal/this_run.hpp"
#include "plugins/optimal/proven_optimum.hpp"

namespace zz::plugins {
namespace {

/// Opens the chain below for the best temporal mapping there is, and says how well that is proven.
class OptimalTemporalMappingStage : public Stage,
                                    public ProofSettings,
                                    public CompatSetting,
                                    public SameDataSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.OptimalTemporalMappingStage",
      .name = "OptimalTemporalMappingStage",
      .summary = "finds the best temporal mapping of a layer, with a proof",
      .doc =
          R"(Searches all orders of all prime factors of a layer's temporal loops, without a limit on their number, and opens the
chain below once, with the best `temporal_mapping`. What is best is the `objective`: the energy, the latency, or their
product (EDP). Without one it is what the reducer above keeps, which must be one of these. Of mappings with the same
latency it is one with little energy, and the other way round (`break_ties`).

| `space` | the mappings that compete |
|---|---|
| `free` | every order, and every way to cut it for each operand at each of its memories that fits. Every uneven mapping that ZigZag can express is one of them |
| `loma` | every order under LOMA's allocation, which fills each memory greedily; and the same for all coarser factors, which can be better |

With `tiles: chains` and `space: free` tiles compete as well that do not divide their loop: 197 rounds in tiles of 50,
the last of them of 47. Ties are then broken among tiles that divide alone. OptimalMappingStage says where there are
none.

The result comes with a certificate, as metrics of the evaluation:

| metric | means |
|---|---|
| `optimum_lower_bound` | no mapping of the space does better; in the unit of the objective |
| `optimum_gap` | by which fraction of the bound the result may be too high; 0: proven best |
| `optimum_states` | how many partial mappings were looked at |
| `optimum_second_bound` | of the mappings with this latency none has less energy; of those with this energy, none a smaller latency |
| `optimum_space` | what was left out of the proof, as a number: docs/optimal-mapping.md has its parts, and a line below the table the words |

Energy is proven in milliseconds, latency and EDP mostly in tens of them; a layer that needs more than `time_limit` or
`memory_limit` gets the best mapping found until then, and the bound proven until then. Only then can results differ
between machines. `gap` ends the search as soon as the result is good enough.

The stage stands where LomaStage stands, above CostModelStage, whose figures it optimises: `compat` and
`access_same_data_considered_as_no_access` must be the same for both, best among `parameters`. Memories are shared out
as by LomaStage (uneven). A `temporal_ordering` of the mapping file is kept, and so are `cuts` that stand beside it,
which leave one mapping. How the proof works: docs/optimal-mapping.md. Where stages above limit the energy or the
latency, the proof is about the mappings within (`space: free` only).

Yields (evaluation, [temporal mapping, extra]) for each result from below.

```yaml
  - MinimalLatencyStage
  - OptimalTemporalMappingStage: {time_limit: 5, gap: 0.01}
  - CostModelStage
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string space = "free";
  bool break_ties = true;
  static constexpr auto params = zz::params(
      objective_setting,
      param<&OptimalTemporalMappingStage::space>("space", "which mappings compete").allowed("free|loma"),
      time_limit_setting("processor time for one layer with one spatial mapping"), gap_setting,
      memory_limit_setting, tiles_setting,
      param<&OptimalTemporalMappingStage::break_ties>(
          "break_ties",
          "look for the least energy among mappings of least latency, and the other way round"),
      mapping_type_setting, factor_limit_setting, same_data_setting, compat_setting);
  static constexpr auto& metrics = certificate_metrics;
  static constexpr Port consumes[] = {
      zz::object("accelerator", "accelerator", "its memories hold the loops"),
      zz::object("layer", "layer", "the layer to map"),
      zz::object("spatial_mapping", "spatial_mapping",
                 "the unrolling with fractional factors; what it leaves is ordered in time"),
      zz::object("spatial_mapping_int", "spatial_mapping",
                 "the unrolling with whole factors, for the latency with `compat`")};
  static constexpr Port provides[] = {zz::object(
      "temporal_mapping", "temporal_mapping", "the best mapping of the temporal loops, as far as proven")};

  Value check(Value ctx) const;
  Results run(Value ctx);

 private:
  /// A search whose certificate is kept for layers that differ in their names only.
  struct Search : SearchCache::Search {
    core::Certificate certificate;
    core::ProofSpace space;
  };
  std::shared_ptr<const Search> search(const Value& ctx);

  SearchCache known_;
};

std::shared_ptr<const OptimalTemporalMappingStage::Search> OptimalTemporalMappingStage::search(
    const Value& ctx) {
  if (auto known = known_.find(*this, ctx)) return std::static_pointer_cast<const Search>(std::move(known));
  core::MappingProblem problem;
  problem.accelerator = accelerator_with_costs(ctx);
  problem.layer = object<core::Layer>(ctx, "layer"_n, "layer");
  problem.fractional = object<core::SpatialMapping>(ctx, "spatial_mapping"_n, "spatial_mapping");
  problem.integral = object<core::SpatialMapping>(ctx, "spatial_mapping_int"_n, "spatial_mapping");
  problem.options = {.same_data_free = access_same_data_considered_as_no_access, .rules = rules()};
  problem.refinements = refinements_of_run();
  core::OptimumOptions options;
  options.objective = wanted_objective(*this, objective);
  options.space = space == "loma" ? core::MappingSpace::loma : core::MappingSpace::free_cuts;
  options.limits = limits(*this);
  options.break_ties = break_ties;
  options.chains = with_chains() && options.space == core::MappingSpace::free_cuts &&
                   core::may_have_chains(*problem.layer, *problem.accelerator, rules());
  if (with_chains())
    warn_without_chains(*this, "tiles: chains", *problem.layer, *problem.accelerator, rules());
  options.allowed = limits_above(*this);
  if (options.allowed.any() && options.space == core::MappingSpace::loma) {
    throw Error(
        ZZ_E_UNSUPPORTED,
        "a stage above limits results, and the best within limits is proven with `space: free` only");
  }
  const auto found = std::make_shared<Search>();
  found->certificate = core::find_optimal_mapping(problem, options);
  found->space = core::space_of(options, *problem.layer);
  if (cancelled()) throw Error(ZZ_E_CANCELLED, "stopped while the best temporal mapping was searched");
  found->context = ctx;
  found->chosen = {core::readable(found->certificate.mapping, *problem.layer, *problem.fractional)};
  found->evaluated = found->certificate.states;
  known_.add(found);
  return found;
}

Value OptimalTemporalMappingStage::check(Value ctx) const {
  require_uneven(temporal_mapping_type);
  wanted_objective(*this, objective);
  return ctx;
}

Results OptimalTemporalMappingStage::run(Value ctx) {
  require_uneven(temporal_mapping_type);
  const std::shared_ptr<const Search> best = search(ctx);
  const core::Objective wanted = wanted_objective(*this, objective);
  const bool unbounded = has_no_bound(best->certificate, wanted, rules());
  report_certificate(*this, best->certificate, gap, unbounded);
  core::CertificateFigures certificate = figures_of(best->certificate, gap, best->space);
  if (unbounded) certificate.unbounded = 1;
  const Value mapping = best->mappings().front();
  for (Result& result : substage(with(ctx, {{"temporal_mapping"_n, mapping}}))) {
    const Value extra = make(nullptr, list({mapping, result.extra}));
    co_yield Result(certified(result.evaluation, wanted, best->certificate.value, certificate), extra);
  }
}

}  // namespace

ZZ_PLUGIN_STAGE(OptimalTemporalMappingStage)

}  // namespace zz::plugins
