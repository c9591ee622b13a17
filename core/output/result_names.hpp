#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/cost/evaluation.hpp"

namespace zz::core {

/// ResultList that are drawn together, none null.
using ResultList = std::vector<std::shared_ptr<const Evaluation>>;

/// "7: layer1/Conv": id and the last two parts of the name.
std::string layer_label(const Layer& layer);

/// A short name for each result, no two alike: "7: layer1/Conv" (id and the last two parts of the name),
/// "sum of 21 layers". Where those are alike the accelerator's name follows, or a number.
std::vector<std::string> result_names(const ResultList& results);

/// The layer operands of all results in the order of their first appearance.
std::vector<std::string> layer_operands(const ResultList& results);

}  // namespace zz::core
