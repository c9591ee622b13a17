#pragma once
#include <cstdint>
#include <vector>

#include "core/multicore/schedule/schedule_problem.hpp"

namespace zz::core {

/// One stay of a tensor in a memory.
struct TensorCopy {
  int tensor = 0, memory = 0;
  int priority = -1;            ///< index of its count in RemainingUses, or -1
  int next_of_tensor = -1;      ///< singly linked
  int before = -1, after = -1;  ///< in the memory, in order of arrival
  double reserved_from = 0;     ///< cycle from which it takes space
  double available_from = 0;
  double used_until = 0;  ///< end of the last arrival, node or transfer that needs it
};

/// The contents of all memories: which tensors have a copy where. Copies come from a pool, so that the live
/// ones stay close together.
class TensorCopies {
 public:
  void reset(int tensors, int memories);

  int find(int tensor, int memory) const;                       ///< -1: it is not there
  int first_of(int tensor) const { return first_of_[tensor]; }  ///< in no particular order
  int first_in(int memory) const { return ends_[memory].first; }
  int add(const TensorCopy& copy);
  void remove(int copy);
  TensorCopy& operator[](int copy) { return pool_[copy]; }
  const TensorCopy& operator[](int copy) const { return pool_[copy]; }

 private:
  struct Ends {
    int first = -1, last = -1;
  };
  std::vector<TensorCopy> pool_;
  std::vector<int> free_;
  std::vector<int> first_of_;  ///< by tensor
  std::vector<Ends> ends_;     ///< by memory
};

/// Reads of each tensor that are still to come, in total and from each memory.
class RemainingUses {
 public:
  explicit RemainingUses(const ScheduleProblem::Tables& tables);

  /// Starts over for an allocation.
  void reset(const std::vector<int>& group_core);

  /// Index of the count of a tensor in a memory, or -1 when no node reads it from there.
  int find(int tensor, int memory) const;
  std::int64_t at(int index) const { return counts_[index].uses; }
  std::int64_t total(int tensor) const { return total_[tensor]; }
  std::int64_t at_first(int index) const { return counts_[index].at_first; }
  std::int64_t total_at_first(int tensor) const { return total_at_first_[tensor]; }
  void use(int tensor, int reader) {
    --counts_[count_of_[reader]].uses;
    --total_[tensor];
  }

 private:
  struct Count {
    int memory = -1;
    std::int64_t uses = 0, at_first = 0;
  };
  const ScheduleProblem::Tables& tables_;
  std::vector<Count> counts_;  ///< those of a tensor begin at its first reader, one for each memory
  std::vector<int> distinct_;  ///< by tensor: how many
  std::vector<int> count_of_;  ///< by reader
  std::vector<std::int64_t> total_, total_at_first_;
};

}  // namespace zz::core
