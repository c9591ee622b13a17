#include "core/schedule/tensor_copies.hpp"

namespace zz::core {

void TensorCopies::reset(int tensors, int memories) {
  pool_.clear();
  free_.clear();
  first_of_.assign(tensors, -1);
  ends_.assign(memories, {});
}

int TensorCopies::find(int tensor, int memory) const {
  int copy = first_of_[tensor];
  while (copy >= 0 && pool_[copy].memory != memory) copy = pool_[copy].next_of_tensor;
  return copy;
}

int TensorCopies::add(const TensorCopy& copy) {
  int place = static_cast<int>(pool_.size());
  if (free_.empty()) {
    pool_.push_back(copy);
  } else {
    place = free_.back();
    free_.pop_back();
    pool_[place] = copy;
  }
  TensorCopy& added = pool_[place];
  added.next_of_tensor = first_of_[copy.tensor];
  first_of_[copy.tensor] = place;
  Ends& ends = ends_[copy.memory];
  added.before = ends.last;
  added.after = -1;
  (ends.last >= 0 ? pool_[ends.last].after : ends.first) = place;
  ends.last = place;
  return place;
}

void TensorCopies::remove(int copy) {
  const TensorCopy& removed = pool_[copy];
  int* link = &first_of_[removed.tensor];
  while (*link != copy) link = &pool_[*link].next_of_tensor;
  *link = removed.next_of_tensor;
  Ends& ends = ends_[removed.memory];
  (removed.before >= 0 ? pool_[removed.before].after : ends.first) = removed.after;
  (removed.after >= 0 ? pool_[removed.after].before : ends.last) = removed.before;
  free_.push_back(copy);
}

}  // namespace zz::core
