#include "tools/kernel_benchmark/every_order.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/cost/boundary_table.hpp"
#include "core/search/loma/loma.hpp"

namespace zz::tools {

[[gnu::noinline]] EveryOrder evaluate_every_order(const KernelCase& entry, int factor_limit) {
  const core::CostModel model(entry.accelerator, entry.layer, entry.fractional, entry.integral, {});
  core::Loma search(entry.layer, entry.accelerator, entry.fractional, {.factor_limit = factor_limit});
  constexpr double highest = std::numeric_limits<double>::infinity();
  EveryOrder found{0, {highest, highest, highest}};
  core::CompactMappings batch;
  std::optional<core::BoundaryTable> table;
  for (search.next(batch, 256); !batch.rows.empty(); search.next(batch, 256)) {
    if (batch.lattice && !table) table.emplace(model, batch.lattice);
    for (const core::CompactMapping& row : batch.rows) {
      const core::Score score = table ? table->evaluate(row) : model.score(row);
      found.least.energy_total = std::min(found.least.energy_total, score.energy_total);
      found.least.latency_total2 = std::min(found.least.latency_total2, score.latency_total2);
      found.least.latency_total0 = std::min(found.least.latency_total0, score.latency_total0);
    }
    found.evaluations += static_cast<std::int64_t>(batch.rows.size());
  }
  return found;
}

}  // namespace zz::tools
