#include "host/base/time_spent.hpp"

#include <ctime>
#include <deque>
#include <mutex>

namespace zz::host {
namespace {

using Clock = std::chrono::steady_clock;

bool measured = false;

struct Accounts {
  std::mutex mutex;
  std::deque<TimeAccount> all;
};
Accounts& accounts() {
  static Accounts known;
  return known;
}

struct OnThread {
  TimeAccount* open = nullptr;
  Clock::time_point since;  ///< when the open one was last charged
};
thread_local OnThread on_thread;

/// Charges the open account up to now, and opens another one.
void open(TimeAccount* account) {
  const Clock::time_point now = Clock::now();
  if (on_thread.open != nullptr) {
    const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(now - on_thread.since);
    on_thread.open->nanoseconds.fetch_add(spent.count(), std::memory_order_relaxed);
  }
  on_thread = {account, now};
}

}  // namespace

void measure_time_spent() {
  measured = true;
  // The time before main() went into loading libraries.
  timespec before{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  TimeAccount& loading = *time_account("loading the program");
  loading.nanoseconds = before.tv_sec * 1'000'000'000 + before.tv_nsec;
  loading.calls = 1;
}

bool time_is_measured() { return measured; }

TimeAccount* time_account(const std::string& what) {
  if (!measured) return nullptr;
  const std::lock_guard lock(accounts().mutex);
  for (TimeAccount& account : accounts().all) {
    if (account.what == what) return &account;
  }
  TimeAccount& made = accounts().all.emplace_back();
  made.what = what;
  return &made;
}

Charge::Charge(TimeAccount* account) : before_(on_thread.open) {
  if (!measured) return;
  if (account != nullptr) account->calls.fetch_add(1, std::memory_order_relaxed);
  open(account);
}

Charge::~Charge() {
  if (measured) open(before_);
}

std::vector<TimeSpent> time_spent() {
  const std::lock_guard lock(accounts().mutex);
  std::vector<TimeSpent> spent;
  for (const TimeAccount& account : accounts().all)
    spent.push_back({account.what, 1e-9 * static_cast<double>(account.nanoseconds), account.calls});
  return spent;
}

}  // namespace zz::host
