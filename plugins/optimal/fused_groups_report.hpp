#pragma once
#include "core/search/fused/fused_mapping.hpp"
#include "core/search/fused/fused_network.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

// Tables on a fused mapping, for people. Groups, or tensors, with the same figures, as those of repeated
// blocks, have one row.

/// Reports each group: shared loops, what stays on chip, the fullest phase, energies, and by tensor what is
/// saved against the layers by themselves.
void report_groups(const Stage& stage, const core::FusedNetwork& network,
                   const core::FusedMapping& mapping);

/// Reports each tensor that goes off chip: the room that would keep it, and what that would save, or why
/// nothing would. `exchange_memories`: as for core::tensors_left().
void report_tensors_left(const Stage& stage, const core::FusedNetwork& network,
                         const core::FusedMapping& mapping, const std::vector<int>& exchange_memories);

}  // namespace zz::plugins
