#pragma once
#include <vector>

namespace zz::core {

/// One stay of a tensor in a memory.
struct TensorCopy {
  int tensor = 0, memory = 0;
  int priority = -1;            ///< index into the priorities of RemainingUses, or -1
  int next_of_tensor = -1;      ///< singly linked
  int before = -1, after = -1;  ///< in the memory, in order of arrival
  double reserved_from = 0;     ///< cycle from which it takes space
  double available_from = 0;
  double used_until = 0;  ///< end of the last arrival, node or transfer that needs it
};

/// Who has what: the copies that are there after the decisions so far. Copies are taken from a pool, so
/// the live ones stay close together.
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

}  // namespace zz::core
