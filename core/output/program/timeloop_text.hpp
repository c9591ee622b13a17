#pragma once
#include <string>

#include "core/cost/evaluation.hpp"
#include "core/output/program/layer_program.hpp"

namespace zz::core {

/// The mapping of a layer as one of Timeloop 0.4: by memory, from the innermost one, the factors and the
/// order of its loops in time, and of those over the units below it. The memories have the names of the
/// accelerator; TimeloopStage reads the file (`timeloop_mapping`).
///
/// Timeloop has one loop of each dimension at a memory, and cuts all operands alike. What a mapping has
/// beyond that stands in the first lines, one each. `program` is that of the evaluation.
std::string timeloop_text(const LayerProgram& program, const Evaluation& evaluation);

}  // namespace zz::core
