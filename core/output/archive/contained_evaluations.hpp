#pragma once
#include <memory>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/value/value.hpp"

namespace zz::core {

/// The evaluations in a list of [evaluation, extra], as SumStage and reducers that keep the others hand up
/// in their extra; false when `extra` is no such list. An empty list is one.
bool evaluations_of_pairs(const Value& extra, std::vector<Value>& evaluations);

/// The evaluations of single layers that a result stands for: the evaluation itself; of a sum or a list,
/// its parts, at any depth. A sum without them stands for itself.
std::vector<std::shared_ptr<const Evaluation>> contained_evaluations(const Value& evaluation,
                                                                     const Value& extra);

}  // namespace zz::core
