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

namespace zz::core {
namespace {

/// What is not renewed for so long is free again; it is renewed three times as often.
constexpr int lease_seconds = 9;
/// Ranges have up to so many places, and a list up to so many ranges where these then have one at least.
constexpr std::uint64_t most_places = 256, usual_ranges = 256;

constexpr const char* now = "extract(epoch FROM clock_timestamp())";

std::string name_of_worker() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  return fmt::format("{}:{}", host.data(), ::getpid());
}

}  // namespace

struct WorkList::Parts {
  Parts(const std::string& store, const ContentKey& of)
      : database(Database::open(store, Database::Access::write)), job(of), worker(name_of_worker()) {}

  Statement& with_job(std::unique_ptr<Statement>& statement, const std::string& text) {
    if (statement == nullptr) statement = database->prepare(text);
    return statement->reset().bind(std::span<const unsigned char>(job));
  }
  void run_with_job(const std::string& text) {
    std::unique_ptr<Statement> statement;
    with_job(statement, text).run();
  }

  void begin(std::uint64_t places) {
    Transaction transaction(*database, Database::Change::tables);
    database->execute(
        "CREATE TABLE IF NOT EXISTS work (job BYTEA, first BIGINT, past BIGINT NOT NULL, worker TEXT, "
        "lease "
        "DOUBLE PRECISION NOT NULL, done BOOLEAN NOT NULL, PRIMARY KEY (job, first))");
    std::unique_ptr<Statement> living;
    with_job(living,
             fmt::format("SELECT 1 FROM work WHERE job = ? AND NOT done AND lease > {} LIMIT 1", now));
    begun = !living->step();
    if (begun) {
      run_with_job("DELETE FROM work WHERE job = ?");
      const std::uint64_t width = std::clamp<std::uint64_t>(places / usual_ranges, 1, most_places);
      run_with_job(
          fmt::format("INSERT INTO work SELECT ?::bytea, g, least(g + {0}, {1}), NULL, 0, false FROM "
                      "generate_series(0::bigint, {1} - 1, {0}) AS g",
                      width, places));
    }
    transaction.commit();
  }

  /// Says now and then that this program lives. An error is told to whoever calls next.
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
        return;
      }
    }
  }

  std::mutex mutex;
  std::unique_ptr<Database> database;
  ContentKey job;
  std::string worker;
  std::unique_ptr<Statement> claim, left, end, keep;
  bool begun = false, over = false;
  std::condition_variable ended;
  std::thread renewer;
};

WorkList::WorkList(const std::string& store, const ContentKey& job, std::uint64_t places)
    : parts_(std::make_unique<Parts>(store, job)) {
  parts_->begin(places);
  parts_->renewer = std::thread([this] { parts_->renew(); });
}

WorkList::~WorkList() {
  {
    const std::lock_guard lock(parts_->mutex);
    parts_->over = true;
  }
  parts_->ended.notify_all();
  parts_->renewer.join();
  try {
    // Another one takes what is not finished at once.
    std::unique_ptr<Statement> leave;
    parts_->with_job(leave, "UPDATE work SET lease = 0 WHERE job = ? AND worker = ? AND NOT done")
        .bind(std::string_view(parts_->worker))
        .run();
  } catch (const InputError&) {
    // The lease ends by itself.
  }
}

bool WorkList::begun_here() const { return parts_->begun; }

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
  parts_->with_job(parts_->end, "UPDATE work SET done = true WHERE job = ? AND first = ?")
      .bind(static_cast<std::int64_t>(range.first))
      .run();
}

}  // namespace zz::core
