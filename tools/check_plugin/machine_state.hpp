#pragma once
#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

namespace zz::host {

/// State that a stage has to leave as it found it: of the calling thread and of the process.
class MachineState {
 public:
  static MachineState now();

  /// The difference in `later`, for a message: "the rounding mode"; "" when there is none.
  std::string changed_in(const MachineState& later) const;
  /// Puts rounding, flush-to-zero, locale, folder and signal handlers back, so that one change is told
  /// once.
  void restore() const;

 private:
  int rounding_ = 0;
  std::uint32_t control_ = 0;  ///< of the vector unit, without its exception flags; 0 where there is none
  std::string locale_, folder_;
  std::vector<struct sigaction> handlers_;
  sigset_t blocked_{};
};

/// Number of threads of this process.
int thread_count();

/// True when there are more threads than `before`, and not only for the moment in which one ends.
bool threads_were_added(int before);

}  // namespace zz::host
