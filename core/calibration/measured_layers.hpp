#pragma once
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/workload/layer.hpp"
#include "core/workload/layer_precision.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// A layer that somebody ran, and how long it took.
struct MeasuredLayer {
  Layer layer;
  std::string kind;  ///< layers of one kind are told together: "product", "convolution", or as the row says
  double cycles = 0;    ///< measured
  bool fitted = false;  ///< constants are read off this half of the rows; the other half judges them
  SourceMark mark;      ///< the line of the row
};

/// Where layers of rows come from besides their sizes.
struct MeasuredInputs {
  const Workload* network = nullptr;  ///< with a column `layer`: its layers by name; null: rows have sizes
  PrecisionChoice precision = {};     ///< of rows with sizes
  /// Entries for rows with sizes, by their cell `layer` and then by Gemm or Conv; a network has its own.
  /// Null: nothing is prescribed.
  const MappingFile* mapping = nullptr;
};

/// Reads rows of measurements, comma-separated with one line of names (docs/accelerator-keys.md has the
/// columns). Times become cycles by the clock of the accelerator. Rows are halved by the SHA-256 of all
/// cells but the measured ones and the kind: the first digest byte is even for those that are fitted.
///
/// Throws InputError with every problem of the file, each with its line. Doubts are warnings in
/// `diagnostics`.
std::vector<MeasuredLayer> read_measured_layers(const std::string& path, const Accelerator& accelerator,
                                                const MeasuredInputs& inputs, Diagnostics& diagnostics,
                                                const Files& files = Files::on_disk());

}  // namespace zz::core
