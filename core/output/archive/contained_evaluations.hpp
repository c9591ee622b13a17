#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/value/value.hpp"

namespace zz::core {

/// A result of a stage that varies something: what it varied, as JSON by name, outermost first, and the
/// extra within.
struct VariedResult {
  std::vector<std::pair<std::string, std::string>> settings;
  Value extra;
};

/// Takes off what such stages put around an extra, one in another: {settings: {name: value}, extra, ...},
/// as zz::point of the SDK makes it; a map with an `extra` and no `settings`, whose scalars are the
/// settings; or
/// [[[name, value], ...], extra]. Any other extra is given back.
VariedResult varied_result(const Value& extra);

/// The evaluations in a list of [evaluation, extra], as SumStage and reducers that keep the others hand up
/// in their extra; false when `extra` is no such list. An empty list is one.
bool evaluations_of_pairs(const Value& extra, std::vector<Value>& evaluations);

/// The evaluations of single layers that a result stands for: the evaluation itself; of a sum or a list,
/// its parts, at any depth. A sum without them stands for itself.
std::vector<std::shared_ptr<const Evaluation>> contained_evaluations(const Value& evaluation,
                                                                     const Value& extra);

}  // namespace zz::core
