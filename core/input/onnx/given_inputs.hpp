#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "core/input/onnx/tensor.hpp"

namespace zz::core::onnx_import {

/// A length: a number, or an expression over other lengths, as "tokens * 2 / experts".
///
/// An Expression of whole numbers, worked out exactly; it must be a whole number from 0. A name is another
/// entry of Dimensions, or an axis of an input of the network ("x:0").
using GivenLength = std::variant<std::int64_t, std::string>;

/// Lengths by their name ("batch"), by tensor and axis ("input_ids:0"), or by a pattern of such names with
/// `*` ("*/experts/*:0").
using Dimensions = std::map<std::string, GivenLength>;

/// Elements of inputs of the network, by the name of the input, in row-major order. Truth values are 0
/// and 1.
using InputValues = std::map<std::string, Values>;

/// The user's word on the inputs of a network.
struct GivenInputs {
  Dimensions dimensions;
  InputValues values;  ///< known before the network runs, so they decide the branches that depend on them
  std::optional<std::int64_t> batch = {};  ///< of inputs of two axes or more, as in OnnxSettings
};

}  // namespace zz::core::onnx_import
