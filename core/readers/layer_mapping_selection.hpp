#pragma once
#include "core/diagnostics/diagnostics.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/readers/reader_options.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// Gives a layer whose name, type and loops are set its entry of the mapping file. Entries of the
/// temporal ordering whose dimension the layer does not have are dropped with a warning; so are "*"
/// entries when `options` ask for ZigZag's behaviour.
void select_mapping(Layer& layer, const MappingFile& mapping, const ReaderOptions& options,
                    const SourceMark& mark, Diagnostics& diagnostics);

}  // namespace zz::core
