#include "plugins/reduce/sum_stage.hpp"

#include <vector>

#include "plugins/reduce/pairs.hpp"

namespace zz::plugins {

Result SumStage::run(const Value& ctx) {
  std::vector<Value> evaluations;
  std::vector<Value> pairs;
  for (const Result& result : substage(ctx)) {
    evaluations.push_back(result.evaluation);
    pairs.push_back(pair_of(result));
  }
  if (evaluations.empty()) throw Error(ZZ_E_NO_RESULT, nothing_found(ctx));
  return Result(sum(evaluations), make_list(pairs));
}

}  // namespace zz::plugins
