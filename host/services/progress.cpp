#include "host/services/progress.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <mutex>
#include <unistd.h>

#include "host/chain/place.hpp"
#include "host/command_line/terminal.hpp"

namespace zz::host {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds redraw_interval{100};

struct Task {
  zz_place* at = nullptr;
  std::string label;
  std::uint64_t done = 0, total = 0;
  int open = 1;  ///< how many runs of the place share it
};

struct ProgressState {
  std::mutex mutex;
  bool drawn_at_all = false;
  bool line_on_screen = false;
  std::vector<Task> tasks;  ///< open ones, outermost first
  std::vector<std::pair<std::string, std::uint64_t>> counters;
  Clock::time_point begin = Clock::now(), last_drawn{};
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

std::string line(const ProgressState& progress) {
  std::string text;
  for (const Task& task : progress.tasks) {
    if (!text.empty()) text += " > ";
    text += task.label;
    text +=
        task.total > 0 ? fmt::format(" {} of {}", task.done, task.total) : fmt::format(" {}", task.done);
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - progress.begin).count();
  for (const auto& [what, amount] : progress.counters) {
    if (seconds > 0.2) text += fmt::format(" | {:.3g} {}/s", static_cast<double>(amount) / seconds, what);
    break;
  }
  return text;
}

/// Draws at the host's own pace, whatever the pace of the stages.
void draw(ProgressState& progress) {
  if (!progress.drawn_at_all || progress.tasks.empty()) return;
  const auto now = Clock::now();
  if (now - progress.last_drawn < redraw_interval) return;
  progress.last_drawn = now;
  const std::string text = shortened(line(progress), terminal_width());
  std::fputs(("\r" + text + "\033[K").c_str(), stderr);
  std::fflush(stderr);
  progress.line_on_screen = true;
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
    progress.tasks.push_back(
        {at, std::string(label != nullptr ? label : "", label != nullptr ? size : 0), 0, total});
  }
  draw(progress);
}

void advance(zz_place* at, std::uint64_t steps) noexcept {
  ProgressState& progress = progress_state();
  const std::lock_guard lock(progress.mutex);
  if (Task* task = task_of(progress, at); task != nullptr) task->done += steps;
  draw(progress);
}

void end(zz_place* at) noexcept {
  ProgressState& progress = progress_state();
  const std::lock_guard lock(progress.mutex);
  if (Task* task = task_of(progress, at); task != nullptr && --task->open == 0) {
    progress.tasks.erase(progress.tasks.begin() + (task - progress.tasks.data()));
  }
}

void count(zz_place*, const char* what, std::size_t size, std::uint64_t amount) noexcept {
  ProgressState& progress = progress_state();
  const std::lock_guard lock(progress.mutex);
  const std::string_view name(what != nullptr ? what : "", what != nullptr ? size : 0);
  for (auto& [known, sum] : progress.counters) {
    if (known != name) continue;
    sum += amount;
    draw(progress);
    return;
  }
  progress.counters.emplace_back(name, amount);
}

}  // namespace

void start_progress(ProgressMode mode) {
  const std::lock_guard lock(progress_state().mutex);
  progress_state().drawn_at_all =
      mode == ProgressMode::always || (mode == ProgressMode::automatic && is_smart_terminal(STDERR_FILENO));
  progress_state().begin = Clock::now();
}

void clear_progress_line() {
  const std::lock_guard lock(progress_state().mutex);
  wipe(progress_state());
}

void stop_progress() {
  const std::lock_guard lock(progress_state().mutex);
  wipe(progress_state());
  std::fflush(stderr);
  progress_state().drawn_at_all = false;
}

std::vector<std::pair<std::string, std::uint64_t>> counters() {
  const std::lock_guard lock(progress_state().mutex);
  auto sorted = progress_state().counters;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

const zz_progress progress_table{sizeof(zz_progress), begin, advance, end, count};

}  // namespace zz::host
