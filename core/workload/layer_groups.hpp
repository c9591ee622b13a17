#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/workload/layer.hpp"

namespace zz::core {

/// Splits the layers into groups of neighbours in which no name comes twice, also as savers write names
/// into file names ("/" becomes "_"). Returns the length of each group.
///
/// Layers of one name share their result files, and those of the last layer must remain. So the layers of a
/// group may be mapped at the same time, and groups follow each other.
std::vector<std::uint32_t> groups_of_distinct_names(
    const std::vector<std::shared_ptr<const Layer>>& layers);

}  // namespace zz::core
