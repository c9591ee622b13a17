#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace zz::host {

/// The time of a run, by account (--timings). The time of a thread goes to the innermost open account, so a
/// stage is not charged for the stages below it. Only measured on request.

/// One line of the table. Lives as long as the process.
struct TimeAccount {
  std::string what;
  std::atomic<std::int64_t> nanoseconds{0};  ///< over all threads
  std::atomic<std::int64_t> calls{0};
};

/// [main]
void measure_time_spent();
bool time_is_measured();

/// The account of that name; nullptr when nothing is measured. The first call creates it; rows of the table
/// have that order. [any]
TimeAccount* time_account(const std::string& what);

/// Charges an account, and no other, during its own life time on this thread. nullptr charges none.
class Charge {
 public:
  explicit Charge(TimeAccount* account);
  explicit Charge(const char* what) : Charge(time_is_measured() ? time_account(what) : nullptr) {}
  ~Charge();
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;

 private:
  TimeAccount* before_;
};

struct TimeSpent {
  std::string what;
  double seconds = 0;
  std::int64_t calls = 0;
};
/// The times measured so far, in the order of the accounts.
std::vector<TimeSpent> time_spent();

}  // namespace zz::host
