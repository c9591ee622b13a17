#include "plugins/cost/cost_model_stage.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "core/mapping/compact_mapping.hpp"
#include "core/search/loma/best_order_search.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {

CostModelStage::KnownModel CostModelStage::model(const Value& ctx) {
  auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  auto layer = object<core::Layer>(ctx, "layer"_n, "layer");
  auto fractional = object<core::SpatialMapping>(ctx, "spatial_mapping"_n, "spatial_mapping");
  auto integral = object<core::SpatialMapping>(ctx, "spatial_mapping_int"_n, "spatial_mapping");
  KnownModel made{{accelerator.get(), layer.get(), fractional.get(), integral.get()},
                  layer->mac_count(),
                  nullptr,
                  nullptr};
  std::vector<KnownModel> likely;
  {
    const std::lock_guard lock(mutex_);
    for (auto known = latest_.rbegin(); known != latest_.rend(); ++known) {
      if (known->macs != made.macs || known->parts[0] != made.parts[0]) continue;
      if (known->parts == made.parts) return *known;
      likely.push_back(*known);
    }
  }
  const auto same = std::find_if(likely.begin(), likely.end(), [&](const KnownModel& known) {
    return known.model->has_work_of(*layer, *fractional, *integral);
  });
  if (same != likely.end()) {
    made.evaluated = same->evaluated;
    made.model = std::make_shared<const core::CostModel>(*same->model, std::move(layer),
                                                         std::move(fractional), std::move(integral));
  } else {
    made.model = std::make_shared<const core::CostModel>(
        std::move(accelerator), std::move(layer), std::move(fractional), std::move(integral),
        core::CostModelOptions{.same_data_free = access_same_data_considered_as_no_access,
                               .loading_uses_spare_cycles = !is_stream(compat),
                               .zigzag_compat = is_zigzag(compat)});
  }
  remember(made);
  return made;
}

void CostModelStage::remember(KnownModel known) {
  const std::lock_guard lock(mutex_);
  const auto place = std::find_if(latest_.begin(), latest_.end(),
                                  [&](const KnownModel& other) { return other.model == known.model; });
  if (place != latest_.end()) {
    *place = std::move(known);
  } else if (latest_.size() < most_models) {
    latest_.push_back(std::move(known));
  } else {
    latest_[oldest_] = std::move(known);
    oldest_ = (oldest_ + 1) % most_models;
  }
}

Result CostModelStage::run(const Value& ctx) {
  KnownModel known = model(ctx);
  auto mapping = object<core::TemporalMapping>(ctx, "temporal_mapping"_n, "temporal_mapping");
  if (known.evaluated && *known.evaluated->temporal_mapping == *mapping)
    return Result(wrap(known.model->evaluate_like(*known.evaluated, std::move(mapping))));
  std::vector<std::string> deviations;
  known.evaluated =
      std::make_shared<const core::Evaluation>(known.model->evaluate(std::move(mapping), &deviations));
  for (const std::string& deviation : deviations) {
    const std::lock_guard lock(mutex_);
    if (warned_.insert(deviation).second) log(Level::warning, deviation);
  }
  const Value evaluation = wrap(known.evaluated);
  remember(std::move(known));
  return Result(evaluation);
}

CostModelStage::Scorer::Metric CostModelStage::Scorer::metric_of(Name name) {
  if (name == "energy_total"_n) return Metric::energy_total;
  if (name == "latency_total2"_n) return Metric::latency_total2;
  if (name == "edp"_n) return Metric::edp;
  throw Error(ZZ_E_UNSUPPORTED, "only energy_total, latency_total2 and edp can be scored");
}

CostModelStage::Scorer::Scorer(CostModelStage& stage, const Value& ctx, Name vary,
                               std::span<const Name> metrics)
    : model_(stage.model(ctx).model) {
  if (vary != "temporal_mapping"_n) throw Error(ZZ_E_UNSUPPORTED, "only temporal mappings can be scored");
  for (const Name name : metrics) metrics_.push_back(metric_of(name));
}

core::Score CostModelStage::Scorer::score_row(const core::CompactMappings& batch, std::size_t row) {
  if (!batch.lattice) return model_->score(batch.rows[row]);
  if (!shared_ || &shared_->links().lattice() != batch.lattice.get())
    shared_ = model_->shared_scores(batch.lattice);
  return model_->score(batch.rows[row], *shared_);
}

void CostModelStage::Scorer::score(Ref rows, uint32_t first, uint32_t n, double* out) {
  const core::CompactMappings* batch = borrowed<core::CompactMappings>(rows);
  if (batch && batch->search)
    model_->search(*batch->search,
                   {zz::threads(), [](std::size_t count, const std::function<void(std::size_t)>& fn) {
                      zz::for_each(static_cast<uint32_t>(count), [&](uint32_t i) { fn(i); });
                    }});
  for (uint32_t i = 0; i < n; ++i) {
    core::CostModel::Score score;
    if (batch) {
      score = score_row(*batch, first + i);
    } else {
      const auto* mapping = borrowed<core::TemporalMapping>(rows[first + i]);
      if (!mapping) throw Error(ZZ_E_TYPE, "row " + std::to_string(first + i) + " is no temporal mapping");
      score = model_->score(model_->compact(*mapping));
    }
    for (std::size_t metric = 0; metric < metrics_.size(); ++metric) {
      double& figure = out[metric * n + i];
      switch (metrics_[metric]) {
        case Metric::energy_total:
          figure = score.energy_total;
          break;
        case Metric::latency_total2:
          figure = score.latency_total2;
          break;
        case Metric::edp:
          figure = score.latency_total2 * score.energy_total;
          break;
      }
    }
  }
}

}  // namespace zz::plugins
