#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/compat/rules.hpp"
#include "core/input/onnx/given_inputs.hpp"
#include "core/input/onnx/operators/operator.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// A pipeline's words on an ONNX file.
struct OnnxSettings {
  /// Lengths that the file leaves open.
  onnx_import::Dimensions dimensions;
  /// Bits per element in place of those that the types tell, for every layer: by operand "O" (partial
  /// sums), "W", "I" and "O_final".
  std::map<std::string, NumberType> operand_precision;
  /// Operator types that may stay without a cost although they multiply. Their problems are warnings.
  std::set<std::string> allow_uncosted;
  /// On one core, operators that work on elements are layers, for a vector unit.
  bool vector_layers = false;
  /// Asked for nodes of operators that zz does not know; may be empty.
  onnx_import::ReadOperator read_operator = nullptr;
  /// Values of inputs of the network: they decide the branches that depend on them.
  onnx_import::InputValues values = {};
  /// Length of the first axis of every input that is data, where `dimensions` does not say it.
  std::optional<std::int64_t> batch = {};
};

/// Reads a network for one core from an ONNX file. Every operator that multiplies becomes a layer, or
/// several, with its entry of `mapping`; every other one is a pass-through node. With
/// `settings.vector_layers` every operator that works on elements is a layer, too. Nodes stand in an order
/// in which they run, and their ids count up from 0. Weights are not looked at, so they may be missing or
/// stored elsewhere.
///
/// A mapping entry is found by the layer's and the node's name, by the operator type, and by "vector" for a
/// layer that is no product. With rules.onnx_operators_of_zigzag the file is read as ZigZag does.
///
/// Throws InputError with every problem of the file, naming nodes and tensors; what may be used in spite
/// of a doubt is added to `diagnostics` as a warning.
Workload read_onnx(const std::string& path, const MappingFile& mapping, const Rules& rules,
                   Diagnostics& diagnostics, const OnnxSettings& settings = {},
                   const Files& files = Files::on_disk());

/// The same for several cores, which run parts of layers: the workload also tells where the elements of
/// each operand come from. Besides products, pooling and Add and Mul of two tensors of one shape are
/// layers, and so is every other operator on elements or rows that has an entry of `mapping` and reads what
/// a layer computes. All others are pass-through nodes, one for each output. Nodes without inputs
/// (constants) are left out. Ids are the places of nodes in the network while each makes one layer or
/// pass-through node. What no layer takes part in lies in the off-chip memory from the start.
///
/// A mapping entry is also found by "Layer<id>" and by the layer's type ("conv", "gemm", "matmul",
/// "pooling", "add", "mul"). With rules.onnx_operators_of_zigzag the file is read as Stream does, and ids
/// are the nodes' places in the file.
Workload read_stream_onnx(const std::string& path, const MappingFile& mapping, const Rules& rules,
                          Diagnostics& diagnostics, const OnnxSettings& settings = {},
                          const Files& files = Files::on_disk());

}  // namespace zz::core
