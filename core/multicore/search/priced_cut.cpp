#include "core/multicore/search/priced_cut.hpp"

namespace zz::core {

std::vector<NodesOfShape> nodes_by_shape(const CutLayer& cut_layer) {
  std::vector<NodesOfShape> shapes{{cut_layer.node_count, cut_layer.piece->mac_count()}};
  for (const SmallerPiece& smaller : cut_layer.smaller_pieces) {
    shapes.front().nodes -= smaller.node_count;
    shapes.push_back({smaller.node_count, smaller.piece->mac_count()});
  }
  return shapes;
}

}  // namespace zz::core
