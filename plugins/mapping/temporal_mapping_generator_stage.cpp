#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/search/loma/loma.hpp"
#include "core/search/methods/objective.hpp"
#include "core/search/methods/processor_time.hpp"
#include "core/search/temporal/best_by_score.hpp"
#include "core/search/temporal/loop_factors.hpp"
#include "plugins/internal/converted_context.hpp"
#include "plugins/internal/leaf_model.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/search_cache.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "plugins/internal/tried_share.hpp"

namespace zz::plugins {
namespace {

/// Opens the chain below for the temporal mappings of a layer: loop orders, allocated to the memories.
class TemporalMappingGeneratorStage : public Stage,
                                      public CompatSetting,
                                      public MappingTypeSetting,
                                      public TimeLimitSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.TemporalMappingGeneratorStage",
      .name = "TemporalMappingGeneratorStage",
      .aliases = "LomaStage",
      .summary = "tries every order of a layer's temporal loops (LOMA)",
      .doc =
          R"(Splits the loops that the unrolling leaves for time into prime factors, merges the smallest ones down to
`loma_lpf_limit` factors, and visits every distinct order of them. Each order is allocated to the memories of the
operands, from the innermost memory upwards, as much as fits; orders that do not fit are passed over. The chain
below is opened for each with `temporal_mapping`. A `temporal_ordering` of the mapping file is kept: a complete one
gives just that mapping, with the `cuts` that stand beside it; an incomplete one limits the orders. Its entries,
innermost loop first, are

| entry | means |
|---|---|
| `[OX, 7]` | the loop at this position is OX with 7 iterations |
| `[OX, all]` | OX with all iterations that the unrolling and earlier entries leave |
| `[OX, "*"]` | a loop of OX of any size |
| `["*", "*"]` | any loops; what follows counts from the outermost loop. Without it the open loops come last |

Factors that an ordering places are not merged. An ordering that asks for more of a loop than remains in time is an
error; so is one that gives every loop with its size but not all its iterations, unless `["*", "*"]` leaves room.

A layer that needs more than `time_limit` gets the best mapping found until then, and a warning says so. Only then can
results differ between machines.

Results say with `orders_tried` and `orders_possible` how many orders were tried of how many the prime factors have,
where the stage chooses among them and the mapping file orders nothing.

Yields (evaluation, [temporal mapping, extra]) for each result from below. When the reducer above keeps only the best
few, and the chain below can score many mappings at once, only those few are evaluated in full; the result is the
same.

```yaml
  - MinimalLatencyStage
  - TemporalMappingGeneratorStage: {temporal_mapping_type: even, loma_lpf_limit: 7}
  - CostModelStage
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  int64_t loma_lpf_limit = 6;
  bool loma_show_progress_bar = true;
  static constexpr auto params = zz::params(
      mapping_type_setting,
      param<&TemporalMappingGeneratorStage::loma_lpf_limit>(
          "loma_lpf_limit",
          "the most loop factors that are permuted; 0 for no limit, with `compat` for one a loop")
          .unit("factors")
          .allowed("[0, 20]"),
      param<&TemporalMappingGeneratorStage::loma_show_progress_bar>(
          "loma_show_progress_bar", "show the progress of each single search within that of the layers"),
      time_limit_setting, compat_setting);
  static constexpr Port consumes[] = {
      zz::object("accelerator", "accelerator", "its memories hold the loops"),
      zz::object("layer", "layer", "the layer to map"),
      zz::object("spatial_mapping", "spatial_mapping", "the unrolling; what it leaves is ordered in time")};
  static constexpr Port provides[] = {zz::object("temporal_mapping", "temporal_mapping",
                                                 "one order of the temporal loops with its allocation")};
  static constexpr auto& metrics = orders_share_metrics;

  /// The mapping that it hands down is found later.
  Value check(Value ctx) const { return ctx; }
  Results run(Value ctx);

 private:
  core::Loma search(const Value& ctx) const;
  /// Tells what the search did not look at, and what would.
  std::string what_looks_further(const char* why) const;
  /// 0 where the mapping file orders some loops.
  double orders_possible(const Value& ctx) const;
  /// Scores all orders and remembers the best ones. Null where each order has to be handed down.
  [[noreturn]] void nothing_fits(const Value& ctx, const core::Loma& orders, const char* why) const;
  std::shared_ptr<const SearchCache::Search> search_best(const Value& ctx);

  SearchCache searches_;
};

constexpr std::size_t batch_size = 256;

std::vector<Value> values_of(const core::CompactMappings& mappings) {
  std::vector<Value> values;
  for (const core::CompactMapping& row : mappings.rows) values.push_back(wrap(mappings.mapping(row)));
  return values;
}

/// The metrics that decide, then the limited ones.
std::vector<Name> metrics_of(const zz_demand& demand, const zz_limits& limits) {
  std::vector<Name> names;
  for (uint32_t i = 0; i < demand.n; ++i) names.emplace_back(demand.metric[i]);
  for (uint32_t i = 0; i < limits.n; ++i) names.emplace_back(limits.metric[i]);
  return names;
}

/// Empty unless a cost model gives all of them.
std::vector<core::Objective> known_metrics(const std::vector<Name>& names) {
  std::vector<core::Objective> metrics;
  for (const Name name : names) {
    const std::optional<core::Objective> metric = core::objective_of_figure(name.text());
    if (!metric) return {};
    metrics.push_back(*metric);
  }
  return metrics;
}

/// As core::best_loop_orders(), but the chain below gives the scores.
template <class GoOn>
std::vector<core::TemporalMapping> best_rows(core::Loma& orders, RowScorer& scorer, const zz_demand& demand,
                                             const zz_limits& limits, const GoOn& go_on) {
  using Best = core::BestByScore<core::TemporalMapping>;
  static_assert(std::size(decltype(zz_demand::metric){}) <= Best::most_figures);
  Best best(demand.n, demand.keep);
  core::CompactMappings batch;
  while (!orders.finished()) {
    orders.next(batch, batch_size);
    const auto n = static_cast<uint32_t>(batch.rows.size());
    const Value rows = make_list(values_of(batch));
    std::vector<double> columns(std::size_t{n} * (demand.n + limits.n));
    if (n > 0) scorer.score(rows, 0, n, columns.data());
    for (uint32_t row = 0; row < n; ++row) {
      Best::Figures figures{};
      for (uint32_t metric = 0; metric < demand.n; ++metric)
        figures[metric] = columns[std::size_t{metric} * n + row];
      bool within = !std::isnan(figures[0]);
      for (uint32_t limit = 0; limit < limits.n; ++limit)
        within = within && columns[std::size_t{demand.n + limit} * n + row] <= limits.at_most[limit];
      if (within && best.wants(figures)) best.add(figures, batch.mapping(row));
    }
    if (!go_on()) break;
  }
  return best.in_order();
}

double TemporalMappingGeneratorStage::orders_possible(const Value& ctx) const {
  const auto layer = object<core::Layer>(ctx, "layer"_n, "layer");
  if (!layer->mapping.temporal_ordering.empty()) return 0;
  const auto unrolled = object<core::SpatialMapping>(ctx, "spatial_mapping"_n, "spatial_mapping");
  return core::count_of_orders(*layer, *unrolled, rules());
}

core::Loma TemporalMappingGeneratorStage::search(const Value& ctx) const {
  return core::Loma(
      object<core::Layer>(ctx, "layer"_n, "layer"),
      object<core::Accelerator>(ctx, "accelerator"_n, "accelerator"),
      object<core::SpatialMapping>(ctx, "spatial_mapping"_n, "spatial_mapping"),
      {.factor_limit = static_cast<int>(loma_lpf_limit), .type = mapping_type(), .rules = rules()});
}

std::string TemporalMappingGeneratorStage::what_looks_further(const char* why) const {
  const std::string factors =
      loma_lpf_limit == 0
          ? ""
          : " a `loma_lpf_limit` above " + std::to_string(loma_lpf_limit) + " tries more orders, and";
  return why + (";" + factors) + " OptimalMappingStage searches all orders and unrollings";
}

void TemporalMappingGeneratorStage::nothing_fits(const Value& ctx, const core::Loma& orders,
                                                 const char* why) const {
  refuse_small_topmost_memories(ctx, rules());
  throw core::NotFound(orders.reason() + what_looks_further(why));
}

std::shared_ptr<const SearchCache::Search> TemporalMappingGeneratorStage::search_best(const Value& ctx) {
  zz_limits limits{};
  const zz_demand demand = demanded_within(limits);
  if (demand.keep == 0 || demand.n == 0) return nullptr;  // somebody above needs every result
  const std::vector<Name> names = metrics_of(demand, limits);
  std::vector<core::Objective> metrics = known_metrics(names);
  std::shared_ptr<const core::CostModel> model;
  std::optional<RowScorer> rows;
  if (!metrics.empty()) model = leaf_model(place(), ctx);
  if (!model) rows = scorer(ctx, "temporal_mapping"_n, names);
  if (!model && !rows) return nullptr;

  core::Loma orders = search(ctx);
  std::optional<Progress> display;
  if (loma_show_progress_bar) display.emplace(place(), "loop orders", orders.orders_total());
  std::int64_t shown = 0;
  const core::ProcessorTime time;
  bool ended = false;
  const auto go_on = [&] {
    const std::int64_t before = std::exchange(shown, orders.orders_visited());
    if (display) display->advance(static_cast<uint64_t>(shown - before));
    ended = !orders.finished() && is_over(time.seconds());
    return !ended && !cancelled();
  };
  const auto found = std::make_shared<SearchCache::Search>();
  if (model) {
    std::vector<core::OrderLimit> order_limits;
    for (uint32_t i = 0; i < limits.n; ++i)
      order_limits.push_back({metrics[demand.n + i], limits.at_most[i]});
    metrics.resize(demand.n);
    found->chosen = core::best_loop_orders(orders, *model, metrics, demand.keep, go_on, order_limits);
  } else {
    found->chosen = best_rows(orders, *rows, demand, limits, go_on);
  }
  if (cancelled()) throw Error(ZZ_E_CANCELLED, "stopped while loop orders were searched");
  found->tried = static_cast<uint64_t>(orders.orders_visited());
  found->evaluated = static_cast<uint64_t>(orders.orders_visited() - orders.orders_rejected());
  const char* const why = ended ? ended_early : "";
  if (found->evaluated == 0) nothing_fits(ctx, orders, why);
  if (found->chosen.empty() && limits.n > 0) {
    throw core::NotFound("layer '" + std::string(ctx["layer.name"_n].str()) + "': none of its " +
                         std::to_string(found->evaluated) +
                         " mappings keeps the limits of the stages above" + what_looks_further(why));
  }
  if (ended) tell_of_end(*this);
  found->context = ctx;
  searches_.add(found);
  return found;
}

Results TemporalMappingGeneratorStage::run(Value ctx) {
  std::shared_ptr<const SearchCache::Search> best = searches_.find(*this, ctx);
  if (!best) best = search_best(ctx);
  std::optional<core::Loma> orders;
  if (!best) orders.emplace(search(ctx));
  std::optional<Progress> display;
  if (orders && loma_show_progress_bar) display.emplace(place(), "loop orders", orders->orders_total());
  uint64_t evaluated = best ? best->evaluated : 0;
  const double possible = best ? orders_possible(ctx) : 0;
  bool found = false, over = false;
  // Processor time of this search and the stages below, not of those that take its results.
  core::ProcessorTime time;
  double seconds = 0;
  std::optional<Below> first_failure;
  for (bool ended = false; !ended && !over;) {
    std::vector<Value> mappings;
    if (best) {
      mappings = best->mappings();
      ended = true;
    } else {
      if (cancelled()) throw Error(ZZ_E_CANCELLED, "stopped while loop orders were searched");
      core::CompactMappings batch;
      const std::int64_t shown = orders->orders_visited();
      orders->next(batch, batch_size);
      if (display) display->advance(static_cast<uint64_t>(orders->orders_visited() - shown));
      evaluated += batch.rows.size();
      ended = orders->finished();
      mappings = values_of(batch);
    }
    for (std::size_t i = 0; i < mappings.size() && !over; ++i) {
      const Value& mapping = mappings[i];
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
        seconds += time.seconds();
        if (possible > 0)
          result.evaluation =
              orders_share.told(result.evaluation, static_cast<double>(best->tried), possible);
        co_yield Result(std::move(result.evaluation), extra);
        time = core::ProcessorTime();
      }
      over = orders && is_over(seconds + time.seconds()) && !(ended && i + 1 == mappings.size());
    }
    over = over || (mappings.empty() && !ended && is_over(seconds + time.seconds()));
  }
  count("mappings evaluated", evaluated);
  const std::string why = over ? ended_early : "";
  if (evaluated == 0) nothing_fits(ctx, *orders, why.c_str());
  if (first_failure && !found) throw Error(ZZ_E_NO_RESULT, first_failure->what(), first_failure->failure);
  if (!found) {
    throw core::NotFound("layer '" + std::string(ctx["layer.name"_n].str()) + "': each of its " +
                         std::to_string(evaluated) +
                         " mappings moves partial sums through a memory that has no port for them" +
                         what_looks_further(why.c_str()));
  }
  if (over) tell_of_end(*this);
}

}  // namespace

ZZ_PLUGIN_STAGE(TemporalMappingGeneratorStage)

}  // namespace zz::plugins
