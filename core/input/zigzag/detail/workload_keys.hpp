#pragma once
#include "core/input/yaml/form.hpp"

/// The tables of the maps of a workload file.
namespace zz::core {

/// Types of layers with two inputs; one with one input may be of any type.
const std::vector<std::string>& operator_types();
const yaml::KeyTable& layer_keys(bool two_inputs);
const yaml::KeyTable& layer_precision_keys(bool two_inputs);
const yaml::KeyTable& operand_source_keys();
/// Matches the equations with one input.
const std::string& one_input_pattern();

}  // namespace zz::core
