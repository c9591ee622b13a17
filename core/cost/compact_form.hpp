#pragma once
#include <span>

#include "core/mapping/compact_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// Turns a readable mapping into the compact form of a layer whose operands have so many memory levels, in
/// equation order. Throws InputError naming what is wrong: other operands, levels or loops than the layer
/// has.
CompactMapping compact_form(const Layer& layer, std::span<const int> levels,
                            const TemporalMapping& mapping);

}  // namespace zz::core
