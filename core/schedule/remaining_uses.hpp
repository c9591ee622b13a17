#pragma once
#include <cstdint>
#include <vector>

#include "core/schedule/schedule_tables.hpp"

namespace zz::core {

/// How often each tensor will still be read, in total and in each memory where it will be.
class RemainingUses {
 public:
  explicit RemainingUses(const ScheduleProblem::Tables& tables);

  /// Starts over for an allocation.
  void reset(const std::vector<int>& group_core);

  /// Index of the count of a tensor in a memory, or -1 when nobody reads it there.
  int find(int tensor, int memory) const;
  std::int64_t at(int index) const { return counts_[index].uses; }
  std::int64_t total(int tensor) const { return total_[tensor]; }
  void use(int tensor, int reader) {
    --counts_[count_of_[reader]].uses;
    --total_[tensor];
  }

 private:
  struct Count {
    int memory = -1;
    std::int64_t uses = 0;
  };
  const ScheduleProblem::Tables& tables_;
  std::vector<Count> counts_;  ///< of a tensor: from the begin of its readers, one per distinct memory
  std::vector<int> distinct_;  ///< by tensor: how many
  std::vector<int> count_of_;  ///< by reader
  std::vector<std::int64_t> total_;
};

}  // namespace zz::core
