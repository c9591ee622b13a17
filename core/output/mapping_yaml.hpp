#pragma once
#include <string>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/mapping/layer_mapping.hpp"

namespace zz::core {

/// The entry of a mapping file that makes a pipeline with the same accelerator and workload come to this
/// result again: the unrolling that was used, the memory links, all temporal loops in their order, and
/// where each operand cuts them. Which memories have room for second buffers, and which iterations each
/// unit does, follows from these. A member of a fused group is nothing without it: its entry has the order
/// alone. The evaluation is one of a layer, with its temporal mapping.
LayerMapping replay_entry(const Evaluation& evaluation);

/// The text of a mapping file with these entries, and an empty default entry when they have none.
std::string mapping_yaml(const std::vector<LayerMapping>& entries);

}  // namespace zz::core
