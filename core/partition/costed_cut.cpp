#include "core/partition/costed_cut.hpp"

namespace zz::core {

std::vector<NodesOfShape> nodes_by_shape(const TiledLayer& tiled) {
  std::vector<NodesOfShape> shapes{{tiled.node_count, tiled.tile->mac_count()}};
  for (const SmallerTile& smaller : tiled.smaller_tiles) {
    shapes.front().nodes -= smaller.node_count;
    shapes.push_back({smaller.node_count, smaller.tile->mac_count()});
  }
  return shapes;
}

}  // namespace zz::core
