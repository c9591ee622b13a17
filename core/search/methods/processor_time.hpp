#pragma once
#include <ctime>

namespace zz::core {

/// Measures the processor time of the calling thread, in seconds. [the thread that made it]
class ProcessorTime {
 public:
  double seconds() const { return now() - begin_; }

 private:
  static double now() {
    std::timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  double begin_ = now();
};

}  // namespace zz::core
