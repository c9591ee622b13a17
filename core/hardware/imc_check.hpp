#pragma once
#include <vector>

#include "core/hardware/accelerator_check.hpp"

namespace zz::core {

/// The rules that only in-memory-computing arrays have: precisions, converter, and the memory called
/// "cells". Nothing for other arrays.
std::vector<AcceleratorProblem> find_imc_problems(const Accelerator& accelerator);

}  // namespace zz::core
