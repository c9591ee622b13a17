#pragma once
#include <map>
#include <string>

#include "plugins/other_tools/accelforge_workload.hpp"

namespace zz::plugins {

/// The value of an expression of an architecture for one Einsum: numbers, "inf", variables, the bits of
/// single tensors ("weight.bits_per_value"), and "A if TEST else B". Throws InputError as Expression and
/// NamedSets do.
double value_for(const std::string& text, const AccelForgeProduct& product,
                 const std::map<std::string, double>& variables);

}  // namespace zz::plugins
