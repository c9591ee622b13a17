#include "core/store/work_list.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <unistd.h>

#include "core/base/diagnostics.hpp"
#include "core/store/detail/database.hpp"
#include "core/store/result_store.hpp"

namespace zz::core {
namespace {

/// A range that is not renewed for so long is free again; it is renewed three times as often.
constexpr int lease_seconds = 9;
/// Ranges have up to so many places, and a list up to so many ranges where these then have one at least.
constexpr std::uint64_t most_places = 256, usual_ranges = 256;

constexpr const char* now = "extract(epoch FROM clock_timestamp())";

/// With the time, because a container that is restarted has the host and the number of the lost one.
std::string name_of_worker() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  return fmt::format("{}:{}:{}", host.data(), ::getpid(),
                     std::chrono::system_clock::now().time_since_epoch().count());
}

}  // namespace

struct WorkList::Parts {
  Parts(const std::string& store, const ContentKey& of)
      : database(Database::open(store, Database::Access::write, usual_patience)),
        job(of),
        worker(name_of_worker()) {}

  Statement& with_job(std::unique_ptr<Statement>& statement, const std::string& text) {
    if (statement == nullptr) statement = database->prepare(text);
    return statement->reset().bind(std::span<const unsigned char>(job));
  }
  /// Makes the list where nobody is at it, with all ranges this program's. Whether it did.
  bool make(std::uint64_t places) {
    Transaction transaction(*database, Database::Change::tables);
    database->execute(
        "CREATE TABLE IF NOT EXISTS work (job BYTEA, first BIGINT, past BIGINT NOT NULL, worker TEXT, "
        "lease DOUBLE PRECISION NOT NULL, done BOOLEAN NOT NULL, PRIMARY KEY (job, first))");
    database->execute("CREATE INDEX IF NOT EXISTS work_left ON work (job, first) WHERE NOT done");
    std::unique_ptr<Statement> living, drop, fill;
    const bool alone = !with_job(living, fmt::format("SELECT 1 FROM work WHERE job = ? AND NOT done AND "
                                                     "lease > {} LIMIT 1",
                                                     now))
                            .step();
    if (alone) {
      with_job(drop, "DELETE FROM work WHERE job = ?").run();
      const std::uint64_t width = std::clamp<std::uint64_t>(places / usual_ranges, 1, most_places);
      with_job(fill, fmt::format("INSERT INTO work SELECT ?::bytea, g, least(g + {0}, {1}), ?::text, {2} + "
                                 "{3}, false FROM generate_series(0::bigint, {1} - 1, {0}) AS g",
                                 width, places, now, lease_seconds))
          .bind(std::string_view(worker))
          .run();
      held = {0, places};
    }
    transaction.commit();
    return alone;
  }

  /// Those of this program from the first to the last one that it may have, so that nobody looks through a
  /// long list.
  Statement& with_held(std::unique_ptr<Statement>& statement, const std::string& change) {
    return with_job(statement, "UPDATE work SET " + change +
                                   " WHERE job = ? AND first BETWEEN ? AND ? AND worker = ? AND NOT done")
        .bind(static_cast<std::int64_t>(*held.begin()))
        .bind(static_cast<std::int64_t>(*held.rbegin()))
        .bind(std::string_view(worker));
  }

  /// Others may take at once what this program has not finished: with `begun`, they know that it had been
  /// at it.
  void leave(bool begun) {
    if (held.empty()) return;
    std::unique_ptr<Statement> all;
    with_held(all, begun ? "lease = 0" : "lease = 0, worker = NULL").run();
    held.clear();
  }

  /// The lowest range from that place on that nobody has.
  std::optional<Range> claim_from(std::uint64_t place) {
    Statement& found = with_job(
        claim,
        fmt::format("WITH free AS (SELECT job, first, worker FROM work WHERE job = ? AND first >= ? AND "
                    "NOT done AND lease < {0} ORDER BY first LIMIT 1 FOR UPDATE SKIP LOCKED) UPDATE work w "
                    "SET worker = ?, lease = {0} + {1} FROM free WHERE w.job = free.job AND w.first = "
                    "free.first RETURNING w.first, w.past, CASE WHEN free.worker IS NULL THEN 0 ELSE 1 END",
                    now, lease_seconds));
    found.bind(static_cast<std::int64_t>(place)).bind(std::string_view(worker));
    if (!found.step()) return std::nullopt;
    const Range range{Range::taken, static_cast<std::uint64_t>(found.integer(0)),
                      static_cast<std::uint64_t>(found.integer(1)), found.integer(2) != 0};
    held.insert(range.first);
    next = range.first;
    return range;
  }

  /// The lowest range that is not finished.
  std::optional<std::uint64_t> lowest_left() {
    Statement& found = with_job(
        left, "SELECT first FROM work WHERE job = ? AND first >= ? AND NOT done ORDER BY first LIMIT 1");
    found.bind(static_cast<std::int64_t>(lowest));
    if (!found.step()) return std::nullopt;
    return lowest = static_cast<std::uint64_t>(found.integer(0));
  }

  /// Says now and then that this program lives.
  void renew() {
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, std::chrono::seconds(lease_seconds) / 3, [this] { return over; })) {
      if (held.empty()) continue;
      try {
        with_held(keep, fmt::format("lease = {} + {}", now, lease_seconds)).run();
      } catch (const InputError&) {
        // A server that is gone is told to whoever calls next. Else it is tried again.
      }
    }
  }

  ~Parts() {
    if (!renewer.joinable()) return;
    {
      const std::lock_guard lock(mutex);
      over = true;
    }
    ended.notify_all();
    renewer.join();
    try {
      leave(true);
    } catch (const InputError&) {
      // The lease ends by itself.
    }
  }

  std::mutex mutex;
  std::unique_ptr<Database> database;
  ContentKey job;
  std::string worker;
  std::unique_ptr<Statement> claim, left, end, keep;
  std::set<std::uint64_t> held;  ///< where ranges of this program begin
  std::uint64_t next = 0,
                lowest = 0;  ///< below these all ranges had been taken, or finished, at the last look
  bool over = false;
  std::condition_variable ended;
  std::thread renewer;
};

WorkList::WorkList(const std::string& store, const ContentKey& job, std::uint64_t places,
                   const std::function<void()>& begin)
    : parts_(std::make_unique<Parts>(store, job)) {
  const bool made = parts_->make(places);
  parts_->renewer = std::thread([this] { parts_->renew(); });
  if (!made) return;
  begin();
  const std::lock_guard lock(parts_->mutex);
  parts_->leave(false);
}

WorkList::~WorkList() = default;

WorkList::Range WorkList::take() {
  const std::lock_guard lock(parts_->mutex);
  if (const std::optional<Range> range = parts_->claim_from(parts_->next)) return *range;
  // Ranges left below were lost by another program, or are still at work.
  const std::optional<std::uint64_t> lowest = parts_->lowest_left();
  if (!lowest) return {Range::done};
  if (const std::optional<Range> range = parts_->claim_from(*lowest)) return *range;
  return {Range::elsewhere};
}

void WorkList::finish(const Range& range) {
  const std::lock_guard lock(parts_->mutex);
  parts_->with_job(parts_->end, "UPDATE work SET done = true WHERE job = ? AND first = ? AND worker = ?")
      .bind(static_cast<std::int64_t>(range.first))
      .bind(std::string_view(parts_->worker))
      .run();
  parts_->held.erase(range.first);
}

}  // namespace zz::core
