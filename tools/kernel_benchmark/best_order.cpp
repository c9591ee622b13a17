#include "tools/kernel_benchmark/best_order.hpp"

#include "core/cost/cost_model.hpp"
#include "core/search/loma/loma.hpp"

namespace zz::tools {

namespace {

core::Loma search_of(const KernelCase& entry, int factor_limit) {
  return {entry.layer, entry.accelerator, entry.fractional, {.factor_limit = factor_limit}};
}

}  // namespace

bool has_bounds(const KernelCase& entry, int factor_limit) {
  const auto question = search_of(entry, factor_limit).best_orders({core::OrderMetric::edp}, 1);
  return question && question->bounded;
}

std::int64_t find_best_order(const KernelCase& entry, int factor_limit,
                             const std::vector<core::OrderMetric>& metrics) {
  const core::CostModel model(entry.accelerator, entry.layer, entry.fractional, entry.integral, {});
  const core::Loma search = search_of(entry, factor_limit);
  const auto question = search.best_orders(metrics, 1);
  model.search(*question);
  return search.orders_total();
}

}  // namespace zz::tools
