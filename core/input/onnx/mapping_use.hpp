#pragma once
#include "core/base/diagnostics.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// Warns of what a mapping file says about nothing in the network: entries that are named like no layer and
/// no operator, or in other letters than an operator of the network, and loops that no layer has. A mapping
/// file may serve several networks. So entries for operators that this one lacks deserve no word, nor do
/// loops with the usual names, unless nothing else is unrolled along that dimension of the array for layers
/// that this network has.
void warn_of_unused_mapping(const MappingFile& mapping, const SourceMark& mark, const Workload& workload,
                            Diagnostics& diagnostics);

}  // namespace zz::core
