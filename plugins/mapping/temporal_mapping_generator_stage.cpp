#include "plugins/mapping/temporal_mapping_generator_stage.hpp"

#include <optional>
#include <vector>

#include "plugins/internal/objects.hpp"
#include "plugins/mapping/best_rows.hpp"
#include "plugins/mapping/mapping_type.hpp"

namespace zz::plugins {
namespace {

constexpr std::size_t batch_size = 256;

std::vector<Value> parts(const Value& rows) {
  std::vector<Value> parts;
  for (uint32_t row = 0; row < rows.size(); ++row) parts.push_back(rows.hold(rows[row]));
  return parts;
}

}  // namespace

Results TemporalMappingGeneratorStage::run(Value ctx) {
  core::LoopOrderSearch search(object<core::Layer>(ctx, "layer"_n, "layer"),
                               object<core::Accelerator>(ctx, "accelerator"_n, "accelerator"),
                               object<core::SpatialMapping>(ctx, "spatial_mapping"_n, "spatial_mapping"),
                               {.factor_limit = static_cast<int>(loma_lpf_limit),
                                .type = mapping_type(temporal_mapping_type),
                                .zigzag_compat = is_zigzag(compat)});
  std::optional<Progress> display;
  if (loma_show_progress_bar) display.emplace(place(), "loop orders", search.orders_total());
  std::int64_t shown = 0;
  std::optional<BestRows> best = BestRows::bind(*this, ctx, "temporal_mapping"_n);
  uint64_t evaluated = 0;
  bool found = false;
  std::optional<Below> first_failure;
  for (bool ended = false; !ended;) {
    if (cancelled()) throw Error(ZZ_E_CANCELLED, "stopped while loop orders were searched");
    // A batch of its own each time: a result may keep its row.
    const auto batch = std::make_shared<core::LoopOrderBatch>();
    search.next(*batch, batch_size);
    if (display) display->advance(static_cast<uint64_t>(search.orders_visited() - shown));
    shown = search.orders_visited();
    evaluated += batch->rows.size();
    ended = batch->rows.empty();
    const Value rows = wrap<core::LoopOrderBatch>(batch);
    if (best && !ended) {
      best->add(rows);
      continue;
    }
    const std::vector<Value> chosen = best ? best->chosen() : parts(rows);
    for (const Value& mapping : chosen) {
      std::optional<Substage> below;
      Result result;
      for (;;) {
        try {
          if (!below) below.emplace(substage(with(ctx, {{"temporal_mapping"_n, mapping}})));
          if (!below->next(result)) break;
        } catch (const Below& failure) {
          // One mapping that has no cost does not end the search.
          if (failure.code != ZZ_E_NO_RESULT) throw;
          if (!first_failure) first_failure = failure;
          break;
        }
        found = true;
        const Value extra = make(nullptr, list({mapping, result.extra}));
        co_yield Result(std::move(result.evaluation), extra);
      }
    }
  }
  count("mappings evaluated", evaluated);
  if (evaluated == 0) throw Error(ZZ_E_NO_RESULT, search.reason());
  if (first_failure && !found) throw Error(ZZ_E_NO_RESULT, first_failure->what(), first_failure->failure);
  if (!found) {
    throw Error(ZZ_E_NO_RESULT,
                "layer '" + std::string(ctx["layer.name"_n].str()) + "': each of its " +
                    std::to_string(evaluated) +
                    " mappings moves partial sums through a memory that has no port for them");
  }
}

}  // namespace zz::plugins
