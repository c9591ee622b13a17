#include "plugins/reduce/sum_stage.hpp"

#include <vector>

#include "plugins/reduce/pairs.hpp"

namespace zz::plugins {
namespace {

/// What stands for a network without costs: it counts for the total, which is 0, but is no part of it.
bool is_of_no_layer(const Result& result) {
  return result.extra.look().is_null() && result.evaluation["layer"_n].is_null() &&
         result.evaluation["layer_ids"_n].size() == 0;
}

}  // namespace

Result SumStage::run(const Value& ctx) {
  std::vector<Value> evaluations;
  std::vector<Value> pairs;
  for (const Result& result : substage(ctx)) {
    evaluations.push_back(result.evaluation);
    if (!is_of_no_layer(result)) pairs.push_back(pair_of(result));
  }
  if (evaluations.empty()) throw Error(ZZ_E_NO_RESULT, nothing_found(ctx));
  return Result(sum(evaluations), make_list(pairs));
}

}  // namespace zz::plugins
