#include "core/schedule/remaining_uses.hpp"

namespace zz::core {

RemainingUses::RemainingUses(const ScheduleProblem::Tables& tables)
    : tables_(tables),
      counts_(tables.readers.entries.size()),
      distinct_(tables.tensor_count),
      count_of_(tables.readers.entries.size()),
      total_(tables.tensor_count) {}

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
      } else if (tables_.is_output[tensor]) {
        // Reads of outputs add up; how often a constant is read is known for all readers together.
        counts_[i].uses += entry.uses;
        total += entry.uses;
      }
    }
    distinct_[tensor] = count - begin;
    total_[tensor] = total;
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
