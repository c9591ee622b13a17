#include "plugins/cost/cost_model_stage.hpp"

#include <cmath>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "core/cost/deviations.hpp"
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
  note_deviations(*model, evaluation);
  return Result(wrap(std::move(evaluation)));
}

void CostModelStage::note_deviations(const core::CostModel& model, const core::Evaluation& evaluation) {
  for (const core::Deviation& deviation : core::find_deviations(model, evaluation)) {
    const std::lock_guard lock(mutex_);
    Change& change = changes_[deviation.rule];
    const std::string& layer = evaluation.layer->name;
    change.what = deviation.what;
    change.layers.insert(layer);
    const auto keep_larger = [&](double& largest, std::string& of, double one) {
      // Names break ties, so that the order of threads does not.
      if (std::abs(one) < std::abs(largest) || (std::abs(one) == std::abs(largest) && of <= layer)) return;
      largest = one;
      of = layer;
    };
    if (deviation.energy != 0) keep_larger(change.energy, change.of_energy, deviation.energy);
    if (deviation.latency != 0) keep_larger(change.latency, change.of_latency, deviation.latency);
  }
}

CostModelStage::~CostModelStage() {
  for (const auto& [rule, change] : changes_) {
    std::string most;
    const auto add = [&](const char* figure, double largest, const std::string& layer) {
      if (layer.empty()) return;
      most += fmt::format("{} {} by up to {:+.3g} % ({})", most.empty() ? "" : " and", figure,
                          100 * largest, layer);
    };
    add("latency", change.latency, change.of_latency);
    add("energy", change.energy, change.of_energy);
    log(Level::warning,
        fmt::format("{}: in {} layer{} this changes{}; 'compat: zigzag-3.9' gives ZigZag's figures "
                    "(docs/deviations.md, {})",
                    change.what, change.layers.size(), change.layers.size() == 1 ? "" : "s", most, rule));
  }
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
    const std::optional<core::OrderMetric> metric = order_metric(name);
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
      out[metric * n + i] = core::figure_of(score, metrics_[metric]);
  }
}

}  // namespace zz::plugins
