#include "plugins/optimal/optimal_temporal_mapping_stage.hpp"

#include <utility>

#include "plugins/internal/objects.hpp"

namespace zz::plugins {

std::shared_ptr<const OptimalTemporalMappingStage::Search> OptimalTemporalMappingStage::search(
    const Value& ctx) {
  if (auto known = known_.find(*this, ctx)) return std::static_pointer_cast<const Search>(std::move(known));
  core::MappingProblem problem;
  problem.accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  problem.layer = object<core::Layer>(ctx, "layer"_n, "layer");
  problem.fractional = object<core::SpatialMapping>(ctx, "spatial_mapping"_n, "spatial_mapping");
  problem.integral = object<core::SpatialMapping>(ctx, "spatial_mapping_int"_n, "spatial_mapping");
  problem.options = {.same_data_free = access_same_data_considered_as_no_access, .rules = rules()};
  core::OptimumOptions options;
  options.objective = wanted_objective(*this, objective);
  options.space = space == "loma" ? core::MappingSpace::loma : core::MappingSpace::free_cuts;
  options.limits = limits(*this);
  options.break_ties = break_ties;
  options.within = limits_above(*this);
  if (options.within.any() && options.space == core::MappingSpace::loma) {
    throw Error(
        ZZ_E_UNSUPPORTED,
        "a stage above limits results, and the best within limits is proven with `space: free` only");
  }
  const auto found = std::make_shared<Search>();
  found->certificate = core::find_optimal_mapping(problem, options);
  if (cancelled()) throw Error(ZZ_E_CANCELLED, "stopped while the best temporal mapping was searched");
  found->context = ctx;
  found->chosen = {core::readable(found->certificate.mapping, *problem.layer, *problem.fractional)};
  found->evaluated = found->certificate.states;
  known_.add(found);
  return found;
}

Results OptimalTemporalMappingStage::run(Value ctx) {
  require_uneven(temporal_mapping_type);
  const std::shared_ptr<const Search> best = search(ctx);
  report_certificate(*this, ctx, best->certificate, gap);
  const Value mapping = best->mappings().front();
  for (Result& result : substage(with(ctx, {{"temporal_mapping"_n, mapping}}))) {
    const Value extra = make(nullptr, list({mapping, result.extra}));
    co_yield Result(certified(result.evaluation, wanted_objective(*this, objective), best->certificate),
                    extra);
  }
}

}  // namespace zz::plugins
