#include "host/chain/score.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <vector>

#include "core/base/interruption.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/schema/types.hpp"
#include "core/value/edit.hpp"
#include "core/value/name.hpp"
#include "core/value/read.hpp"
#include "core/workload/layer.hpp"
#include "host/base/cancellation.hpp"
#include "host/chain/guard.hpp"
#include "host/chain/order_scores.hpp"
#include "host/chain/place.hpp"
#include "host/chain/stage_call.hpp"
#include "host/chain/third_party_checks.hpp"
#include "host/values/context.hpp"
#include "host/values/handles.hpp"
#include "host/values/stage_table.hpp"
#include "zz/internal_tier.h"

struct zz_scorer {
  zz_place* at = nullptr;
  zz_place* below = nullptr;
  zz::host::Handle context;
  zz_name vary = 0;
  std::vector<zz_name> metrics;
  // The leaf's own ability; NULL when the host opens and pulls.
  std::shared_ptr<zz::host::Instance> leaf;
  const zz_stage_score* ability = nullptr;
  zz_stage_scorer* of_leaf = nullptr;
  /// Checks rows that are temporal mappings of a third party; else nullptr.
  std::unique_ptr<const zz::core::MappingCheck> check;
  std::unique_ptr<zz::host::OrderScores> orders;  ///< made when they are asked for first
};

