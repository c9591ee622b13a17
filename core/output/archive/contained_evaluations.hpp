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

/// The results in a list, as SumStage and reducers that keep the others hand them up in their extra: its
/// items [evaluation, extra], and evaluations that have no extra. Other items are passed over; of anything
/// but a list there are none.
std::vector<std::pair<Value, Value>> results_in(const Value& list);

}  // namespace zz::core
