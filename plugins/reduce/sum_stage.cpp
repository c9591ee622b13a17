#include "plugins/reduce/sum_stage.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plugins/reduce/pairs.hpp"

namespace zz::plugins {
namespace {

/// True for the result that stands for a network without costs. Its total of 0 counts, but no layer is part
/// of it.
bool is_of_no_layer(const Result& result) {
  return result.extra.look().is_null() && result.evaluation["layer"_n].is_null() &&
         result.evaluation["layer_ids"_n].size() == 0;
}

/// Refuses a second result of a layer: mappings of one layer are alternatives, and their sum means nothing.
class LayersSeen {
 public:
  void add(const Result& result) {
    const Ref layer = result.evaluation["layer"_n];
    if (layer.is_null()) return;
    const Seen seen{layer["id"_n].i64(), std::string(layer["name"_n].str())};
    if (seen_.insert(seen).second) return;
    throw Error(ZZ_E_INVALID,
                "a second result of layer '" + seen.second +
                    "' comes to be added; write a reducer such as MinimalLatencyStage below WorkloadStage, "
                    "which keeps one mapping of each layer");
  }

 private:
  using Seen = std::pair<int64_t, std::string>;
  std::set<Seen> seen_;
};

}  // namespace

Result SumStage::run(const Value& ctx) {
  std::vector<Value> evaluations;
  std::vector<Value> pairs;
  LayersSeen layers;
  for (const Result& result : substage(ctx)) {
    layers.add(result);
    evaluations.push_back(result.evaluation);
    if (!is_of_no_layer(result)) pairs.push_back(pair_of(result));
  }
  if (evaluations.empty()) throw Error(ZZ_E_NO_RESULT, nothing_found(ctx));
  return Result(sum(evaluations), make_list(pairs));
}

}  // namespace zz::plugins
