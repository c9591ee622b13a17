#pragma once
#include <string>
#include <vector>

#include "core/multicore/graph/detail/dependency_list.hpp"
#include "core/multicore/graph/detail/element_map.hpp"
#include "core/multicore/graph/detail/network_walk.hpp"

namespace zz::core {

/// Dependencies between layers with reshapes, transpositions and the like between them. Follows each
/// element from the node that writes it to the nodes that read it. Time is linear in the elements of
/// distinct pieces, memory in the elements of one tensor.
class ElementDependencies {
 public:
  /// All must live as long; `warnings` receives a sentence where sizes do not fit exactly.
  ElementDependencies(ComputationNodeGraph& graph, const NetworkWalk& walk, const Rules& rules,
                      std::vector<std::string>& warnings)
      : graph_(graph), walk_(walk), rules_(rules), warnings_(warnings) {}

  /// Adds the dependencies of one path, by producer, then consumer.
  ///
  /// Throws InputError, and adds nothing, when elements cannot be followed: their shapes do not fit, there
  /// are too many, or an operator makes each element from several.
  void add(const LayerPath& path, DependencyList& to);

  /// Elements that are looked at for one path: those that the producer writes and the consumer reads, and
  /// the results of all operators between them. The largest std::int64_t stands for any number beyond it.
  std::int64_t work_of(const LayerPath& path) const;

 private:
  /// Two nodes with a common element; `element` is the first one in row-major order.
  struct Meeting {
    std::int64_t element = 0;
    int from = 0, to = 0;
  };

  Shape extents(const CutLayer& cut_layer, int operand) const;
  Shape data_shape(const CutLayer& cut_layer, int operand) const;
  ElementMap written_by(const CutLayer& producer) const;
  ElementMap after(const PassThroughNode& node, std::int64_t from, const ElementMap& data) const;
  ElementMap followed(const LayerPath& path) const;
  int fit(ElementMap& map, const LayerPath& path) const;
  std::vector<Meeting> meetings(const ElementMap& map, const CutLayer& producer, const CutLayer& consumer,
                                int operand) const;
  void count_again(const CutLayer& cut_layer);

  ComputationNodeGraph& graph_;
  const NetworkWalk& walk_;
  const Rules& rules_;
  std::vector<std::string>& warnings_;
};

}  // namespace zz::core
