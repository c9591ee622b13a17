#include "core/multicore/schedule/tensor_copies.hpp"

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
  int slot = static_cast<int>(pool_.size());
  if (free_.empty()) {
    pool_.push_back(copy);
  } else {
    slot = free_.back();
    free_.pop_back();
    pool_[slot] = copy;
  }
  TensorCopy& added = pool_[slot];
  added.next_of_tensor = first_of_[copy.tensor];
  first_of_[copy.tensor] = slot;
  Ends& ends = ends_[copy.memory];
  added.before = ends.last;
  added.after = -1;
  (ends.last >= 0 ? pool_[ends.last].after : ends.first) = slot;
  ends.last = slot;
  return slot;
}

void TensorCopies::remove(int copy) {
  const TensorCopy& removed = pool_[copy];
  int* pointer = &first_of_[removed.tensor];
  while (*pointer != copy) pointer = &pool_[*pointer].next_of_tensor;
  *pointer = removed.next_of_tensor;
  Ends& ends = ends_[removed.memory];
  (removed.before >= 0 ? pool_[removed.before].after : ends.first) = removed.after;
  (removed.after >= 0 ? pool_[removed.after].before : ends.last) = removed.before;
  free_.push_back(copy);
}

RemainingUses::RemainingUses(const ScheduleProblem::Tables& tables)
    : tables_(tables),
      counts_(tables.readers.entries.size()),
      distinct_(tables.tensor_count),
      count_of_(tables.readers.entries.size()),
      total_(tables.tensor_count),
      total_at_first_(tables.tensor_count) {}

void RemainingUses::reset(const std::vector<int>& group_core) {
  for (int tensor = 0; tensor < tables_.tensor_count; ++tensor) {
    const int begin = tables_.readers.begin[tensor], end = tables_.readers.begin[tensor + 1];
    int count = begin;
    std::int64_t total = 0;
    for (int reader = begin; reader < end; ++reader) {
      const TensorReader& entry = tables_.readers.entries[reader];
      const int memory = tables_.top(group_core[entry.group], entry.memory_operand);
      int i = begin;
      while (i < count && counts_[i].memory != memory) ++i;
      count_of_[reader] = i;
      if (i == count) {
        counts_[count++] = {memory, entry.uses};
        total += entry.uses;
      } else if (tables_.is_output[tensor] || !tables_.options.rules.repeated_transfers_free) {
        // Stream: how often a constant is read is known for all readers together.
        counts_[i].uses += entry.uses;
        total += entry.uses;
      }
    }
    for (int i = begin; i < count; ++i) counts_[i].at_first = counts_[i].uses;
    distinct_[tensor] = count - begin;
    total_[tensor] = total_at_first_[tensor] = total;
  }
}

int RemainingUses::find(int tensor, int memory) const {
  const int begin = tables_.readers.begin[tensor];
  for (int i = begin; i < begin + distinct_[tensor]; ++i) {
    if (counts_[i].memory == memory) return i;
  }
  return -1;
}

}  // namespace zz::core
