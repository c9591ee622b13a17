#include "core/workload/same_work.hpp"

namespace zz::core {

bool same_work(const Layer& a, const Layer& b) {
  if (a.loops != b.loops || a.operands.size() != b.operands.size()) return false;
  // What is left out is evened out in a copy, so that a field that is added later counts.
  Layer like_a = b;
  like_a.id = a.id;
  like_a.name = a.name;
  for (std::size_t i = 0; i < a.operands.size(); ++i) like_a.operands[i].sources = a.operands[i].sources;
  return like_a == a;
}

}  // namespace zz::core
