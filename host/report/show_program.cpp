#include "host/report/show_program.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/output/program/program_text.hpp"
#include "host/base/standard_output.hpp"
#include "host/report/result_rows.hpp"

namespace zz::host {
namespace {

using core::Evaluation, core::LayerProgram;

struct ProgramFormat {
  const char* name;
  std::string (*text)(const LayerProgram& program, const Evaluation& evaluation);
};

constexpr ProgramFormat formats[] = {
    {"mlir", [](const LayerProgram& program, const Evaluation&) { return core::mlir_text(program); }},
    {"transform",
     [](const LayerProgram& program, const Evaluation&) { return core::transform_text(program); }},
    {"timeloop", core::timeloop_text},
    {"tiles",
     [](const LayerProgram& program, const Evaluation& evaluation) {
       return core::tile_levels_json(program, *evaluation.layer);
     }},
};

const ProgramFormat* find_format(const std::string& name) {
  const auto* const found = std::find_if(std::begin(formats), std::end(formats),
                                         [&](const ProgramFormat& one) { return one.name == name; });
  return found == std::end(formats) ? nullptr : found;
}

/// The evaluation of the one layer that is selected.
core::Evaluation selected_layer(const Selection& selection, const std::string& format) {
  constexpr std::size_t most_named = 8;
  SelectedResults results(selection, core::ArchiveReader::As::objects);
  std::vector<std::string> names, found;
  std::string first;  // that of the layers which are found, as words of the command line
  core::Evaluation chosen;
  std::size_t count = 0;
  while (results.next()) {
    for (const ResultRow& row : rows_of(results.evaluation(), results.extra()).layers) {
      names.push_back(row.layer);
      const core::Evaluation* const evaluation = row.evaluation();
      if (evaluation == nullptr || (!selection.layer.empty() && row.layer != selection.layer)) continue;
      if (count == 0) first = fmt::format("{} {}", results.number(), row.layer);
      if (++count <= most_named)
        found.push_back(fmt::format("{} of result {}", row.layer, results.number()));
      chosen = *evaluation;
    }
  }
  if (count == 0 && selection.layer.empty()) fail(selection, "it has no results");
  if (count == 0)
    fail(selection, fmt::format("there is no layer '{}'", selection.layer),
         core::suggestion(selection.layer, names));
  if (count > 1)
    fail(selection,
         fmt::format("--format={} prints one layer, and there are {}: {}{}", format, count,
                     fmt::join(found, ", "), count > most_named ? ", ..." : ""),
         fmt::format("name a result and a layer, as in: zz-host show {} {} --format={}", selection.file,
                     first, format));
  return chosen;
}

}  // namespace

bool is_program_format(const std::string& format) { return find_format(format) != nullptr; }

void show_program(const Selection& selection, const std::string& format) {
  const core::Evaluation evaluation = selected_layer(selection, format);
  try {
    fmt::print(standard_output(), "{}",
               find_format(format)->text(core::layer_program(evaluation), evaluation));
  } catch (const core::InputError& error) {
    fail(selection, error.diagnostics().front().message, error.diagnostics().front().hint);
  }
}

}  // namespace zz::host
