#include "plugins/reduce/minimal_latency_stage.hpp"

#include <vector>

namespace zz::plugins {
namespace {

std::vector<Name> criteria() { return {"latency_total2"_n, "energy_total"_n}; }

}  // namespace

Result MinimalLatencyStage::run(const Value& ctx) {
  return best_result(*this, ctx, criteria(), reduce_minimal_keep_others);
}

zz_demand MinimalLatencyStage::demand() const { return demand_for(criteria(), reduce_minimal_keep_others); }

}  // namespace zz::plugins
