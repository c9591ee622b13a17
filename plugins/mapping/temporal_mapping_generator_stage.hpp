#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "core/search/loma/loma.hpp"
#include "plugins/internal/search_cache.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Opens the chain below for the temporal mappings of a layer: loop orders, allocated to the memories.
class TemporalMappingGeneratorStage : public Stage,
                                      public CompatSetting,
                                      public MappingTypeSetting,
                                      public TimeLimitSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.TemporalMappingGeneratorStage",
      .name = "TemporalMappingGeneratorStage",
      .aliases = "LomaStage",
      .summary = "tries every order of a layer's temporal loops (LOMA)",
      .doc =
          R"(Splits the loops that the unrolling leaves for time into prime factors, merges the smallest ones down to
`loma_lpf_limit` factors, and visits every distinct order of them. Each order is allocated to the memories of the
operands, from the innermost memory upwards, as much as fits; orders that do not fit are passed over. The chain
below is opened for each with `temporal_mapping`. A `temporal_ordering` of the mapping file is kept: a complete one
gives just that mapping, an incomplete one limits the orders. Its entries, innermost loop first, are

| entry | means |
|---|---|
| `[OX, 7]` | the loop at this position is OX with 7 iterations |
| `[OX, all]` | OX with all iterations that the unrolling and earlier entries leave |
| `[OX, "*"]` | a loop of OX of any size |
| `["*", "*"]` | any loops; what follows counts from the outermost loop. Without it the open loops come last |

Factors that an ordering places are not merged. An ordering that asks for more of a loop than remains in time is an
error; so is one that gives every loop with its size but not all its iterations, unless `["*", "*"]` leaves room.

A layer that needs more than `time_limit` gets the best mapping found until then, and a warning says so. Only then can results
differ between machines.

Yields (evaluation, [temporal mapping, extra]) for each result from below. When the reducer above keeps only the best
few, and the chain below can score many mappings at once, only those few are evaluated in full; the result is the
same.

```yaml
  - MinimalLatencyStage
  - TemporalMappingGeneratorStage: {temporal_mapping_type: even, loma_lpf_limit: 7}
  - CostModelStage
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  int64_t loma_lpf_limit = 6;
  bool loma_show_progress_bar = true;
  static constexpr auto params = zz::params(
      mapping_type_setting,
      param<&TemporalMappingGeneratorStage::loma_lpf_limit>(
          "loma_lpf_limit",
          "the most loop factors that are permuted; 0 for no limit, with `compat` for one a loop")
          .unit("factors")
          .allowed("[0, 20]"),
      param<&TemporalMappingGeneratorStage::loma_show_progress_bar>(
          "loma_show_progress_bar", "show the progress of each single search within that of the layers"),
      time_limit_setting, compat_setting);
  static constexpr Port consumes[] = {
      zz::object("accelerator", "accelerator", "its memories hold the loops"),
      zz::object("layer", "layer", "the layer to map"),
      zz::object("spatial_mapping", "spatial_mapping", "the unrolling; what it leaves is ordered in time")};
  static constexpr Port provides[] = {zz::object("temporal_mapping", "temporal_mapping",
                                                 "one order of the temporal loops with its allocation")};

  Results run(Value ctx);

 private:
  core::Loma search(const Value& ctx) const;
  /// Scores all orders and remembers the best ones. Null where each order has to be handed down.
  std::shared_ptr<const SearchCache::Search> search_best(const Value& ctx);

  SearchCache searches_;
};

}  // namespace zz::plugins
