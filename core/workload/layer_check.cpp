#include "core/workload/layer_check.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/nearest_name.hpp"

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

namespace {

// docs/limits.md names both. Operations times bits stay whole in 64 bits, and elements times bits in a
// double.
constexpr double largest_work = 4611686018427387904.0;  // 2^62
constexpr double largest_count = 9007199254740992.0;    // 2^53

bool is_relation_number(std::int64_t number, std::int64_t smallest) {
  return number >= smallest && number <= largest_relation_number;
}

std::string relation_problem(const Layer& layer, const DimensionRelation& relation) {
  const bool fits = is_relation_number(relation.stride, 1) && is_relation_number(relation.dilation, 1) &&
                    is_relation_number(relation.size, 1) && is_relation_number(relation.padding_low, 0) &&
                    is_relation_number(relation.padding_high, 0) &&
                    is_relation_number(layer.loop_size(relation.output_loop), 1) &&
                    is_relation_number(layer.loop_size(relation.filter_loop), 1);
  if (fits) return "";
  return fmt::format("has a size, stride, dilation or padding of {} beyond {}", relation.data,
                     largest_relation_number);
}

/// As a bound, which does not overflow.
double most_elements(const Layer& layer, const LayerOperand& operand) {
  double elements = 1;
  for (const std::string& dimension : operand.dimensions) {
    if (layer.loop_index(dimension) >= 0) elements *= static_cast<double>(layer.loop_size(dimension));
    for (const DimensionRelation& relation : layer.relations)
      if (relation.data == dimension) elements *= static_cast<double>(relation.size);
  }
  return elements;
}

}  // namespace

std::string count_problem(const Layer& layer) {
  for (const DimensionRelation& relation : layer.relations)
    if (std::string problem = relation_problem(layer, relation); !problem.empty()) return problem;
  double operations = 1;
  for (const LoopDimension& loop : layer.loops) operations *= static_cast<double>(loop.size);
  auto widest = static_cast<double>(layer.final_output_precision);
  for (const LayerOperand& operand : layer.operands)
    widest = std::max(widest, static_cast<double>(operand.precision));
  if (operations * std::max(widest, 1.0) >= largest_work)
    return fmt::format(
        "has {:.3g} operations on up to {} bits, which is more than can be counted exactly; operations "
        "times bits must stay below 4e18",
        operations, widest);
  for (const LayerOperand& operand : layer.operands) {
    const double elements = most_elements(layer, operand);
    if (elements * std::max(widest, 1.0) >= largest_count)
      return fmt::format(
          "has {:.3g} elements of {} with up to {} bits, which is more than can be counted exactly; "
          "elements times bits must stay below 9e15",
          elements, operand.name, widest);
  }
  return "";
}

}  // namespace zz::core
