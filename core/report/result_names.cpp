#include "core/report/result_names.hpp"

#include <algorithm>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <map>

namespace zz::core {
namespace {

/// "a/b/c/d" becomes "c/d".
std::string last_two_parts(const std::string& name) {
  const std::size_t last = name.rfind('/');
  if (last == std::string::npos || last == 0) return name;
  const std::size_t before = name.rfind('/', last - 1);
  return before == std::string::npos ? name : name.substr(before + 1);
}

std::string plain_name(const Evaluation& evaluation) {
  if (evaluation.layer) return layer_label(*evaluation.layer);
  return fmt::format("{} of {} layers", evaluation.schedule ? "schedule" : "sum",
                     evaluation.layer_ids.size());
}

std::string accelerator_name(const Evaluation& evaluation) {
  return evaluation.accelerator ? evaluation.accelerator->name : "";
}

std::map<std::string, int> frequencies(const std::vector<std::string>& names) {
  std::map<std::string, int> counts;
  for (const std::string& name : names) ++counts[name];
  return counts;
}

}  // namespace

std::string layer_label(const Layer& layer) {
  return fmt::format(FMT_COMPILE("{}: {}"), layer.id, last_two_parts(layer.name));
}

std::vector<std::string> result_names(const ResultList& results) {
  std::vector<std::string> names;
  for (const auto& result : results) names.push_back(plain_name(*result));

  const auto plain = frequencies(names);
  const bool several = std::any_of(results.begin(), results.end(), [&](const auto& result) {
    return accelerator_name(*result) != accelerator_name(*results.front());
  });
  for (std::size_t i = 0; i < names.size(); ++i)
    if (several && plain.at(names[i]) > 1 && !accelerator_name(*results[i]).empty())
      names[i] += ", " + accelerator_name(*results[i]);

  const auto with_accelerator = frequencies(names);
  std::map<std::string, int> seen;
  for (std::string& name : names) {
    const std::string common = name;
    if (with_accelerator.at(common) > 1) name += fmt::format(" #{}", ++seen[common]);
  }
  return names;
}

std::vector<std::string> layer_operands(const ResultList& results) {
  std::vector<std::string> operands;
  for (const auto& result : results)
    for (const OperandCost& cost : result->operands)
      if (std::find(operands.begin(), operands.end(), cost.operand) == operands.end())
        operands.push_back(cost.operand);
  return operands;
}

}  // namespace zz::core
