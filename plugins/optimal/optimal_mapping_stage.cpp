#include "plugins/optimal/optimal_mapping_stage.hpp"

#include <utility>

#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/optimal/optimum_store.hpp"
#include "core/search/spatial/spatial_limits.hpp"
#include "plugins/internal/converted_context.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {

std::shared_ptr<const OptimalMappingStage::Search> OptimalMappingStage::search(const Value& ctx) {
  if (auto known = known_.find(*this, ctx)) return std::static_pointer_cast<const Search>(std::move(known));
  const auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  const auto layer = object<core::Layer>(ctx, "layer"_n, "layer");
  core::JointOptions options;
  options.objective = wanted_objective(*this, objective);
  options.mixed = enable_mix_spatial_mapping_generation;
  options.factors = unrolling == "any" ? core::UnrollingFactors::any : core::UnrollingFactors::even;
  options.model = {.same_data_free = access_same_data_considered_as_no_access, .rules = rules()};
  options.limits = limits(*this);
  options.within = limits_above(*this);
  const auto found = std::make_shared<Search>();
  core::OptimumStore* const session = core::optimum_store;
  const core::OptimumStore::Found earlier =
      session != nullptr ? session->find(*layer, *accelerator, options) : core::OptimumStore::Found{};
  if (earlier.same) {
    found->optimum = *earlier.optimum;
    count("optima kept from earlier runs");
  } else {
    found->optimum = core::find_joint_optimum(*layer, accelerator, options, earlier.optimum.get());
    if (earlier.optimum != nullptr) count("optima proven anew from earlier ones");
    if (session != nullptr && !cancelled()) session->add(*layer, options, found->optimum);
  }
  if (cancelled()) throw Error(ZZ_E_CANCELLED, "stopped while the best mapping was searched");
  const core::MappingProblem& problem = found->optimum.problem;
  found->context = ctx;
  found->chosen = {core::readable(found->optimum.certificate.mapping, *problem.layer, *problem.fractional)};
  found->evaluated = found->optimum.certificate.states;
  known_.add(found);
  return found;
}

Results OptimalMappingStage::run(Value ctx) {
  require_uneven(temporal_mapping_type);
  const std::shared_ptr<const Search> best = search(ctx);
  const core::JointOptimum& optimum = best->optimum;
  for (const std::string& change : optimum.warnings) log(Level::debug, change);
  if (!optimum.warnings.empty()) count("unrollings fitted to their layer");
  count("spatial mappings searched", optimum.searched);
  count("spatial mappings passed over", optimum.passed_over);
  report_certificate(*this, ctx, optimum.certificate, gap);
  const Metric metrics[] = {{"optimum_spatial_mappings", static_cast<double>(optimum.spatial_mappings)},
                            {"optimum_spatial_searched", static_cast<double>(optimum.searched)},
                            {"optimum_spatial_passed_over", static_cast<double>(optimum.passed_over)}};

  core::Layer mapped = *object<core::Layer>(ctx, "layer"_n, "layer");
  mapped.mapping.spatial_mapping = optimum.unrolling;
  const auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  for (const std::string& hint : core::hints_of_no_dimension(mapped, *accelerator))
    log(Level::warning, hint);
  const Value unrolled = converted_context(*this, ctx, std::move(mapped), *accelerator, rules());
  const Value temporal = best->mappings().front();
  const Value spatial = unrolling_value(optimum.unrolling);
  for (Result& result : substage(with(unrolled, {{"temporal_mapping"_n, temporal}}))) {
    const Value inner = make(nullptr, list({temporal, result.extra}));
    const Value extra = make(nullptr, list({spatial, inner}));
    co_yield Result(
        certified(result.evaluation, wanted_objective(*this, objective), optimum.certificate, metrics),
        extra);
  }
}

}  // namespace zz::plugins
