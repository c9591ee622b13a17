#include "core/schedule/node_sequence.hpp"

#include <algorithm>

namespace zz::core {

void order_by_rank(const CompressedRows<int>& successors, const std::vector<int>& predecessor_count,
                   const std::vector<int>& rank_of, std::vector<int>& waiting, std::vector<int>& sequence) {
  const auto later = [&](int a, int b) { return rank_of[a] > rank_of[b]; };
  waiting = predecessor_count;
  sequence.clear();
  sequence.reserve(rank_of.size());
  std::vector<int> ready;
  for (std::size_t node = 0; node < rank_of.size(); ++node) {
    if (waiting[node] == 0) ready.push_back(static_cast<int>(node));
  }
  std::make_heap(ready.begin(), ready.end(), later);
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), later);
    const int node = ready.back();
    ready.pop_back();
    sequence.push_back(node);
    for (const int successor : successors[node]) {
      if (--waiting[successor] > 0) continue;
      ready.push_back(successor);
      std::push_heap(ready.begin(), ready.end(), later);
    }
  }
}

}  // namespace zz::core
