#include "core/store/work_list.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <thread>
#include <unistd.h>

#include "core/base/diagnostics.hpp"
#include "core/store/detail/database.hpp"
#include "core/store/result_store.hpp"

namespace zz::core {
namespace {

/// What is not renewed for so long is free again; it is renewed three times as often.
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
    }
    transaction.commit();
    return alone;
  }

  /// Others may take at once what this program has not finished.
  void leave() {
    std::unique_ptr<Statement> all;
    with_job(all, "UPDATE work SET lease = 0, worker = NULL WHERE job = ? AND worker = ? AND NOT done")
        .bind(std::string_view(worker))
        .run();
  }

  /// Says now and then that this program lives.
  void renew() {
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, std::chrono::seconds(lease_seconds) / 3, [this] { return over; })) {
      try {
        with_job(keep,
                 fmt::format("UPDATE work SET lease = {} + {} WHERE job = ? AND worker = ? AND NOT done",
                             now, lease_seconds))
            .bind(std::string_view(worker))
            .run();
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
      leave();
    } catch (const InputError&) {
      // The lease ends by itself.
    }
  }

  std::mutex mutex;
  std::unique_ptr<Database> database;
  ContentKey job;
  std::string worker;
  std::unique_ptr<Statement> claim, left, end, keep;
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
  parts_->leave();
}

WorkList::~WorkList() = default;

WorkList::Range WorkList::take() {
  const std::lock_guard lock(parts_->mutex);
  Statement& claim = parts_->with_job(
      parts_->claim,
      fmt::format(
          "WITH free AS (SELECT job, first FROM work WHERE job = ? AND NOT done AND lease < {0} ORDER "
          "BY first LIMIT 1 FOR UPDATE SKIP LOCKED) UPDATE work w SET worker = ?, lease = {0} + {1} "
          "FROM free WHERE w.job = free.job AND w.first = free.first RETURNING w.first, w.past",
          now, lease_seconds));
  claim.bind(std::string_view(parts_->worker));
  if (claim.step())
    return {Range::taken, static_cast<std::uint64_t>(claim.integer(0)),
            static_cast<std::uint64_t>(claim.integer(1))};
  Statement& left = parts_->with_job(parts_->left, "SELECT count(*) FROM work WHERE job = ? AND NOT done");
  return {left.step() && left.integer(0) > 0 ? Range::elsewhere : Range::done};
}

void WorkList::finish(const Range& range) {
  const std::lock_guard lock(parts_->mutex);
  parts_->with_job(parts_->end, "UPDATE work SET done = true WHERE job = ? AND first = ? AND worker = ?")
      .bind(static_cast<std::int64_t>(range.first))
      .bind(std::string_view(parts_->worker))
      .run();
}

}  // namespace zz::core
