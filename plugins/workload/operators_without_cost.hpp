#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/workload/workload.hpp"

namespace zz::plugins {

/// A sentence on the operators that an estimate leaves out: their types with counts, and their share of the
/// elements that all operators of the network write.
std::string operators_without_cost(const core::Workload& workload);

/// "in-memory computing leaves out 2 layers: shortcut (Add), pool (Pooling); they have 1 % of all
/// operations"
std::string layers_left_out(const core::Workload& workload,
                            const std::vector<std::shared_ptr<const core::Layer>>& left_out);

}  // namespace zz::plugins
