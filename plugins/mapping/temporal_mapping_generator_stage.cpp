#include "plugins/mapping/temporal_mapping_generator_stage.hpp"

#include <optional>
#include <utility>
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

core::Loma TemporalMappingGeneratorStage::search(const Value& ctx) const {
  return core::Loma(object<core::Layer>(ctx, "layer"_n, "layer"),
                    object<core::Accelerator>(ctx, "accelerator"_n, "accelerator"),
                    object<core::SpatialMapping>(ctx, "spatial_mapping"_n, "spatial_mapping"),
                    {.factor_limit = static_cast<int>(loma_lpf_limit),
                     .type = mapping_type(temporal_mapping_type),
                     .zigzag_compat = is_zigzag(compat)});
}

std::shared_ptr<const KnownSearches::Search> TemporalMappingGeneratorStage::search_best(const Value& ctx,
                                                                                        BestRows& best) {
  core::Loma orders = search(ctx);
  std::optional<Progress> display;
  if (loma_show_progress_bar) display.emplace(place(), "loop orders", orders.orders_total());
  const auto found = std::make_shared<KnownSearches::Search>();
  if (const std::optional<uint64_t> covered = best.find_all(orders)) {
    found->evaluated = *covered;
    found->context = ctx;
    found->chosen = best.chosen();
    known_.add(found);
    return found;
  }
  // Two lists, filled again and again, because what is chosen from them is copied: while one is scored,
  // another thread that has nothing to do may fill the next.
  auto batch = std::make_shared<core::CompactMappings>(), ahead = std::make_shared<core::CompactMappings>();
  std::int64_t shown = 0;
  for (orders.next(*batch, batch_size); !batch->rows.empty(); std::swap(batch, ahead)) {
    if (cancelled()) throw Error(ZZ_E_CANCELLED, "stopped while loop orders were searched");
    const std::int64_t before = std::exchange(shown, orders.orders_visited());
    if (display) display->advance(static_cast<uint64_t>(shown - before));
    found->evaluated += batch->rows.size();
    const auto do_part = [&](uint32_t part) {
      if (part == 0)
        best.add(wrap<core::CompactMappings>(batch));
      else
        orders.next(*ahead, batch_size);
    };
    if (batch->rows.size() == batch_size) {
      for_each(2, do_part);
    } else {
      do_part(0);
      do_part(1);
    }
  }
  if (found->evaluated == 0) throw Error(ZZ_E_NO_RESULT, orders.reason());
  found->context = ctx;
  found->chosen = best.chosen();
  known_.add(found);
  return found;
}

Results TemporalMappingGeneratorStage::run(Value ctx) {
  std::shared_ptr<const KnownSearches::Search> best = known_.find(*this, ctx);
  if (!best) {
    if (std::optional<BestRows> rows = BestRows::bind(*this, ctx, "temporal_mapping"_n))
      best = search_best(ctx, *rows);
  }
  std::optional<core::Loma> orders;
  if (!best) orders.emplace(search(ctx));
  std::optional<Progress> display;
  if (orders && loma_show_progress_bar) display.emplace(place(), "loop orders", orders->orders_total());
  uint64_t evaluated = best ? best->evaluated : 0;
  bool found = false;
  std::optional<Below> first_failure;
  for (bool ended = false; !ended;) {
    std::vector<Value> mappings;
    if (best) {
      mappings = best->mappings();
      ended = true;
    } else {
      if (cancelled()) throw Error(ZZ_E_CANCELLED, "stopped while loop orders were searched");
      // A batch of its own each time: a result may keep its row.
      const auto batch = std::make_shared<core::CompactMappings>();
      const std::int64_t shown = orders->orders_visited();
      orders->next(*batch, batch_size);
      if (display) display->advance(static_cast<uint64_t>(orders->orders_visited() - shown));
      evaluated += batch->rows.size();
      ended = batch->rows.empty();
      mappings = parts(wrap<core::CompactMappings>(batch));
    }
    for (const Value& mapping : mappings) {
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
  if (evaluated == 0) throw Error(ZZ_E_NO_RESULT, orders->reason());
  if (first_failure && !found) throw Error(ZZ_E_NO_RESULT, first_failure->what(), first_failure->failure);
  if (!found) {
    throw Error(ZZ_E_NO_RESULT,
                "layer '" + std::string(ctx["layer.name"_n].str()) + "': each of its " +
                    std::to_string(evaluated) +
                    " mappings moves partial sums through a memory that has no port for them");
  }
}

}  // namespace zz::plugins
