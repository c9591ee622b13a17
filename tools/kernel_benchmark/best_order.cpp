#include "tools/kernel_benchmark/best_order.hpp"

#include "core/search/loma/loma.hpp"

namespace zz::tools {

std::int64_t find_best_order(const KernelCase& entry, int factor_limit,
                             const std::vector<core::Objective>& metrics) {
  const core::CostModel model(entry.accelerator, entry.layer, entry.fractional, entry.integral, {});
  core::Loma search(entry.layer, entry.accelerator, entry.fractional, {.factor_limit = factor_limit});
  core::best_loop_orders(search, model, metrics, 1, [] { return true; });
  return search.orders_visited();
}

}  // namespace zz::tools
