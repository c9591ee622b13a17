#include "host/services/progress.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <unistd.h>

#include "core/text/printable.hpp"
#include "host/chain/place.hpp"
#include "host/command_line/terminal.hpp"
#include "host/services/cancellation.hpp"
#include "host/services/progress_text.hpp"

namespace zz::host {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds redraw_interval{100};
/// Of whole lines, where no line can be redrawn: a log of an hour has some dozens of them.
constexpr std::chrono::seconds line_interval{30};

struct Task : ProgressTask {
  const zz_place* at = nullptr;
  Clock::time_point begin;
};

/// The form of the display: a line that is redrawn, or new lines at intervals.
enum class Display { none, redrawn, lines };

struct ProgressState {
  std::mutex mutex;
  Display display = Display::none;
  bool line_on_screen = false;
  std::vector<Task> tasks;  ///< open ones, outermost first
  Counters counters;
  Clock::time_point last_shown{};
};
ProgressState& progress_state() {
  static ProgressState all;
  return all;
}

void wipe(ProgressState& progress) {
  if (!progress.line_on_screen) return;
  std::fputs("\r\033[K", stderr);
  progress.line_on_screen = false;
}

std::string text_of(const ProgressState& progress) {
  const std::vector<ProgressTask> tasks(progress.tasks.begin(), progress.tasks.end());
  const std::chrono::duration<double> spent = Clock::now() - progress.tasks.front().begin;
  return core::printable_line(progress_text(tasks, progress.counters, spent.count()));
}

/// Shows progress at fixed intervals, independent of the stages.
void show(ProgressState& progress) {
  if (progress.display == Display::none || progress.tasks.empty()) return;
  const auto now = Clock::now();
  const bool redrawn = progress.display == Display::redrawn;
  if (now - progress.last_shown < (redrawn ? redraw_interval : line_interval)) return;
  progress.last_shown = now;
  const std::string text = text_of(progress);
  if (redrawn)
    std::fputs(("\r" + shortened(text, terminal_width()) + "\033[K").c_str(), stderr);
  else
    std::fputs(("zz-host: " + text + "\n").c_str(), stderr);
  std::fflush(stderr);
  progress.line_on_screen = redrawn;
}

/// Redraws the line also while no stage reports.
class Ticker {
 public:
  Ticker() {
    const SignalsBlocked blocked;
    thread_ = std::thread([this] { run(); });
  }
  ~Ticker() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::seconds(1), [this] { return stopping_; })) {
      const std::lock_guard progress_lock(progress_state().mutex);
      show(progress_state());
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

std::optional<Ticker>& ticker() {
  static std::optional<Ticker> one;
  return one;
}

Task* task_of(ProgressState& progress, const zz_place* at) {
  for (auto task = progress.tasks.rbegin(); task != progress.tasks.rend(); ++task) {
    if (task->at == at) return &*task;
  }
  return nullptr;
}

void begin(zz_place* at, const char* label, std::size_t size, std::uint64_t total) noexcept {
  ProgressState& progress = progress_state();
  const std::lock_guard lock(progress.mutex);
  if (Task* task = task_of(progress, at); task != nullptr) {
    ++task->open;
    task->total += total;
  } else {
    Task& fresh = progress.tasks.emplace_back();
    fresh.label.assign(label != nullptr ? label : "", label != nullptr ? size : 0);
    fresh.total = total;
    fresh.at = at;
    fresh.begin = Clock::now();
  }
  show(progress);
}

void advance(zz_place* at, std::uint64_t steps) noexcept {
  ProgressState& progress = progress_state();
  const std::lock_guard lock(progress.mutex);
  if (Task* task = task_of(progress, at); task != nullptr) task->done += steps;
  show(progress);
}

void end(zz_place* at) noexcept {
  ProgressState& progress = progress_state();
  const std::lock_guard lock(progress.mutex);
  Task* const task = task_of(progress, at);
  if (task == nullptr) return;
  if (task->open == 1) {
    progress.tasks.erase(progress.tasks.begin() + (task - progress.tasks.data()));
    return;
  }
  // The finished opening no longer counts as work in progress.
  const std::uint64_t share = task->total / task->open;
  task->total -= share;
  task->done -= std::min(task->done, share);
  --task->open;
}

void count(zz_place*, const char* what, std::size_t size, std::uint64_t amount) noexcept {
  ProgressState& progress = progress_state();
  const std::lock_guard lock(progress.mutex);
  const std::string_view name(what != nullptr ? what : "", what != nullptr ? size : 0);
  for (auto& [known, sum] : progress.counters) {
    if (known != name) continue;
    sum += amount;
    show(progress);
    return;
  }
  progress.counters.emplace_back(name, amount);
}

}  // namespace

void start_progress(ProgressMode mode) {
  if (mode == ProgressMode::never) return;
  const bool redrawn = mode == ProgressMode::always || is_smart_terminal(STDERR_FILENO);
  {
    const std::lock_guard lock(progress_state().mutex);
    progress_state().display = redrawn ? Display::redrawn : Display::lines;
    progress_state().last_shown = redrawn ? Clock::time_point{} : Clock::now();
  }
  ticker().emplace();
}

void clear_progress_line() {
  const std::lock_guard lock(progress_state().mutex);
  wipe(progress_state());
}

void stop_progress() {
  ticker().reset();
  const std::lock_guard lock(progress_state().mutex);
  wipe(progress_state());
  std::fflush(stderr);
  progress_state().display = Display::none;
}

std::vector<std::pair<std::string, std::uint64_t>> counters() {
  const std::lock_guard lock(progress_state().mutex);
  auto sorted = progress_state().counters;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

const zz_progress progress_table{sizeof(zz_progress), begin, advance, end, count};

}  // namespace zz::host
