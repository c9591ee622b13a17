#include "core/hardware/routing.hpp"

#include <algorithm>

namespace zz::core {
namespace {

struct Step {
  int core = -1;  ///< the next core towards the end that the search started from
  int link = -1;
  bool seen = false;
};

}  // namespace

Routing::Routing(int core_count, const std::vector<Connection>& connections)
    : successors_(core_count), predecessors_(core_count) {
  for (const Connection& connection : connections) {
    successors_[connection.from].push_back({connection.to, connection.link});
    predecessors_[connection.to].push_back({connection.from, connection.link});
  }
}

std::vector<int> Routing::route(int from, int to) const {
  if (from == to) return {};
  std::vector<Step> backward(successors_.size()), forward(successors_.size());
  backward[from].seen = forward[to].seen = true;
  std::vector<int> from_start = {from}, from_end = {to};
  int meeting = -1;

  // Extends one of the two searches by a level, until it meets the other one.
  const auto extend = [&meeting](std::vector<int>& frontier, std::vector<Step>& own,
                                 const std::vector<Step>& other,
                                 const std::vector<std::vector<Neighbour>>& neighbours) {
    const std::vector<int> level = std::move(frontier);
    frontier.clear();
    for (const int core : level) {
      for (const Neighbour& next : neighbours[core]) {
        if (!own[next.core].seen) {
          own[next.core] = {core, next.link, true};
          frontier.push_back(next.core);
        }
        if (other[next.core].seen) {
          meeting = next.core;
          return;
        }
      }
    }
  };
  while (meeting < 0 && !from_start.empty() && !from_end.empty()) {
    if (from_start.size() <= from_end.size()) {
      extend(from_start, backward, forward, successors_);
    } else {
      extend(from_end, forward, backward, predecessors_);
    }
  }
  if (meeting < 0) return {};

  std::vector<int> links;
  for (int core = meeting; core != from; core = backward[core].core) links.push_back(backward[core].link);
  std::reverse(links.begin(), links.end());
  for (int core = meeting; core != to; core = forward[core].core) links.push_back(forward[core].link);
  return links;
}

}  // namespace zz::core
