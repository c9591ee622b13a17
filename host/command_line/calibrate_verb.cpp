#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/base/json_text.hpp"
#include "host/base/cancellation.hpp"
#include "host/base/exit_code.hpp"
#include "host/base/run.hpp"
#include "host/base/standard_output.hpp"
#include "host/boundary/parallel.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/library/calibration_run.hpp"
#include "host/report/problems.hpp"

namespace zz::host {
namespace {

struct CalibrateOptions {
  std::string keys;
  CalibrationRequest request;
};

int run_calibrate(const Options& options) {
  const auto& request = options.own<CalibrateOptions>().request;
  Run& run = current_run();
  run.threads = threads_for(options.threads);
  install_interrupt_handler();
  core::Diagnostics diagnostics;
  try {
    const CalibrationReport report = calibrate(request, diagnostics, run);
    tell(diagnostics);
    if (options.format == "json")
      fmt::print(standard_output(), "{}\n", core::json_text(calibration_as_json(report), {.indent = 2}));
    else
      fmt::print(standard_output(), "{}", calibration_as_table(report));
  } catch (const core::InputError& error) {
    tell(diagnostics);
    tell(error);
    return static_cast<int>(ExitCode::usage);
  } catch (const core::Interrupted&) {
    tell_error("interrupted", ExitCode::interrupted);
    return static_cast<int>(ExitCode::interrupted);
  } catch (const std::runtime_error& error) {
    tell_error(error.what(), ExitCode::usage);
    return static_cast<int>(ExitCode::usage);
  }
  return static_cast<int>(ExitCode::done);
}

void declare_calibrate(OptionList& list, Options& given) {
  auto& own = given.own<CalibrateOptions>();
  list.add(
      "keys", "KEY,...", own.keys,
      "constants to fit, as operational_array.efficiency,memories.dram.efficiency; default: the efficiency "
      "of the array and of the topmost memories' ports");
  list.add("workload", "FILE", own.request.workload,
           "the network whose layers the rows name in a column layer; without it rows have sizes",
           files({"onnx", "yaml", "yml"}));
  list.add("mapping", "FILE", own.request.mapping,
           "what is prescribed for each layer; without it the mapping of least latency counts",
           pipeline_files());
  list.add("precision", "BITS", own.request.precision,
           "bits of weights, inputs and results, as 8 or 16; default: those of the accelerator's units");
  list.add("output", "FILE", own.request.output,
           "the accelerator file with the constants; default: the name of ACCELERATOR with _calibrated "
           "behind it, "
           "in this folder");
  list.add("jobs,j", "N", given.threads, "threads to use; 0: all there are");
}

void check_calibrate(Options& given) {
  auto& own = given.own<CalibrateOptions>();
  std::istringstream keys(own.keys);
  for (std::string key; std::getline(keys, key, ',');) {
    if (key.empty()) throw UsageError("--keys has a comma with nothing beside it");
    own.request.keys.push_back(key);
  }
  own.request.accelerator = given.operands[0];
  own.request.measurements = given.operands[1];
  if (!own.request.output.empty()) return;
  std::string name = given.operands[0].substr(given.operands[0].find_last_of('/') + 1);
  name = name.substr(0, name.find_last_of('.'));
  own.request.output = name + "_calibrated.yaml";
}

}  // namespace

const Verb calibrate_verb(
    "calibrate", "ACCELERATOR MEASUREMENTS",
    "read constants of an accelerator off measured layers, and say how far it is off on others",
    "table|json", 2, 2, run_calibrate, declare_calibrate, check_calibrate, pipeline_files);

}  // namespace zz::host
