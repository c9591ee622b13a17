#pragma once
#include "core/input/onnx/network.hpp"
#include "core/input/onnx/onnx_reading.hpp"
#include "core/workload/workload.hpp"

namespace zz::core::onnx_import {

/// Every product of a network as a layer with its entry of the mapping file, and every other node as a
/// pass-through node, in the order in which they run; with `settings.vector_layers` every operator that
/// works on elements is a layer, too. Ids count up from 0. A node whose layers cannot be
/// made is an error, or a warning where `settings.allow_uncosted` has its type.
Workload workload_of(const Network& network, const OnnxReading& reading);

}  // namespace zz::core::onnx_import
