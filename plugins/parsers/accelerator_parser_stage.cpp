#include "plugins/parsers/accelerator_parser_stage.hpp"

#include "core/readers/accelerator_yaml.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/warnings.hpp"

namespace zz::plugins {

Results AcceleratorParserStage::run(Value ctx) {
  core::Diagnostics diagnostics;
  const Value hardware = wrap(core::read_accelerator(accelerator, diagnostics));
  log_warnings(*this, diagnostics);
  const Value below = with(ctx, {{"accelerator"_n, hardware}});
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace zz::plugins