namespace zz::host {
namespace {

constexpr std::uint32_t orders_between_looks = 1024;  // at the interruption
constexpr double infeasible = std::numeric_limits<double>::quiet_NaN();

/// The first stage below that makes scoring impossible, or nullptr.
const zz_place* obstacle(const zz_place& at, const zz_name* metrics, std::uint32_t m) {
  for (const zz_place* place = at.below; place != nullptr; place = place->below) {
    const zz_stage_desc& stage = *place->description;
    if ((stage.flags & ZZ_STAGE_ONE) == 0) return place;
    if (place->below == nullptr) return nullptr;
    if ((stage.flags & ZZ_STAGE_FORWARDS) == 0) return place;
    for (std::uint32_t i = 0; i < m; ++i) {
      if (writes_metric(stage, core::text_of(metrics[i]))) return place;
    }
  }
  return nullptr;
}

/// Uses the ability of the leaf when the leaf is directly below.
zz_status bind_leaf(zz_scorer& scorer, zz_error* error) {
  zz_place& place = *scorer.below;
  if (place.below != nullptr || place.description->get_extension == nullptr) return ZZ_OK;
  if (const zz_status status = instance_for(place, scorer.context.get(), scorer.leaf, error);
      status != ZZ_OK)
    return status;
  StageCall call{&place, nullptr};
  zz_error sink;
  zz_status status = ZZ_OK;
  const zz_stage_score* ability = nullptr;
  {
    const Entered entered(call);
    ability = static_cast<const zz_stage_score*>(
        place.description->get_extension(scorer.leaf->stage, ZZ_STAGE_SCORE));
    if (ability == nullptr || !ZZ_HAS(ability, unbind) || !ZZ_HAS(ability, score) || !ZZ_HAS(ability, bind))
      return ZZ_OK;
    status = ability->bind(scorer.leaf->stage, scorer.context.get(), scorer.vary, scorer.metrics.data(),
                           static_cast<std::uint32_t>(scorer.metrics.size()), &scorer.of_leaf, &sink);
  }
  if (status == ZZ_E_UNSUPPORTED) return ZZ_OK;  // perhaps not for these metrics: pulled, then
  if (status != ZZ_OK) return tell_caller(conclude(call, status, sink), error);
  scorer.ability = ability;
  return ZZ_OK;
}

zz_status bind(zz_place* at, zz_value* context, zz_name vary, const zz_name* metrics, std::uint32_t m,
               zz_scorer** out, zz_error* error) noexcept {
  if (at == nullptr || out == nullptr || context == nullptr || !is_context(context->value) ||
      (m > 0 && metrics == nullptr)) {
    return tell_caller(
        make_failure(ZZ_E_INTERNAL, "scoring was asked for without a place, a context or metrics",
                     at != nullptr ? at->label : ""),
        error);
  }
  *out = nullptr;
  if (at->below == nullptr) {
    return tell_caller(make_failure(ZZ_E_UNSUPPORTED, "there is no stage below the last one", at->label),
                       error);
  }
  if (const zz_place* in_the_way = obstacle(*at, metrics, m); in_the_way != nullptr) {
    return tell_caller(make_failure(ZZ_E_UNSUPPORTED, "cannot score past " + in_the_way->label, at->label),
                       error);
  }
  auto scorer = std::make_unique<zz_scorer>();
  scorer->at = at;
  scorer->below = at->below;
  scorer->context = Handle::take(retain(context));
  scorer->vary = vary;
  scorer->metrics.assign(metrics, metrics + m);
  if (core::text_of(vary) == "temporal_mapping") {
    try {
      scorer->check = check_of_scored(*at, context->value);
    } catch (...) {
      return report_current_exception(error);
    }
  }
  if (const zz_status status = bind_leaf(*scorer, error); status != ZZ_OK) return status;
  *out = scorer.release();
  return ZZ_OK;
}

/// One row by opening the chain below and pulling its one result.
zz_status pull_row(const zz_scorer& scorer, zz_ref rows, std::uint32_t row, double* column,
                   std::size_t stride, zz_error& error) {
  for (std::size_t j = 0; j < scorer.metrics.size(); ++j) column[j * stride] = infeasible;
  const core::Ref part = core::part_at(from_abi(rows), row);
  const Handle context(derive_context(scorer.context.value(), {{scorer.vary, core::value_of_part(part)}}));
  zz_stream stream{};
  if (const zz_status status = open_place(*scorer.below, context.get(), &stream, &error); status != ZZ_OK)
    return status;
  zz_result result{};
  std::uint32_t count = 0;
  const zz_status status = stream.pull(&stream, &result, 1, &count, &error);
  stream.close(&stream);
  if (status != ZZ_OK || count == 0) return status;
  const Handle evaluation = Handle::take(result.evaluation), extra = Handle::take(result.extra);
  const core::Value value = evaluation.value();
  for (std::size_t j = 0; j < scorer.metrics.size(); ++j) {
    // A missing figure would look like an infeasible row.
    const core::Ref figure = core::part(value.ref(), scorer.metrics[j]);
    if (core::read_f64(figure, column[j * stride])) continue;
    return tell_caller(
        make_failure(ZZ_E_MISSING,
                     fmt::format("a stage above looks for '{}' in each result: {}",
                                 core::text_of(scorer.metrics[j]), core::explain(figure, core::Kind::f64)),
                     scorer.below->label),
        &error);
  }
  return ZZ_OK;
}

zz_status score_by_pulling(const zz_scorer& scorer, zz_ref rows, std::uint32_t first, std::uint32_t n,
                           double* out, zz_error* error) {
  for (std::uint32_t i = 0; i < n; ++i) {
    zz_error sink;
    const zz_status status = pull_row(scorer, rows, first + i, out + i, n, sink);
    if (status == ZZ_OK || status == ZZ_E_NO_RESULT) continue;
    FailurePointer failure = from_value(sink.failure);
    if (failure == nullptr) failure = make_failure(status, sink.message, scorer.below->label);
    if (status == ZZ_E_CANCELLED) return tell_caller(failure, error);
    return tell_caller(
        make_failure(status, fmt::format("row {} cannot be scored: {}", first + i, failure->message),
                     failure->stage, failure->cause),
        error);
  }
  return ZZ_OK;
}

zz_status score(zz_scorer* scorer, zz_ref rows, std::uint32_t first, std::uint32_t n, double* out,
                zz_error* error) noexcept {
  if (scorer == nullptr || out == nullptr) {
    return tell_caller(make_failure(ZZ_E_INTERNAL, "scored without a scorer or without room", ""), error);
  }
  if (first > core::count_of(from_abi(rows)) || n > core::count_of(from_abi(rows)) - first) {
    return tell_caller(make_failure(ZZ_E_INTERNAL,
                                    fmt::format("asked for the rows {} to {} of {}", first, first + n,
                                                core::count_of(from_abi(rows))),
                                    scorer->below->label),
                       error);
  }
  if (cancel_requested()) return tell_caller(make_failure(ZZ_E_CANCELLED, "interrupted", ""), error);
  for (std::uint32_t i = 0; scorer->check != nullptr && i < n; ++i) {
    const core::Ref row = core::part_at(from_abi(rows), first + i);
    if (const FailurePointer failure = check_scored(*scorer->check, *scorer->at, row); failure != nullptr)
      return tell_caller(failure, error);
  }
  if (scorer->ability == nullptr) {
    try {
      return score_by_pulling(*scorer, rows, first, n, out, error);
    } catch (...) {
      return report_current_exception(error);
    }
  }
  StageCall call{scorer->below, nullptr};
  zz_error sink;
  zz_status status = ZZ_OK;
  {
    const Entered entered(call);
    status = scorer->ability->score(scorer->of_leaf, rows, first, n, out, &sink);
  }
  return status == ZZ_OK ? ZZ_OK : tell_caller(conclude(call, status, sink), error);
}

/// Makes `scorer.orders`. Where orders cannot be scored, the caller is told why, in the words of the leaf
/// if that refused.
zz_status make_orders(zz_scorer& scorer, zz_error* error) {
  if (scorer.orders != nullptr) return ZZ_OK;
  if (core::text_of(scorer.vary) != "temporal_mapping")
    return tell_caller(
        make_failure(ZZ_E_INTERNAL,
                     fmt::format("orders are scored as 'temporal_mapping', but this scorer is bound "
                                 "with '{}'",
                                 core::text_of(scorer.vary)),
                     scorer.at->label),
        error);
  std::shared_ptr<const core::CostModel> model;
  const zz_status status = leaf_cost_model(scorer.at, scorer.context.get(), &model, error);
  if (status != ZZ_OK) return status;
  scorer.orders =
      std::make_unique<OrderScores>(scorer.context.value(), rules_below(scorer.at), std::move(model));
  return ZZ_OK;
}

/// Over a leaf that has no model, or for other figures: the mappings become values.
zz_status score_as_mappings(zz_scorer& scorer, OrderScores& scores, const zz_order* orders, std::uint32_t n,
                            double* out, zz_error* error) {
  const std::size_t columns = scorer.metrics.size();
  std::vector<double> figures(columns);
  for (std::uint32_t i = 0; i < n; ++i) {
    std::fill(figures.begin(), figures.end(), infeasible);
    if (scores.read(orders[i])) {
      const core::Value row = core::Value::list(
          {core::Value::object(std::make_shared<const core::TemporalMapping>(scores.mapping()))});
      const zz_status status = score(&scorer, to_abi(row.ref()), 0, 1, figures.data(), error);
      if (status != ZZ_OK) return status;
    }
    for (std::size_t j = 0; j < columns; ++j) out[j * n + i] = figures[j];
  }
  return ZZ_OK;
}

zz_status score_orders(zz_scorer* scorer, const zz_order* orders, std::uint32_t n, double* out,
                       zz_error* error) noexcept {
  if (scorer == nullptr || out == nullptr || orders == nullptr)
    return tell_caller(make_failure(ZZ_E_INTERNAL, "orders were scored without a scorer or room", ""),
                       error);
  try {
    if (const zz_status status = make_orders(*scorer, error); status != ZZ_OK) return status;
    OrderScores* const scores = scorer->orders.get();
    const std::size_t columns = scorer->metrics.size();
    std::vector<std::string_view> names;
    for (const zz_name metric : scorer->metrics) names.push_back(core::text_of(metric));
    if (!std::all_of(names.begin(), names.end(), [&](auto name) { return scores->knows(name); }))
      return score_as_mappings(*scorer, *scores, orders, n, out, error);
    for (std::uint32_t i = 0; i < n; ++i) {
      if (i % orders_between_looks == 0) core::end_if_interrupted();
      const bool fits = scores->read(orders[i]);
      const core::Score score = fits ? scores->score() : core::Score{};
      for (std::size_t j = 0; j < columns; ++j)
        out[j * n + i] = fits ? OrderScores::figure(names[j], score) : infeasible;
    }
    return ZZ_OK;
  } catch (...) {
    return report_current_exception(error);
  }
}

zz_value* mapping_of_order(zz_scorer* scorer, const zz_order* order, zz_error* error) noexcept {
  if (scorer == nullptr || order == nullptr) {
    tell_caller(make_failure(ZZ_E_INTERNAL, "a mapping was asked for without a scorer or an order", ""),
                error);
    return nullptr;
  }
  try {
    if (make_orders(*scorer, error) != ZZ_OK) return nullptr;
    OrderScores* const scores = scorer->orders.get();
    if (!scores->read(*order)) throw core::NoResult("the order does not fit into the memories");
    return new_handle(
        core::Value::object(std::make_shared<const core::TemporalMapping>(scores->mapping())));
  } catch (...) {
    report_current_exception(error);
    return nullptr;
  }
}

void unbind(zz_scorer* scorer) noexcept {
  if (scorer == nullptr) return;
  if (scorer->of_leaf != nullptr) {
    StageCall call{scorer->below, nullptr};
    const Entered entered(call);
    scorer->ability->unbind(scorer->of_leaf);
  }
  delete scorer;
}

template <class T>
const T* object_of(core::Ref ref) {
  return ref.type == core::type_of<T>() ? core::object_in<T>(ref) : nullptr;
}

/// Objects are the same by identity, except those that are made for each layer.
bool same(core::Ref a, core::Ref b, bool anonymous) {
  a = core::look_through(a);
  b = core::look_through(b);
  if (a.word == b.word && a.type == b.type) return true;
  if (a.type == nullptr || b.type == nullptr) return false;
  const auto *unrolling_a = object_of<core::SpatialMapping>(a),
             *unrolling_b = object_of<core::SpatialMapping>(b);
  if (unrolling_a != nullptr && unrolling_b != nullptr) return *unrolling_a == *unrolling_b;
  const auto *layer_a = object_of<core::Layer>(a), *layer_b = object_of<core::Layer>(b);
  if (layer_a != nullptr && layer_b != nullptr)
    return anonymous ? core::same_work(*layer_a, *layer_b) : *layer_a == *layer_b;
  if (core::kind_of(a) != core::kind_of(b) || core::kind_of(a) == core::Kind::object) return false;
  return core::to_json(a) == core::to_json(b);
}

bool same_settings(zz_place& place, zz_value* a, zz_value* b) {
  if (place.overridable.empty()) return true;
  std::shared_ptr<Instance> over_a, over_b;
  return instance_for(place, a, over_a, nullptr) == ZZ_OK &&
         instance_for(place, b, over_b, nullptr) == ZZ_OK && over_a == over_b;
}

bool same_inputs(const zz_place& place, const core::Value& a, const core::Value& b, zz_name vary) {
  for (const zz_port& port : consumed_by(*place.description)) {
    const core::Name key = core::intern(port.key);
    if (key == vary) continue;
    if (std::string_view(port.key) == "*") return false;
    if (!same(core::part(a.ref(), key), core::part(b.ref(), key), (port.flags & ZZ_ANONYMOUS) != 0))
      return false;
  }
  return true;
}

/// zz_score.same: whether the chain below `at` can find a difference between two contexts.
std::int32_t same_scores(zz_place* at, zz_value* a, zz_value* b, zz_name vary) noexcept {
  if (at == nullptr || a == nullptr || b == nullptr || !is_context(a->value) || !is_context(b->value))
    return 0;
  try {
    for (zz_place* place = at->below; place != nullptr; place = place->below) {
      if ((place->description->flags & ZZ_STAGE_DETERMINISTIC) == 0) return 0;
      if (!same_settings(*place, a, b) || !same_inputs(*place, a->value, b->value, vary)) return 0;
    }
    return 1;
  } catch (...) {
    return 0;  // the caller can do the work again
  }
}

}  // namespace

zz_status leaf_cost_model(zz_place* at, zz_value* context, void* model, zz_error* error) noexcept {
  zz_place* const below = at->below;
  // Only plugins of this build share C++ objects with the host.
  if (below == nullptr || below->below != nullptr || below->description->get_extension == nullptr ||
      below->plugin == nullptr || below->plugin->build == nullptr)
    return ZZ_OK;
  std::shared_ptr<Instance> leaf;
  if (const zz_status status = instance_for(*below, context, leaf, error); status != ZZ_OK) return status;
  StageCall call{below, nullptr};
  zz_error sink;
  zz_status status = ZZ_OK;
  {
    const Entered entered(call);
    const auto* const ability = static_cast<const zz_stage_cost_model*>(
        below->description->get_extension(leaf->stage, ZZ_STAGE_COST_MODEL));
    if (ability == nullptr) return ZZ_OK;
    status = ability->get(leaf->stage, context, model, &sink);
  }
  return status == ZZ_OK ? ZZ_OK : tell_caller(conclude(call, status, sink), error);
}

const zz_score score_table{sizeof(zz_score), bind,         score,           unbind,
                           same_scores,      score_orders, mapping_of_order};

}  // namespace zz::host
