#include "plugins/mapping/optimal_temporal_mapping_stage.hpp"

#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "core/cost/evaluation.hpp"
#include "core/mapping/loop_order_batch.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {
namespace {

double figure_of(const core::Evaluation& evaluation, core::Objective objective) {
  switch (objective) {
    case core::Objective::energy:
      return evaluation.energy_total;
    case core::Objective::latency:
      return evaluation.latency_total2;
    case core::Objective::edp:
      return evaluation.edp();
  }
  return 0;
}

}  // namespace

core::Objective OptimalTemporalMappingStage::wanted() const {
  using core::Objective;
  if (objective == "energy") return Objective::energy;
  if (objective == "latency") return Objective::latency;
  if (objective == "EDP") return Objective::edp;
  const zz_demand demand = demanded();
  const char* const remedy = "give `objective`: energy, latency or EDP";
  if (demand.keep == 0 || demand.n == 0) {
    throw Error(ZZ_E_INVALID,
                fmt::format("no stage above says by one of the figures that can be proven best "
                            "which result it keeps; {}",
                            remedy));
  }
  const Name metric(demand.metric[0]);
  if (metric == "energy_total"_n) return Objective::energy;
  if (metric == "latency_total2"_n) return Objective::latency;
  if (metric == "edp"_n) return Objective::edp;
  throw Error(ZZ_E_INVALID,
              fmt::format("the stage above keeps the result with the least {}, for which no mapping can be "
                          "proven best; {}",
                          metric.text(), remedy));
}

std::shared_ptr<const OptimalTemporalMappingStage::Search> OptimalTemporalMappingStage::search(
    const Value& ctx) {
  if (auto known = known_.find(*this, ctx)) return std::static_pointer_cast<const Search>(std::move(known));
  core::MappingProblem problem;
  problem.accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  problem.layer = object<core::Layer>(ctx, "layer"_n, "layer");
  problem.fractional = object<core::SpatialMapping>(ctx, "spatial_mapping"_n, "spatial_mapping");
  problem.integral = object<core::SpatialMapping>(ctx, "spatial_mapping_int"_n, "spatial_mapping");
  problem.options = {.same_data_free = access_same_data_considered_as_no_access,
                     .loading_uses_spare_cycles = !is_stream(compat),
                     .zigzag_compat = is_zigzag(compat)};
  core::OptimumOptions options;
  options.objective = wanted();
  options.space = space == "loma" ? core::MappingSpace::loma : core::MappingSpace::free_cuts;
  options.limits.seconds = time_limit;
  options.limits.gap = gap;
  options.limits.bytes = static_cast<std::size_t>(memory_limit) << 20;
  options.break_ties = break_ties;
  options.limits.cancelled = [this] { return cancelled(); };
  const auto found = std::make_shared<Search>();
  found->certificate = core::find_optimal_mapping(problem, options);
  if (cancelled()) throw Error(ZZ_E_CANCELLED, "stopped while the best temporal mapping was searched");
  found->context = ctx;
  found->chosen = {core::readable(found->certificate.mapping, *problem.layer, *problem.fractional)};
  found->evaluated = found->certificate.states;
  known_.add(found);
  return found;
}

Value OptimalTemporalMappingStage::certified(const Value& evaluation,
                                             const core::Certificate& certificate) const {
  const auto given = object_or_null<core::Evaluation>(evaluation);
  if (!given)
    throw Error(ZZ_E_UNSUPPORTED, "what is proven holds for CostModelStage, which must stand below");
  const double figure = figure_of(*given, wanted());
  if (!(std::abs(figure - certificate.value) <= core::rounding_tolerance * certificate.value)) {
    throw Error(
        ZZ_E_INVALID,
        fmt::format("the chain below computes {} where this stage's cost model has {}, so that nothing is "
                    "proven about it. Give `compat` and `access_same_data_considered_as_no_access` to "
                    "both stages, best among `parameters`, and let nothing between them change figures",
                    figure, certificate.value));
  }
  const std::pair<const char*, double> metrics[] = {
      {"optimum_lower_bound", certificate.lower_bound},
      {"optimum_gap", certificate.gap()},
      {"optimum_states", static_cast<double>(certificate.states)}};
  core::Evaluation extended = *given;
  for (const auto& [name, value] : metrics) extended.metrics.emplace_back(name, value);
  if (certificate.second_bound > 0)
    extended.metrics.emplace_back("optimum_second_bound", certificate.second_bound);
  return wrap(std::move(extended));
}

Results OptimalTemporalMappingStage::run(Value ctx) {
  if (temporal_mapping_type == "even") {
    throw Error(
        ZZ_E_UNSUPPORTED,
        "only uneven temporal mappings can be searched for an optimum; use LomaStage for even ones");
  }
  const std::shared_ptr<const Search> best = search(ctx);
  const core::Certificate& certificate = best->certificate;
  count("states visited", certificate.states);
  count(certificate.gap() == 0 ? "mappings proven best" : "mappings with a gap");
  if (certificate.gap() > gap) {
    log(Level::debug,
        fmt::format("layer '{}': the best mapping found may be {:.3g} % above the best there is",
                    ctx["layer.name"_n].str(), 100 * certificate.gap()));
  }
  const Value mapping = best->mappings().front();
  for (Result& result : substage(with(ctx, {{"temporal_mapping"_n, mapping}}))) {
    const Value extra = make(nullptr, list({mapping, result.extra}));
    co_yield Result(certified(result.evaluation, certificate), extra);
  }
}

}  // namespace zz::plugins
