#include "plugins/parsers/accelerator_parser_stage.hpp"

#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "core/hardware/imc/imc_array.hpp"
#include "core/input/stream/multi_core_yaml.hpp"
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

void AcceleratorParserStage::prepare() {
  files_.begin([this] {
    Files files;
    auto description = core::read_one_or_several_cores(accelerator, files.diagnostics);
    if (auto* several = std::get_if<core::MultiCoreAccelerator>(&description)) {
      files.several = std::make_shared<const core::MultiCoreAccelerator>(std::move(*several));
    } else {
      files.one =
          std::make_shared<const core::Accelerator>(std::get<core::Accelerator>(std::move(description)));
      files.several = std::make_shared<const core::MultiCoreAccelerator>(core::single_core(files.one));
    }
    return files;
  });
}

Results AcceleratorParserStage::run(Value ctx) {
  const Files files = files_.get();
  if (files.one && files.one->array.imc) log(Level::info, peak_text(*files.one));
  const Value several = wrap(files.several);
  const Value below =
      files.one ? with(ctx, {{"accelerator"_n, wrap(files.one)}, {"multi_core_accelerator"_n, several}})
                : with(ctx, {{"multi_core_accelerator"_n, several}});
  log_warnings(*this, files.diagnostics);
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace zz::plugins
