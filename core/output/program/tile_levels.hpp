#pragma once
#include <string>

#include "core/output/program/layer_program.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The tiles and orders of a layer as JSON for compilers, level by level from the outermost one. A level
/// begins where some operand is cut; docs/compilers.md has the keys. `program` is that of the layer.
std::string tile_levels_json(const LayerProgram& program, const Layer& layer);

}  // namespace zz::core
