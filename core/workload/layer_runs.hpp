#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/workload/layer.hpp"

namespace zz::core {

/// Splits the layers into runs of neighbours in which no name comes twice, also as savers write names into
/// file names ("/" becomes "_"). Returns the length of each run.
///
/// Layers of one name share their result files, of which the last layer's must remain: the layers of a run
/// may be mapped at the same time, runs follow each other.
std::vector<std::uint32_t> runs_of_distinct_names(const std::vector<std::shared_ptr<const Layer>>& layers);

}  // namespace zz::core
