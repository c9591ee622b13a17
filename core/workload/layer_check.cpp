#include "core/workload/layer_check.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/nearest_name.hpp"
#include "core/workload/layer_limits.hpp"

namespace zz::core {
namespace {

using Part = LayerProblem::Part;

}  // namespace

std::vector<LayerProblem> loop_problems(const Layer& layer) {
  std::vector<LayerProblem> problems;
  if (layer.loops.empty()) problems.push_back({Part::whole, 0, "has no loops", ""});
  for (std::size_t i = 0; i < layer.loops.size(); ++i) {
    const LoopDimension& loop = layer.loops[i];
    if (layer.loop_index(loop.name) < static_cast<int>(i))
      problems.push_back({Part::loop_name, i, "stands twice", ""});
    if (loop.size < 1)
      problems.push_back(
          {Part::loop_size, i, fmt::format("has the size {}; it must be 1 or more", loop.size), ""});
    if (loop.sequential && layer.sequential_loop() >= 0 && layer.sequential_loop() < static_cast<int>(i))
      problems.push_back({Part::loop_name, i, "is a second sequential loop", ""});
  }
  return problems;
}

std::vector<LayerProblem> operand_problems(const Layer& layer) {
  std::vector<LayerProblem> problems;
  std::vector<std::string> known;
  for (const LoopDimension& loop : layer.loops) known.push_back(loop.name);
  for (const DimensionRelation& relation : layer.relations) known.push_back(relation.data);
  for (std::size_t i = 0; i < layer.operands.size(); ++i) {
    const std::vector<std::string>& dimensions = layer.operands[i].dimensions;
    for (auto at = dimensions.begin(); at != dimensions.end(); ++at) {
      if (std::find(known.begin(), known.end(), *at) == known.end()) {
        problems.push_back(
            {Part::operand, i,
             fmt::format(
                 "has the dimension {}, which is neither one of the loops nor on the left of one of "
                 "the dimension relations",
                 *at),
             suggestion(*at, known)});
      } else if (std::find(dimensions.begin(), at, *at) != at) {
        problems.push_back({Part::operand, i, fmt::format("has the dimension {} twice", *at), ""});
      }
    }
  }
  if (const std::string problem = count_problem(layer); !problem.empty())
    problems.push_back({Part::whole, 0, problem, ""});
  return problems;
}

}  // namespace zz::core
