#include "core/workload/operand_layout.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"

namespace zz::core {

namespace {

const std::vector<std::string>& own_dimensions(const Layer& layer, int operand) {
  return layer.operands[static_cast<std::size_t>(operand)].dimensions;
}

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The problem, with what is to be done, for operand dimensions `known`.
std::optional<LayoutProblem> words_of_problem(const std::vector<std::string>& named,
                                              const std::vector<std::string>& known) {
  if (named.empty() || named.back() == "..")
    return LayoutProblem{"does not say which dimension is the innermost", "name it last, as [.., C]"};
  if (std::find(named.begin() + 1, named.end(), "..") != named.end())
    return LayoutProblem{"has '..' behind a dimension",
                         "it stands for all that are not named, and is the first or not there"};
  for (auto name = named.begin(); name != named.end(); ++name)
    if (std::find(named.begin(), name, *name) != name)
      return LayoutProblem{fmt::format("names {} twice", *name), ""};
  if (named.front() == "..") {
    const bool any = std::any_of(named.begin(), named.end(),
                                 [&](const std::string& name) { return is_among(known, name); });
    if (any) return {};
  }
  for (const std::string& name : named)
    if (name != ".." && !is_among(known, name))
      return LayoutProblem{fmt::format("names {}, which is no dimension of it", name),
                           suggestion(name, known)};
  for (const std::string& dimension : known)
    if (!is_among(named, dimension))
      return LayoutProblem{"lacks " + dimension, "name it, or begin with .. for those that are not named"};
  return {};
}

}  // namespace

std::optional<LayoutProblem> find_layout_problem(const Layer& layer, const OperandLayout& layout) {
  const int operand = layer.operand_index(layout.operand);
  if (operand < 0) return {};
  std::optional<LayoutProblem> problem =
      words_of_problem(layout.dimensions, own_dimensions(layer, operand));
  if (problem)
    problem->message = fmt::format("layer '{}': the layout of {} in mapping entry '{}' {}", layer.name,
                                   layout.operand, layer.mapping.name, problem->message);
  return problem;
}

const std::string* innermost_dimension(const Layer& layer, int operand) {
  const std::string& name = layer.operands[static_cast<std::size_t>(operand)].name;
  for (const OperandLayout& layout : layer.mapping.layout) {
    if (layout.operand != name) continue;
    if (const auto problem = find_layout_problem(layer, layout))
      throw InputError(problem->message + (problem->hint.empty() ? "" : "; " + problem->hint));
    return &*std::find_if(
        layout.dimensions.rbegin(), layout.dimensions.rend(),
        [&](const std::string& dimension) { return is_among(own_dimensions(layer, operand), dimension); });
  }
  return nullptr;
}

}  // namespace zz::core
