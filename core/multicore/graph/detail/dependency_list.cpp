#include "core/multicore/graph/detail/dependency_list.hpp"

namespace zz::core {

void DependencyList::close() {
  if (list_.size() > opened_at_) spans_[layers_].emplace_back(opened_at_, list_.size());
}

void DependencyList::begin(int producer_layer, int consumer_layer, int operand) {
  close();
  opened_at_ = list_.size();
  layers_ = {producer_layer, consumer_layer};
  operand_ = operand;
  earlier_.clear();
  for (const auto& [first, last] : spans_[layers_]) {
    for (std::size_t i = first; i < last; ++i) {
      if (one_for_each_pair_ || list_[i].operand == operand) earlier_[key(list_[i].from, list_[i].to)] = i;
    }
  }
}

void DependencyList::add(int from, int to, std::int64_t bits) {
  if (!earlier_.empty()) {
    if (const auto found = earlier_.find(key(from, to)); found != earlier_.end()) {
      list_[found->second].operand = operand_;
      list_[found->second].bits = bits;
      return;
    }
  }
  list_.push_back({from, to, operand_, bits});
}

}  // namespace zz::core
