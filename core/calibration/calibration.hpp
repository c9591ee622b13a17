#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/calibration/fitted_keys.hpp"
#include "core/calibration/measured_layers.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/search/methods/parallel_for.hpp"

namespace zz::core {

/// A constant, and what became of it.
struct FittedConstant {
  FittedKey key;
  double before = 0, after = 0;
  /// The error of the fitted half rises by no more than Calibration::least_gain without it: it keeps the
  /// value that it had.
  bool matters = true;
};

/// Mean absolute errors in percent of what was measured, of the rows that were not fitted.
struct CalibrationErrors {
  std::string kind;      ///< of layers; "": all
  std::size_t rows = 0;  ///< of the other half; where it is 0 the figures say nothing
  double before = 0, after = 0;
  double roofline = 0;             ///< of two numbers of the machine (Roofline)
  double calibrated_roofline = 0;  ///< of the same two, each with a factor that was fitted
};

struct Calibration {
  static constexpr double least_gain = 0.05;  ///< percent

  Accelerator accelerator;  ///< with the fitted constants
  std::vector<FittedConstant> constants;
  std::vector<CalibrationErrors> errors;  ///< all, then by kind in the order of the rows
  std::size_t fitted_rows = 0, other_rows = 0;
  /// Different layers of the rows, and those of which a limit ended the proof that no mapping is faster.
  std::size_t layers = 0, unproven_layers = 0;
  double fitted_before = 0, fitted_after = 0;  ///< errors of the fitted half
  /// Prescriptions of a mapping file that are not done so: told of the first layer, with the number of all.
  std::vector<Diagnostic> warnings;
  /// Shares of the peak and of the bandwidth of the calibrated roofline.
  double roofline_peak = 1, roofline_bandwidth = 1;
};

struct CalibrationOptions {
  std::vector<std::string> keys = {};  ///< find_fitted_keys()
  double seconds = 1;                  ///< processor time of the search for a mapping of one layer
  Threads threads = {};
};

/// Looks for the values of constants with the least mean absolute percentage error of the latency over the
/// fitted half of the rows. The latency of a row is that of the mapping of least latency
/// (find_joint_optimum, as OptimalMappingStage asks for it, within `seconds`, as far as the mapping of the
/// row's layer prescribes none) on the accelerator with these values: constants are fitted to the mappings
/// found, and mappings are searched again, a few times or until the error does not fall. Constants are
/// searched by pattern search (R. Hooke, T. A. Jeeves, JACM 8(2), 1961) along axes and diagonals, from
/// several points; shares have four digits.
///
/// Throws InputError for a layer that does not map, with the line of its row, for more constants than a
/// tenth of the rows, and for times that no clock or unit explains; Interrupted where the thread is to end
/// its work.
Calibration calibrate(const Accelerator& accelerator, const std::vector<MeasuredLayer>& rows,
                      const CalibrationOptions& options);

}  // namespace zz::core
