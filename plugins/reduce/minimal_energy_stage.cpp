#include "plugins/reduce/minimal_energy_stage.hpp"

#include <vector>

namespace zz::plugins {
namespace {

std::vector<Name> criteria() { return {"energy_total"_n, "latency_total2"_n}; }

}  // namespace

Result MinimalEnergyStage::run(const Value& ctx) {
  return best_result(*this, ctx, criteria(), reduce_minimal_keep_others);
}

zz_demand MinimalEnergyStage::demand() const { return demand_for(criteria(), reduce_minimal_keep_others); }

}  // namespace zz::plugins
