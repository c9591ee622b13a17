#pragma once
#include <string>

#include "core/cost/evaluation.hpp"

namespace zz::core {

/// The two figures that most users look for, as JSON: "energy" (pJ) and "latency" (cycles). With in-memory
/// computing two more: "tclk (ns)", the clock period, and "area" (mm2). Metrics that stages
/// added follow as "metrics".
std::string simple_json(const Evaluation& evaluation);

}  // namespace zz::core
