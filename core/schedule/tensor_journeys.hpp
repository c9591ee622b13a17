#pragma once
#include <vector>

namespace zz::core {

/// The transfers of each tensor, latest first: others may receive the tensor from the same transfer.
class TensorJourneys {
 public:
  struct Journey {
    int sender = 0, receiver = 0;  ///< cores
    double start = 0, end = 0;
    int earlier = -1;  ///< of the same tensor
  };

  void reset(int tensors) {
    latest_.assign(tensors, -1);
    journeys_.clear();
  }
  void note(int tensor, const Journey& journey) {
    journeys_.push_back(journey);
    journeys_.back().earlier = latest_[tensor];
    latest_[tensor] = static_cast<int>(journeys_.size()) - 1;
  }
  int latest(int tensor) const { return latest_[tensor]; }
  const Journey& operator[](int journey) const { return journeys_[journey]; }

 private:
  std::vector<int> latest_;
  std::vector<Journey> journeys_;
};

}  // namespace zz::core
