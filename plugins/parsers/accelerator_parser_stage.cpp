#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "core/hardware/imc/imc_array.hpp"
#include "core/input/stream/multi_core_yaml.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"

namespace zz::plugins {
namespace {

/// Reads an accelerator of one or several cores and hands it down.
class AcceleratorParserStage : public Stage, public CompatSetting, public ClockSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.AcceleratorParserStage",
      .name = "AcceleratorParserStage",
      .summary = "reads an accelerator of one or several cores from YAML files",
      .doc =
          R"(Reads the YAML file `accelerator`. The file of one core has the operational array and the memories with
their sizes, costs and ports; it is handed down as the object `accelerator`, and as a `multi_core_accelerator` of
one core. The file of several cores has `cores`, the files of its cores, and says how they are joined; it is
handed down as `multi_core_accelerator` alone. A stage above may replace the parameter by the path of another
file for each of its openings. Results from below pass unchanged.

Beside one core there may be a vector unit, on which softmax, normalisations, activations and other operators on
elements run. Its file `vector_unit` is written as that of a core: lanes as the dimensions of the array, the energy of
an operation, and memories up to the off-chip one. Its `dataflows` name the loops that the lanes prefer.

Costs may be left open, as `auto`: ComponentCostStage below fills them.

The clock of the chip is the parameter `clock_period` or `clock`, else that of its file, else with in-memory computing
that of its model. No cycle depends on it; seconds, frames and watts of results follow from it.

A file of several cores is written in one of two ways, as in Stream 0.0.8 or as in later versions:

```yaml
name: two_and_memory
cores: [a.yaml, b.yaml, dram.yaml]
graph:
  type: 2d_mesh       # or bus
  nb_rows: 1
  nb_cols: 2
  bandwidth: 64
  unit_energy_cost: 0.5
  offchip_core_id: 2
```

```yaml
name: two_and_memory
cores: {0: a.yaml, 1: b.yaml}
offchip_core: dram.yaml
core_connectivity: ["0, 1"]
bandwidth: 64
unit_energy_cost: 0.5
```

The position in the list is the id of the core. `graph` may also name a `pooling_core_id` and a `simd_core_id`. On a
bus the simd core uses the bus. In a mesh all others reach it through its own ports: one link into it and one out of
it, as wide as the narrowest of its topmost memories, or one link for both directions where one port is for both.
`simd_bandwidth` and `simd_unit_energy_cost` (0 if absent) of `graph` say otherwise. With `compat: stream-0.0.8` these
links take no time and no energy, unless one of the two keys is there.

Items of `core_connectivity` name two cores, which get a link each way, or more, which share a bus; they may be
maps with `cores`, `bandwidth`, `unit_energy_cost` and `type: bus` of their own. In both ways
`core_memory_sharing`, a list of lists of ids, names cores whose topmost memories of the same name are one memory;
they get no link. Bandwidths are in bits per cycle, `unit_energy_cost` in pJ per cycle of a transfer and link.

A core file with the sizes 0 is a memory without units. Files of later versions may say so, with `type: memory` or
`type: compute`. Core files are looked for beside the accelerator file, in the folder `cores` there, and in folders
called `hardware` or `cores` near it.

```yaml
parameters: {accelerator: tpu_like.yaml}
stages: [WorkloadParserStage, AcceleratorParserStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string accelerator;
  std::string vector_unit;
  static constexpr auto params =
      zz::params(param<&AcceleratorParserStage::accelerator>("accelerator", "the accelerator file (YAML)")
                     .required()
                     .input_path()
                     .alias("accelerator_path"),
                 param<&AcceleratorParserStage::vector_unit>(
                     "vector_unit", "the accelerator file of the vector unit beside one core (YAML)")
                     .input_path(),
                 clock_period_setting, clock_setting, compat_setting);
  static constexpr Port provides[] = {
      zz::object(
          "accelerator", "accelerator",
          "the array of arithmetic units and the memories around it; absent when there are several cores")
          .optional(),
      zz::object("vector_unit", "accelerator", "the vector unit, if there is one").optional(),
      zz::object("multi_core_accelerator", "multi_core_accelerator", "the cores and how they are joined")};

  void prepare() const { period(); }
  Results run(Value ctx);

 private:
  void tell_of_peak(const core::Accelerator& accelerator) const;
  void check_unit_clock(const core::Accelerator& core, const core::Accelerator& unit) const;
};

/// Throws where a vector unit has a clock of its own: its cycles count as those of the core.
void AcceleratorParserStage::check_unit_clock(const core::Accelerator& core,
                                              const core::Accelerator& unit) const {
  if (unit.clock_period == 0 || unit.clock_period == core.clock_period) return;
  throw Error(
      ZZ_E_INVALID,
      fmt::format("the vector unit '{}' has a clock of {}, and '{}' {}; both count in cycles of one "
                  "clock: give the parameter `clock_period`",
                  unit.name, core::clock_words(unit.clock_period), core.name,
                  core.clock_period > 0 ? "one of " + core::clock_words(core.clock_period) : "none"));
}

/// The peak performance of an in-memory-computing array, in words.
std::string peak_text(const core::Accelerator& accelerator) {
  const core::ImcArray array(accelerator);
  const core::ImcPeak peak = array.peak();
  return fmt::format(
      "{}: {} in-memory-computing array, clock period {:.6g} ns, {:.6g} mm2; at most {:.6g} TOP/s, {:.6g} "
      "TOP/s/W, {:.6g} TOP/s/mm2",
      accelerator.name, accelerator.array.imc->imc_type, array.clock().total(), array.area().total(),
      peak.tera_per_second, peak.tera_per_watt, peak.tera_per_area);
}

/// Also where the clock that is told is faster than the array can be.
void AcceleratorParserStage::tell_of_peak(const core::Accelerator& accelerator) const {
  log(Level::info, peak_text(accelerator));
  const double own = core::ImcArray(accelerator).clock().total();
  if (accelerator.clock_period > 0 && accelerator.clock_period < own)
    log(Level::warning, fmt::format("{}: a clock of {} is told, but by the model the array takes {:.4g} ns",
                                    accelerator.name, core::clock_words(accelerator.clock_period), own));
}

Results AcceleratorParserStage::run(Value ctx) {
  core::Diagnostics diagnostics;
  auto description = core::read_one_or_several_cores(accelerator, diagnostics, files_of_run(), rules());
  Value below;
  if (auto* several = std::get_if<core::MultiCoreAccelerator>(&description)) {
    if (!vector_unit.empty())
      throw Error(
          ZZ_E_INVALID,
          fmt::format("'vector_unit' is for an accelerator of one core, and '{}' has several: let the "
                      "mapping file name the core for 'vector' layers",
                      accelerator));
    core::set_clock(*several, chosen_clock(*this, core::clock_of(*several), several->name));
    below = with(ctx, {{"multi_core_accelerator"_n, wrap(std::move(*several))}});
  } else {
    core::Accelerator read = std::get<core::Accelerator>(std::move(description));
    read.clock_period = chosen_clock(*this, read.clock_period, read.name);
    const auto one = std::make_shared<const core::Accelerator>(std::move(read));
    if (one->array.imc) tell_of_peak(*one);
    below = with(
        ctx, {{"accelerator"_n, wrap(one)}, {"multi_core_accelerator"_n, wrap(core::single_core(one))}});
    if (!vector_unit.empty()) {
      core::Accelerator unit = core::read_core(vector_unit, diagnostics, files_of_run(), rules());
      if (!period()) check_unit_clock(*one, unit);
      unit.clock_period = one->clock_period;
      below = with(below, {{"vector_unit"_n, wrap(std::move(unit))}});
    }
  }
  log_warnings(*this, diagnostics);
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace

ZZ_PLUGIN_STAGE(AcceleratorParserStage)

}  // namespace zz::plugins
