#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/input/onnx/operators/operator.hpp"
#include "core/input/onnx/workload.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Asks a chain of stages about nodes of operators that zz does not know. The chain finds the node in its
/// context under "operator", and answers with the extra of its one result; the README of
/// sdk/examples/custom_operator describes both. A chain that ends without a result does not know the
/// operator either.
///
/// The chain and the context must live as long. Throws Error for an answer that cannot be read.
core::onnx_import::ReadOperator asking(const Chain& readers, Value ctx);

/// Settings of the stages that read ONNX files.
struct OnnxReadingSettings {
  Value dimensions;
  Value values;
  Value operand_precision;
  std::vector<std::string> allow_uncosted;
  Chain operators{"null"};

  static constexpr auto dimensions_setting = param<&OnnxReadingSettings::dimensions>(
      "dimensions",
      "lengths that the file leaves open: {batch_size: 1, sequence_length: 128}, or by tensor and axis "
      "{\"input_ids:1\": 128}, a pattern of such names {\"*/experts/*:0\": 16}; also expressions of "
      "lengths "
      "such as \"tokens * 2 / experts\"");
  static constexpr auto values_setting = param<&OnnxReadingSettings::values>(
      "values",
      "what inputs of the network are, for branches that depend on them: {sr: 16000}; a list for several "
      "elements");
  static constexpr auto operand_precision_setting =
      param<&OnnxReadingSettings::operand_precision>("operand_precision",
                                                     "bits per element of every layer in place of those of "
                                                     "the tensors' types: {W: 8, I: 8, O: 16, O_final: 8}; "
                                                     "O are partial sums");
  static constexpr auto allow_uncosted_setting = param<&OnnxReadingSettings::allow_uncosted>(
      "allow_uncosted", "operator types that may have no cost although they multiply, or may do so");

  static constexpr auto operators_setting = param<&OnnxReadingSettings::operators>(
      "operators",
      "stages that say what operators are that zz does not know (sdk/examples/custom_operator)");

  /// `ctx` is what the stages of `operators` see besides the operator; this object must live as long as the
  /// settings. Throws Error for a value that is no map, or holds something else than numbers from 0.
  core::OnnxSettings onnx_settings(const Value& ctx) const;
};

}  // namespace zz::plugins
