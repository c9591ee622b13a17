#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/hardware/multi_core_accelerator.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// A layer whose weights are too large for the cores that may run it.
struct SplitLayer {
  std::string name;
  std::int64_t pieces = 2;  ///< of equal numbers of output channels
  std::int64_t id = 0;

  bool operator==(const SplitLayer&) const = default;
};

/// The layers whose constant weights fill more than `share` of the smallest weight memory of their
/// candidate cores, each with the least number of equal pieces that fit. Throws InputError with all layers
/// that cannot be cut like that.
std::vector<SplitLayer> layers_to_split(const Workload& workload, const MultiCoreAccelerator& accelerator,
                                        double share);

/// Writes the network of an ONNX file with each of the layers (Conv, QLinearConv, Gemm, MatMul), which are
/// found by their names, replaced by its pieces, "<name>_0", "<name>_1", ..., and a Concat "<name>_concat"
/// whose output has the name of the layer's. Nodes after a layer get higher ids; nothing else changes.
/// Weights stored as raw data are divided; others keep only their shapes, because costs do not depend on
/// the data.
///
/// Throws InputError naming the node that cannot be split (nodes in functions and loops cannot), and
/// std::runtime_error when `split_path` cannot be written; warnings of reading are added to `diagnostics`.
void write_split_model(const std::string& path, const std::vector<SplitLayer>& layers,
                       const std::string& split_path, Diagnostics& diagnostics,
                       const Files& files = Files::on_disk());

}  // namespace zz::core
