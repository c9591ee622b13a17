#pragma once
#include <cstdint>
#include <vector>

#include "core/workload/layer.hpp"

namespace zz::core {

/// Layer::relevancy() of one operand and all loops.
std::vector<Relevancy> relevancies(const Layer& layer, int operand);

/// Layer::operand_elements(), where these are known.
std::int64_t operand_elements(const Layer& layer, int operand, const std::vector<Relevancy>& relevancy);

}  // namespace zz::core
