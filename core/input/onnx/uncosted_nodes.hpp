#pragma once
#include "core/input/onnx/network.hpp"
#include "core/input/onnx/onnx_reading.hpp"
#include "core/input/onnx/workload_builder.hpp"

namespace zz::core::onnx_import {

/// A node whose layers cannot be made: an error, or a warning where `settings.allow_uncosted` has its type.
/// The workload then lists it.
void report_uncosted(const Network& network, const NetworkNode& node, const NodeProblem& problem,
                     const OnnxReading& reading, WorkloadBuilder& made);

/// Lists the nodes whose operators are unknown, which may multiply.
void list_unknown_operators(const Network& network, WorkloadBuilder& made);

/// Warns of types in `settings.allow_uncosted` that no node has.
void warn_of_unknown_allowances(const Network& network, const OnnxReading& reading);

}  // namespace zz::core::onnx_import
