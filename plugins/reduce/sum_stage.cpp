#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plugins/internal/plugin.hpp"
#include "plugins/reduce/pairs.hpp"

namespace zz::plugins {
namespace {

/// Adds up everything that comes from below.
class SumStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.SumStage",
      .name = "SumStage",
      .summary = "adds up all results from below",
      .doc =
          R"(Runs the chain below to its end and yields one result: the sum of all evaluations, added in the order in
which they came, starting from zero. Energies, cycles, breakdowns and accesses are added, utilisations follow from
the sums. The extra is the list of all [evaluation, extra] that were added. Directly above WorkloadStage the sum is
that of the network. Two results of one layer are an error: they are mappings to choose from, and a reducer below keeps
one.

```yaml
stages: [..., SimpleSaveStage, SumStage, WorkloadStage, CompleteSaveStage, ...]
```)",
      .flags = ZZ_STAGE_REDUCES | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  Value makes() const { return make(nullptr, {{"makes", "sum"}}); }
  Result run(const Value& ctx);
};

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

}  // namespace

ZZ_PLUGIN_STAGE(SumStage)

}  // namespace zz::plugins
