#include "host/base/progress.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "core/base/text.hpp"
#include "host/base/cancellation.hpp"
#include "host/base/run.hpp"
#include "host/base/terminal.hpp"

namespace zz::host {
namespace {

/// Earlier estimates would be guesses.
constexpr double least_seconds = 1, least_fraction = 0.005;

std::string duration(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", std::max(1.0, seconds));
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

double fraction_done(std::span<const ProgressTask> tasks) {
  if (tasks.empty() || tasks.front().total == 0) return 0;
  const ProgressTask& task = tasks.front();
  const std::span<const ProgressTask> inner = tasks.subspan(1);
  const double begun = inner.empty() ? 0 : inner.front().open * fraction_done(inner);
  return std::min(1.0, (static_cast<double>(task.done) + begun) / static_cast<double>(task.total));
}

std::string progress_text(std::span<const ProgressTask> tasks, const Counters& counters, double seconds) {
  std::string text;
  for (const ProgressTask& task : tasks) {
    if (!text.empty()) text += " > ";
    text += task.label;
    text +=
        task.total > 0 ? fmt::format(" {} of {}", task.done, task.total) : fmt::format(" {}", task.done);
  }
  const auto rated = std::find_if(counters.begin(), counters.end(),
                                  [](const auto& one) { return one.first.ends_with(" evaluated"); });
  if (rated != counters.end() && seconds > 0.2)
    text += fmt::format(" | {:.3g} {}/s", static_cast<double>(rated->second) / seconds, rated->first);
  const double fraction = fraction_done(tasks);
  // Counts may reach their end before the work does, and what still runs is not done.
  if (seconds >= least_seconds && fraction >= least_fraction && fraction < 1)
    text += fmt::format(" | {:.0f} %, about {} left", std::floor(100 * fraction),
                        duration(seconds * (1 - fraction) / fraction));
  return text;
}

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds redraw_interval{100};
/// Interval of whole lines, where no line can be redrawn: a log of an hour has some dozens of them.
constexpr std::chrono::seconds line_interval{30};

struct OpenTask : ProgressTask {
  const void* at = nullptr;
  Clock::time_point begin;
};

/// The form of the display: a line that is redrawn, or new lines at intervals.
enum class Display { none, redrawn, lines };

/// Calls a function every second, also while no stage reports.
class Ticker {
 public:
  explicit Ticker(std::function<void()> tick) : tick_(std::move(tick)) {
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
    while (!changed_.wait_for(lock, std::chrono::seconds(1), [this] { return stopping_; })) tick_();
  }

  std::function<void()> tick_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace

/// All functions want the mutex held.
struct Progress::State {
  std::mutex mutex;
  Display display = Display::none;
  bool line_on_screen = false;
  std::vector<OpenTask> tasks;  ///< outermost first
  Counters counters;
  Clock::time_point last_shown{};
  std::optional<Ticker> ticker;

  OpenTask* task_of(const void* at) {
    for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) {
      if (task->at == at) return &*task;
    }
    return nullptr;
  }

  void wipe() {
    if (!line_on_screen) return;
    std::fputs("\r\033[K", stderr);
    line_on_screen = false;
  }

  std::string text() const {
    const std::vector<ProgressTask> open(tasks.begin(), tasks.end());
    const std::chrono::duration<double> spent = Clock::now() - tasks.front().begin;
    return core::printable_line(progress_text(open, counters, spent.count()));
  }

  /// Shows progress at fixed intervals, independent of the stages.
  void show() {
    if (display == Display::none || tasks.empty()) return;
    const auto now = Clock::now();
    const bool redrawn = display == Display::redrawn;
    if (now - last_shown < (redrawn ? redraw_interval : line_interval)) return;
    last_shown = now;
    if (redrawn)
      std::fputs(("\r" + shortened(text(), terminal_width()) + "\033[K").c_str(), stderr);
    else
      std::fputs(("zz-host: " + text() + "\n").c_str(), stderr);
    std::fflush(stderr);
    line_on_screen = redrawn;
  }
};

Progress::Progress() : state_(std::make_unique<State>()) {}
Progress::~Progress() { state_->ticker.reset(); }

void Progress::begin(const void* at, std::string_view label, std::uint64_t total) {
  const std::lock_guard lock(state_->mutex);
  if (OpenTask* task = state_->task_of(at); task != nullptr) {
    ++task->open;
    task->total += total;
  } else {
    OpenTask& fresh = state_->tasks.emplace_back();
    fresh.label = label;
    fresh.total = total;
    fresh.at = at;
    fresh.begin = Clock::now();
  }
  state_->show();
}

void Progress::advance(const void* at, std::uint64_t steps) {
  const std::lock_guard lock(state_->mutex);
  if (OpenTask* task = state_->task_of(at); task != nullptr) {
    const std::uint64_t most = task->total > 0 ? task->total : std::numeric_limits<std::uint64_t>::max();
    task->done = steps < most - task->done ? task->done + steps : most;
  }
  state_->show();
}

void Progress::end(const void* at) {
  const std::lock_guard lock(state_->mutex);
  OpenTask* const task = state_->task_of(at);
  if (task == nullptr) return;
  if (task->open == 1) {
    state_->tasks.erase(state_->tasks.begin() + (task - state_->tasks.data()));
    return;
  }
  // The finished opening no longer counts as work in progress.
  const std::uint64_t share = task->total / task->open;
  task->total -= share;
  task->done -= std::min(task->done, share);
  --task->open;
}

void Progress::count(std::string_view what, std::uint64_t amount) {
  const std::lock_guard lock(state_->mutex);
  for (auto& [known, sum] : state_->counters) {
    if (known != what) continue;
    sum += amount;
    state_->show();
    return;
  }
  state_->counters.emplace_back(what, amount);
}

void Progress::start_display(ProgressMode mode) {
  if (mode == ProgressMode::never) return;
  const bool redrawn = mode == ProgressMode::always || is_smart_terminal(STDERR_FILENO);
  {
    const std::lock_guard lock(state_->mutex);
    state_->display = redrawn ? Display::redrawn : Display::lines;
    state_->last_shown = redrawn ? Clock::time_point{} : Clock::now();
  }
  state_->ticker.emplace([state = state_.get()] {
    const std::lock_guard lock(state->mutex);
    state->show();
  });
}

void Progress::clear_line() {
  const std::lock_guard lock(state_->mutex);
  state_->wipe();
}

void Progress::stop_display() {
  state_->ticker.reset();
  const std::lock_guard lock(state_->mutex);
  state_->wipe();
  std::fflush(stderr);
  state_->display = Display::none;
}

std::string Progress::text() const {
  const std::lock_guard lock(state_->mutex);
  return state_->tasks.empty() ? "" : state_->text();
}

double Progress::fraction() const {
  const std::lock_guard lock(state_->mutex);
  return fraction_done(std::vector<ProgressTask>(state_->tasks.begin(), state_->tasks.end()));
}

Counters Progress::counters() const {
  const std::lock_guard lock(state_->mutex);
  auto sorted = state_->counters;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace zz::host
