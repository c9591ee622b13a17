#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace zz::host {

/// Waits until `changed` is notified, or less long, as std::condition_variable::wait does. Since GCC 12
/// that function has a version of its own, which the C++ library of GCC 11 lacks: wheels would not load on
/// RHEL 9 and its like. Waiting for a time that never comes needs none of the library.
inline void wait(std::condition_variable& changed, std::unique_lock<std::mutex>& lock) {
  changed.wait_until(lock, std::chrono::steady_clock::time_point::max());
}

}  // namespace zz::host
