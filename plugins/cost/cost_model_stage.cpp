#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/cost/cost_model.hpp"
#include "core/cost/deviations.hpp"
#include "core/search/methods/objective.hpp"
#include "core/search/temporal/best_by_score.hpp"
#include "plugins/internal/accelerator_with_costs.hpp"
#include "plugins/internal/leaf_model.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"

namespace zz::plugins {
namespace {

/// The leaf: ZigZag's analytical model of energy and latency.
class CostModelStage : public Stage, public CompatSetting, public SameDataSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.CostModelStage",
      .name = "CostModelStage",
      .summary = "energy and latency of one mapping, by ZigZag's analytical model",
      .doc =
          R"(Evaluates one mapping of one layer: how much data moves between the memories of each operand and the
array, what that costs in energy (pJ), and how long it takes (cycles) with the stalls where ports or buffers do not
keep up, with loading of the first data and off-loading of the last. Yields one evaluation with all figures and their
breakdowns per operand, memory level and direction, and no extra.

A mapper above may have many temporal mappings scored at once, which is as exact and a great deal faster than an
opening for each. Where ZigZag's own figure is impossible the corrected one is given, with a note at the end of the
run, unless `compat` asks for the original; with `stream-0.0.8`, as in ZigZag before 3.8, nothing is loaded in cycles
that the computation leaves free at a port, and all of it counts on top. It is the last stage of a pipeline:

```yaml
stages: [..., SpatialMappingGeneratorStage, MinimalLatencyStage, TemporalMappingGeneratorStage, CostModelStage]
```)",
      .flags = ZZ_STAGE_LEAF | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  static constexpr auto params = zz::params(same_data_setting, compat_setting);
  static constexpr Port consumes[] = {
      zz::object("accelerator", "accelerator", "the array and its memories"),
      zz::object("layer", "layer", "the layer that is evaluated").anonymous(),
      zz::object("spatial_mapping", "spatial_mapping", "the unrolling with fractional factors, for energy"),
      zz::object("spatial_mapping_int", "spatial_mapping",
                 "the unrolling with whole factors, for the latency with `compat`"),
      zz::object("temporal_mapping", "temporal_mapping",
                 "the order of the temporal loops and their allocation")};

  void check(const Value& ctx) const { accelerator_with_costs(ctx); }
  Value makes() const {
    return make(nullptr,
                {{"makes", "cost"},
                 {"compat", compat},
                 {"access_same_data_considered_as_no_access", access_same_data_considered_as_no_access}});
  }
  Result run(const Value& ctx);

  /// Many temporal mappings of one layer and unrolling.
  class Scorer {
   public:
    Scorer(CostModelStage& stage, const Value& ctx, Name vary, std::span<const Name> metrics);
    void score(Ref rows, uint32_t first, uint32_t n, double* out);

   private:
    std::shared_ptr<const core::CostModel> model_;
    std::vector<core::Objective> metrics_;
  };

  /// The model over a context; see zz_stage_cost_model.
  std::shared_ptr<const core::CostModel> model(const Value& ctx) const;
  static const void* extension(std::string_view id);

 private:
  /// The parts that a model follows from, besides settings.
  struct Parts {
    std::shared_ptr<const core::Accelerator> accelerator;
    std::shared_ptr<const core::Layer> layer;
    std::shared_ptr<const core::SpatialMapping> fractional, integral;
    bool operator==(const Parts&) const = default;  // the same objects
  };
  // A mapping that was found by its scores is evaluated next, over the same objects.
  mutable std::mutex mutex_;
  mutable Parts latest_parts_;
  mutable std::shared_ptr<const core::CostModel> latest_;
};

std::shared_ptr<const core::CostModel> CostModelStage::model(const Value& ctx) const {
  Parts parts{accelerator_with_costs(ctx), object<core::Layer>(ctx, "layer"_n, "layer"),
              object<core::SpatialMapping>(ctx, "spatial_mapping"_n, "spatial_mapping"),
              object<core::SpatialMapping>(ctx, "spatial_mapping_int"_n, "spatial_mapping")};
  {
    const std::lock_guard lock(mutex_);
    if (latest_ && parts == latest_parts_) return latest_;
  }
  auto model = std::make_shared<const core::CostModel>(
      parts.accelerator, parts.layer, parts.fractional, parts.integral,
      core::CostModelOptions{.same_data_free = access_same_data_considered_as_no_access, .rules = rules()});
  const std::lock_guard lock(mutex_);
  latest_parts_ = std::move(parts);
  return latest_ = std::move(model);
}

Result CostModelStage::run(const Value& ctx) {
  auto mapping = object<core::TemporalMapping>(ctx, "temporal_mapping"_n, "temporal_mapping");
  const std::shared_ptr<const core::CostModel> model = this->model(ctx);
  core::Evaluation evaluation = model->evaluate(std::move(mapping));
  if (auto found = core::find_deviations(*model, evaluation); !found.empty()) {
    evaluation.deviations = {std::make_shared<const core::LayerDeviations>(
        core::LayerDeviations{evaluation.layer->name, std::move(found)})};
  }
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
    const std::optional<core::Objective> metric = core::objective_of_figure(name.text());
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

}  // namespace

ZZ_PLUGIN_STAGE(CostModelStage)

}  // namespace zz::plugins
