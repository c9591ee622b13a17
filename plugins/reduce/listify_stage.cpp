#include "plugins/reduce/listify_stage.hpp"

#include <vector>

#include "plugins/reduce/pairs.hpp"

namespace zz::plugins {

Result ListifyStage::run(const Value& ctx) {
  std::vector<Value> pairs;
  for (const Result& result : substage(ctx)) pairs.push_back(pair_of(result));
  return Result(make_list(pairs));
}

}  // namespace zz::plugins
