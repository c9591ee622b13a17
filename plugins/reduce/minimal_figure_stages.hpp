#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "plugins/reduce/best_result.hpp"

namespace zz::plugins {

/// String literals one after the other, with a terminating zero.
template <std::size_t... sizes>
constexpr auto joined(const char (&... texts)[sizes]) {
  std::array<char, (sizes + ...) - sizeof...(sizes) + 1> all{};
  std::size_t end = 0;
  const auto append = [&](const char* text, std::size_t length) {
    for (std::size_t i = 0; i < length; ++i) all[end++] = text[i];
  };
  (append(texts, sizes - 1), ...);
  return all;
}

/// Keeps the result with the lowest figure. `Kept` gives the stage's name, its summary, the figure's name
/// in words, the rule for ties, and the criteria.
template <class Kept>
class MinimalFigureStage : public BestResultStage {
  static constexpr auto id = joined("org.zz.", Kept::name);
  static constexpr auto summary = joined("keeps the result with the lowest ", Kept::figure);
  static constexpr auto doc = joined(
      "Runs the chain below to its end and yields one result: the evaluation with the lowest ",
      Kept::figure, ".\n", Kept::ties, R"(
With `reduce_minimal_keep_others` the extra is the list of all [evaluation, extra] that came up, the best one
among them; without it, an empty list. When nothing comes up there is no result, and the run fails naming the layer.

The stage tells the chain below what it keeps, so a mapper may leave out what provably cannot win.

```yaml
stages: [..., WorkloadStage, )",
      Kept::name, ", SpatialMappingGeneratorStage, ", Kept::name, ", LomaStage, CostModelStage]\n```");

 public:
  static constexpr Description description{
      .id = id.data(),
      .name = Kept::name,
      .summary = summary.data(),
      .doc = doc.data(),
      .flags = ZZ_STAGE_REDUCES | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  static constexpr auto params = zz::params(keep_others);

  Result run(const Value& ctx) { return best_result(ctx, Kept::criteria()); }
  zz_demand demand() const { return demand_for(Kept::criteria()); }
};

struct LowestEnergy {
  static constexpr char name[] = "MinimalEnergyStage";
  static constexpr char figure[] = "energy";
  static constexpr char ties[] =
      "Among equal energies the lower latency counts, among equals in both the first that came.";
  static std::vector<Name> criteria() { return {"energy_total"_n, "latency_total2"_n}; }
};

struct LowestLatency {
  static constexpr char name[] = "MinimalLatencyStage";
  static constexpr char figure[] = "latency";
  static constexpr char ties[] =
      "Among equal latencies the lower energy counts, among equals in both the first that came.";
  static std::vector<Name> criteria() { return {"latency_total2"_n, "energy_total"_n}; }
};

struct LowestEDP {
  static constexpr char name[] = "MinimalEDPStage";
  static constexpr char figure[] = "product of energy and latency";
  static constexpr char ties[] = "Among equal products the first that came counts.";
  static std::vector<Name> criteria() { return {"edp"_n}; }
};

using MinimalEnergyStage = MinimalFigureStage<LowestEnergy>;
using MinimalLatencyStage = MinimalFigureStage<LowestLatency>;
using MinimalEDPStage = MinimalFigureStage<LowestEDP>;

}  // namespace zz::plugins
