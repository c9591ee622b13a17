#pragma once
#include <string>

#include "core/cost/evaluation.hpp"

namespace zz::core {

/// The two figures that most users look for, as JSON: "energy" (pJ) and "latency" (cycles).
std::string simple_json(const Evaluation& evaluation);

}  // namespace zz::core
