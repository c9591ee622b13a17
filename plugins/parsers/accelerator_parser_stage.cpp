#include "plugins/parsers/accelerator_parser_stage.hpp"

#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "core/hardware/imc/imc_array.hpp"
#include "core/input/stream/multi_core_yaml.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/warnings.hpp"

namespace zz::plugins {

namespace {

/// What an in-memory-computing array can do at most.
std::string peak_text(const core::Accelerator& accelerator) {
  const core::ImcArray array(accelerator);
  const core::ImcPeak peak = array.peak();
  return fmt::format(
      "{}: {} in-memory-computing array, clock period {:.6g} ns, {:.6g} mm2; at most {:.6g} TOP/s, {:.6g} "
      "TOP/s/W, {:.6g} TOP/s/mm2",
      accelerator.name, accelerator.array.imc->imc_type, array.clock().total(), array.area().total(),
      peak.tera_per_second, peak.tera_per_watt, peak.tera_per_area);
}

}  // namespace

Results AcceleratorParserStage::run(Value ctx) {
  core::Diagnostics diagnostics;
  auto description = core::read_one_or_several_cores(accelerator, diagnostics, files_of_run());
  Value below;
  if (auto* several = std::get_if<core::MultiCoreAccelerator>(&description)) {
    if (!vector_unit.empty())
      throw Error(
          ZZ_E_INVALID,
          fmt::format("'vector_unit' is for an accelerator of one core, and '{}' has several: let the "
                      "mapping file name the core for 'vector' layers",
                      accelerator));
    below = with(ctx, {{"multi_core_accelerator"_n, wrap(std::move(*several))}});
  } else {
    const auto one =
        std::make_shared<const core::Accelerator>(std::get<core::Accelerator>(std::move(description)));
    if (one->array.imc) log(Level::info, peak_text(*one));
    below = with(
        ctx, {{"accelerator"_n, wrap(one)}, {"multi_core_accelerator"_n, wrap(core::single_core(one))}});
    if (!vector_unit.empty())
      below =
          with(below, {{"vector_unit"_n, wrap(core::read_core(vector_unit, diagnostics, files_of_run()))}});
  }
  log_warnings(*this, diagnostics);
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace zz::plugins
