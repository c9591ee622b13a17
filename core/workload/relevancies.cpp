#include "core/workload/relevancies.hpp"

#include "core/workload/window_positions.hpp"

namespace zz::core {

std::vector<Relevancy> relevancies(const Layer& layer, int operand) {
  std::vector<Relevancy> all;
  all.reserve(layer.loops.size());
  for (const LoopDimension& loop : layer.loops)
    all.push_back(loop.size == 1 ? Relevancy::none : Relevancy::irrelevant);
  const bool related = layer.has_relations(operand);
  for (const std::string& name : layer.operands[operand].dimensions) {
    const int loop = layer.loop_index(name);
    if (loop >= 0 && (related || layer.loops[loop].size != 1)) all[loop] = Relevancy::relevant;
  }
  if (!related) return all;
  for (const DimensionRelation& relation : layer.relations) {
    for (const std::string* name : {&relation.output_loop, &relation.filter_loop}) {
      const int loop = layer.loop_index(*name);
      if (loop >= 0) all[loop] = Relevancy::partially_relevant;
    }
  }
  return all;
}

std::int64_t operand_elements(const Layer& layer, int operand, const std::vector<Relevancy>& relevancy) {
  std::int64_t elements = 1;
  for (std::size_t loop = 0; loop < layer.loops.size(); ++loop) {
    if (relevancy[loop] == Relevancy::relevant) elements *= layer.loops[loop].size;
  }
  if (!layer.has_relations(operand)) return elements;
  for (const DimensionRelation& relation : layer.relations) {
    const WindowPositions positions(relation.stride, relation.dilation, relation.size,
                                    layer.exact_positions);
    elements *=
        positions.count(layer.loop_size(relation.output_loop), layer.loop_size(relation.filter_loop));
  }
  return elements;
}

}  // namespace zz::core
