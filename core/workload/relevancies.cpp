#include "core/workload/relevancies.hpp"

#include <algorithm>

namespace zz::core {

std::vector<Relevancy> relevancies(const Layer& layer, int operand) {
  const std::vector<std::string>& brackets = layer.operands[operand].dimensions;
  const bool related = layer.has_relations(operand);
  std::vector<Relevancy> all;
  all.reserve(layer.loops.size());
  for (const LoopDimension& loop : layer.loops) {
    const bool in_brackets = std::find(brackets.begin(), brackets.end(), loop.name) != brackets.end();
    if (related && layer.relation_of_loop(loop.name) >= 0) {
      all.push_back(Relevancy::partially_relevant);
    } else if (in_brackets && (related || loop.size != 1)) {
      all.push_back(Relevancy::relevant);
    } else {
      all.push_back(loop.size == 1 ? Relevancy::none : Relevancy::irrelevant);
    }
  }
  return all;
}

}  // namespace zz::core
