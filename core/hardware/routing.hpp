#pragma once
#include <utility>
#include <vector>

#include "core/hardware/multi_core_accelerator.hpp"

namespace zz::core {

/// One way between every two cores: fewest connections, whatever their bandwidth. Of several shortest ones
/// it is the one that a breadth-first search from both ends meets first, which always extends the smaller
/// frontier (the start's when both are equal) and looks at connections in order of construction.
/// Two connections apart, the way therefore leads through the core that has the destination's earliest
/// incoming connection; special cores are as good on the way as any other.
class Routing {
 public:
  Routing(int core_count, const std::vector<Connection>& connections);

  /// Links from one core to another, in order; empty when they are the same or there is no way.
  std::vector<int> route(int from, int to) const;

 private:
  struct Neighbour {
    int core;
    int link;
  };
  std::vector<std::vector<Neighbour>> successors_, predecessors_;
};

}  // namespace zz::core
