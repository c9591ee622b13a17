#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace zz::core::onnx_import {

/// The length that an expression means; given_inputs.hpp says how it is written. `length_of` is asked for
/// each name. Throws NodeProblem for what is no expression, for a division by zero, and for a result that
/// is no whole number from 0; passes on what `length_of` throws.
std::int64_t length_of_expression(const std::string& expression,
                                  const std::function<std::int64_t(const std::string&)>& length_of);

}  // namespace zz::core::onnx_import
