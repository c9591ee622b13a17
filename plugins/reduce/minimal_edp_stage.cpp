#include "plugins/reduce/minimal_edp_stage.hpp"

#include <vector>

namespace zz::plugins {
namespace {

std::vector<Name> criteria() { return {"edp"_n}; }

}  // namespace

Result MinimalEDPStage::run(const Value& ctx) {
  return best_result(*this, ctx, criteria(), reduce_minimal_keep_others);
}

zz_demand MinimalEDPStage::demand() const { return demand_for(criteria(), reduce_minimal_keep_others); }

}  // namespace zz::plugins
