#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/calibration/calibration.hpp"

namespace zz::host {

/// A calibration, and what its rows and files are called.
struct CalibrationReport {
  std::string accelerator, measurements;  ///< as the user names them
  std::string written;                    ///< the accelerator file with the constants; "": none
  core::Calibration made;
};

/// Constants, and errors by kind of layer.
std::string calibration_as_table(const CalibrationReport& report);

/// {accelerator, measurements, output, constants: [{key, before, after, matters}], rows: {fitted, other},
/// fitted_error: {before, after}, errors: [{kind, rows, before, after, roofline, calibrated_roofline}],
/// calibrated_roofline: {peak, bandwidth}}; errors in percent.
nlohmann::ordered_json calibration_as_json(const CalibrationReport& report);

}  // namespace zz::host
