#pragma once
#include <string>
#include <vector>

#include "core/fusion/dependency_list.hpp"
#include "core/fusion/element_map.hpp"
#include "core/fusion/network_walk.hpp"

namespace zz::core {

/// Dependencies of layers between which operators change the shape of the data: every element is followed
/// from the node that writes it to those that read it. Time linear in the elements of distinct tiles,
/// memory in the elements of one tensor.
class ElementDependencies {
 public:
  /// All must live as long; `warnings` receives a sentence where sizes do not fit exactly.
  ElementDependencies(ComputationNodeGraph& graph, const NetworkWalk& walk, bool stream_compat,
                      std::vector<std::string>& warnings)
      : graph_(graph), walk_(walk), stream_compat_(stream_compat), warnings_(warnings) {}

  /// Adds the dependencies of one path. In compat their order is that of a hash set, and the bits written
  /// by the nodes of both layers are counted once more before (docs/deviations.md).
  ///
  /// Throws InputError when the shapes cannot be made to fit.
  void add(const LayerPath& path, DependencyList& to);

 private:
  /// A node that reads an element of another one, first at this element in row-major order.
  struct Meeting {
    std::int64_t element = 0;
    int from = 0, to = 0;
  };

  Shape extents(const TiledLayer& tiled, int operand) const;
  Shape data_shape(const TiledLayer& tiled, int operand) const;
  ElementMap written_by(const TiledLayer& producer) const;
  ElementMap after(const PassThroughNode& node, std::int64_t from, const ElementMap& data) const;
  ElementMap followed(const LayerPath& path) const;
  int fit(ElementMap& map, const LayerPath& path) const;
  std::vector<Meeting> meetings(const ElementMap& map, const TiledLayer& producer,
                                const TiledLayer& consumer, int operand) const;
  void count_again(const TiledLayer& tiled);

  ComputationNodeGraph& graph_;
  const NetworkWalk& walk_;
  bool stream_compat_;
  std::vector<std::string>& warnings_;
};

}  // namespace zz::core
