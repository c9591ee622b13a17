#pragma once
#include "core/workload/layer.hpp"

namespace zz::core {

/// True when the layers differ in nothing but which ones they are: their ids, their names, and the layers
/// that their operands come from. Such layers have the same mappings at the same costs.
bool same_work(const Layer& a, const Layer& b);

}  // namespace zz::core
