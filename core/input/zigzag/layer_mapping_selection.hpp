#pragma once
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/diagnostics/diagnostics.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// Gives a layer whose name, type and loops are set its entry of the mapping file. Entries of the
/// temporal ordering whose dimension the layer does not have are dropped with a warning; so are "*"
/// entries with rules.outer_wildcard_dropped.
void select_mapping(Layer& layer, const MappingFile& mapping, const Rules& rules, const SourceMark& mark,
                    Diagnostics& diagnostics);

/// The same for a layer that entries may mean by any of `names`, the first one that has an entry; else the
/// entry "default" is taken.
void select_mapping(Layer& layer, const MappingFile& mapping, const std::vector<std::string>& names,
                    const Rules& rules, const SourceMark& mark, Diagnostics& diagnostics);

}  // namespace zz::core
