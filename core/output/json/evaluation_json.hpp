#pragma once
#include <string>

#include "core/cost/evaluation.hpp"

namespace zz::core {

/// Everything about an evaluation as JSON text: under "outputs" its figures with their breakdowns by
/// operand and memory level, under "inputs" what was evaluated. The layout is that of ZigZag's result files
/// (docs/values.md). The parts of the inputs that a sum does not have are null. Metrics that stages added
/// follow as "metrics". Beside these "row", of evaluations whose parts are known: "layer_id", which
/// tells the order of a network (null: a sum), and "limited_by".
std::string complete_json(const Evaluation& evaluation);

/// The two figures that most users look for as JSON text: "energy" (pJ) and "latency" (cycles). With
/// in-memory computing two more: "tclk (ns)", the clock period, and "area" (mm2). Metrics that stages added
/// follow as "metrics".
std::string simple_json(const Evaluation& evaluation);

}  // namespace zz::core
