#include "host/library/calibration_run.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/base/new_file.hpp"
#include "core/calibration/calibrated_file.hpp"
#include "core/input/onnx/mapping_use.hpp"
#include "core/input/onnx/workload.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/input/zigzag/number_type_yaml.hpp"
#include "core/input/zigzag/workload_yaml.hpp"
#include "host/boundary/parallel.hpp"

namespace zz::host {
namespace {

/// No accelerator file that was read before is larger.
constexpr std::uintmax_t most_text_bytes = std::uintmax_t{1} << 26;

std::string text_of(const std::string& path, const core::Files& files) {
  const std::string* const in_memory = files.in_memory(path);
  return in_memory != nullptr ? *in_memory : files.read(path, most_text_bytes, "a YAML file");
}

core::MappingFile read_prescription(const std::string& path, core::Diagnostics& diagnostics,
                                    const core::Files& files) {
  if (!path.empty()) return core::read_mapping(path, diagnostics, files);
  return core::read_mapping_text("- {name: default, memory_operand_links: {O: O, W: I2, I: I1}}", "default",
                                 diagnostics);
}

core::Workload read_network(const std::string& path, const core::MappingFile& mapping,
                            core::Diagnostics& diagnostics, const core::Files& files) {
  if (path.ends_with(".onnx")) return core::read_onnx(path, mapping, {}, diagnostics, {}, files);
  return core::read_workload(path, mapping, {}, diagnostics, files);
}

/// The layers of the rows, so that entries for none of them can be told.
core::Workload as_workload(const std::string& name, const std::vector<core::MeasuredLayer>& rows) {
  core::Workload made;
  made.name = name;
  for (const core::MeasuredLayer& row : rows)
    made.layers.push_back(std::make_shared<const core::Layer>(row.layer));
  return made;
}

}  // namespace

CalibrationReport calibrate(const CalibrationRequest& request, core::Diagnostics& diagnostics, Run& run) {
  const core::Files& files = run.files;
  CalibrationReport report{request.accelerator, request.measurements, "", {}};
  const core::Accelerator accelerator = core::read_accelerator(request.accelerator, diagnostics, files);
  const std::string text = text_of(request.accelerator, files);
  core::CalibrationOptions options;
  options.keys = request.keys;
  options.threads = {run.threads, [&](std::size_t n, const std::function<void(std::size_t)>& work) {
                       for_each_on_threads(run, static_cast<std::uint32_t>(n),
                                           [&](std::uint32_t index) { work(index); });
                     }};
  if (!request.output.empty()) {
    core::check_new_file(request.output);
    // A file without a place for a constant is told before the search.
    std::vector<core::FittedConstant> somewhere;
    for (const core::FittedKey& key : core::find_fitted_keys(accelerator, request.keys))
      somewhere.push_back({key, key.value(accelerator), 0.5});
    core::with_constants(text, request.accelerator, somewhere);
  }
  std::optional<core::Workload> network;
  const core::MappingFile mapping = read_prescription(request.mapping, diagnostics, files);
  if (!request.workload.empty()) network = read_network(request.workload, mapping, diagnostics, files);
  const std::vector<core::MeasuredLayer> rows =
      core::read_measured_layers(request.measurements, accelerator,
                                 {.network = network ? &*network : nullptr,
                                  .precision = core::read_precision_choice(request.precision),
                                  .mapping = &mapping},
                                 diagnostics, files);
  if (!request.mapping.empty())
    core::warn_of_unused_mapping(mapping, {request.mapping, 0, 0},
                                 network ? *network : as_workload(request.measurements, rows), diagnostics);
  report.made = core::calibrate(accelerator, rows, options);
  for (const core::Diagnostic& warning : report.made.warnings) diagnostics.add(warning);
  if (!request.output.empty()) {
    core::NewFile::write_whole(request.output,
                               core::with_constants(text, request.accelerator, report.made.constants));
    report.written = request.output;
  }
  return report;
}

}  // namespace zz::host
