#pragma once
#include <algorithm>
#include <string>
#include <utility>

#include "core/cost/evaluation.hpp"
#include "plugins/internal/objects.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// For searches that try a part of what there is: every result says how large a part.
struct TriedShare {
  const char* tried;
  const char* possible;

  /// The evaluation with both as metrics; unchanged when it is of another model than zz's.
  Value told(const Value& evaluation, double number_tried, double number_possible) const {
    const auto given = object_or_null<core::Evaluation>(evaluation);
    if (!given) return evaluation;
    core::Evaluation extended = *given;
    // Some may be tried twice: 4, 2 and 2, 4 are both the one order of the prime factors of 8.
    extended.metrics.emplace_back(tried, std::min(number_tried, number_possible));
    extended.metrics.emplace_back(possible, number_possible);
    return wrap(std::move(extended));
  }
};

inline constexpr TriedShare unrollings_share{"unrollings_tried", "unrollings_possible"};
inline constexpr TriedShare orders_share{"orders_tried", "orders_possible"};

inline constexpr Metric unrollings_share_metrics[] = {
    zz::metric(unrollings_share.tried, "unrollings of the layer that were tried").not_summed(),
    zz::metric(unrollings_share.possible, "unrollings that the array dimensions left open admit")
        .not_summed()};
inline constexpr Metric orders_share_metrics[] = {
    zz::metric(orders_share.tried, "loop orders that were tried with this unrolling").not_summed(),
    zz::metric(orders_share.possible, "orders of the prime factors of the temporal loops").not_summed()};

}  // namespace zz::plugins
