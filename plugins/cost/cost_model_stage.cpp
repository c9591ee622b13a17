#include "plugins/cost/cost_model_stage.hpp"

#include <string>
#include <utility>

#include "core/cost/deviations.hpp"
#include "plugins/internal/deviations.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {

std::shared_ptr<const core::CostModel> CostModelStage::model(const Value& ctx) const {
  return std::make_shared<const core::CostModel>(
      object<core::Accelerator>(ctx, "accelerator"_n, "accelerator"),
      object<core::Layer>(ctx, "layer"_n, "layer"),
      object<core::SpatialMapping>(ctx, "spatial_mapping"_n, "spatial_mapping"),
      object<core::SpatialMapping>(ctx, "spatial_mapping_int"_n, "spatial_mapping"),
      core::CostModelOptions{.same_data_free = access_same_data_considered_as_no_access, .rules = rules()});
}

Result CostModelStage::run(const Value& ctx) {
  auto mapping = object<core::TemporalMapping>(ctx, "temporal_mapping"_n, "temporal_mapping");
  const std::shared_ptr<const core::CostModel> model = this->model(ctx);
  core::Evaluation evaluation = model->evaluate(std::move(mapping));
  if (auto found = core::find_deviations(*model, evaluation); !found.empty()) {
    evaluation.deviations = {std::make_shared<const core::LayerDeviations>(
        core::LayerDeviations{evaluation.layer->name, std::move(found)})};
  }
  if (core::has_other_clock(evaluation, rules()))
    tell_of_deviations({&core::Rules::negative_adder_tree_delay}, evaluation.layer->name);
  return Result(wrap(std::move(evaluation)));
}

const void* CostModelStage::extension(std::string_view id) {
  static constexpr zz_stage_cost_model ability{
      sizeof(zz_stage_cost_model), [](zz_stage* stage, zz_value* ctx, void* out, zz_error* err) noexcept {
        return detail::guarded(err, [&] {
          *static_cast<std::shared_ptr<const core::CostModel>*>(out) =
              reinterpret_cast<CostModelStage*>(stage)->model(Value::share(ctx));
        });
      }};
  return id == ZZ_STAGE_COST_MODEL ? &ability : nullptr;
}

CostModelStage::Scorer::Scorer(CostModelStage& stage, const Value& ctx, Name vary,
                               std::span<const Name> metrics)
    : model_(stage.model(ctx)) {
  if (vary != "temporal_mapping"_n) throw Error(ZZ_E_UNSUPPORTED, "only temporal mappings can be scored");
  for (const Name name : metrics) {
    const std::optional<core::Objective> metric = objective_of(name);
    if (!metric) throw Error(ZZ_E_UNSUPPORTED, "only energy_total, latency_total2 and edp can be scored");
    metrics_.push_back(*metric);
  }
}

void CostModelStage::Scorer::score(Ref rows, uint32_t first, uint32_t n, double* out) {
  for (uint32_t i = 0; i < n; ++i) {
    const auto* mapping = borrowed<core::TemporalMapping>(rows[first + i]);
    if (!mapping) throw Error(ZZ_E_TYPE, "row " + std::to_string(first + i) + " is no temporal mapping");
    const core::Score score = model_->score(model_->compact(*mapping));
    for (std::size_t metric = 0; metric < metrics_.size(); ++metric)
      out[metric * n + i] = core::value_of(metrics_[metric], score);
  }
}

}  // namespace zz::plugins
