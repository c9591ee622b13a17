#pragma once
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "host/base/run.hpp"
#include "host/report/calibration_report.hpp"

namespace zz::host {

/// A user's question for constants.
struct CalibrationRequest {
  std::string accelerator, measurements;  ///< files
  std::vector<std::string> keys = {};     ///< core::find_fitted_keys()
  std::string workload = {};              ///< file of the layers that rows name; "": rows have sizes
  std::string precision = {};             ///< core::precision_choice()
  std::string mapping = {};               ///< file of what is prescribed for layers; "": nothing is
  std::string output = {};                ///< the accelerator file with the constants; "": none is written
};

/// Reads the files, fits the constants on the threads of the run, and writes the accelerator file. Doubts
/// are warnings in `diagnostics`. Throws core::InputError with all that is wrong, and std::runtime_error
/// where the file cannot be written.
CalibrationReport calibrate(const CalibrationRequest& request, core::Diagnostics& diagnostics, Run& run);

}  // namespace zz::host
