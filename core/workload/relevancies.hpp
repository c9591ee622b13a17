#pragma once
#include <vector>

#include "core/workload/layer.hpp"

namespace zz::core {

/// Layer::relevancy() of one operand and all loops.
std::vector<Relevancy> relevancies(const Layer& layer, int operand);

}  // namespace zz::core
