#pragma once
#include <optional>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/input/yaml/form.hpp"
#include "core/input/yaml/node.hpp"
#include "core/mapping/number_type.hpp"
#include "core/workload/layer_precision.hpp"

namespace zz::core {

/// Reads the type of an operand's numbers: bits of each (8), a name (mxfp4), or with a scale for each
/// block: {bits: 4, scale: {bits: 8, every: 32, along: C}}, where `along` may be absent. `what` names it in
/// messages. Nothing after adding to `diagnostics` what is wrong: so are bits that are no whole number,
/// which only blocks have on average.
std::optional<NumberType> read_number_type(const yaml::Node& node, const std::string& what,
                                           Diagnostics& diagnostics);
yaml::Form number_type_form();

/// The same of a text that has the value as YAML or JSON. Throws InputError.
NumberType number_type_of(const std::string& text, const std::string& what);

/// As precision_choice(), and the type may also be a map.
PrecisionChoice read_precision_choice(const std::string& text);

}  // namespace zz::core
