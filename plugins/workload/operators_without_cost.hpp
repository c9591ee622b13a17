#pragma once
#include <string>

#include "core/workload/workload.hpp"

namespace zz::plugins {

/// A sentence on the operators that an estimate leaves out: their types with counts, and their share of the
/// elements that all operators of the network write.
std::string operators_without_cost(const core::Workload& workload);

}  // namespace zz::plugins
