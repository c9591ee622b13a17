#include "host/services/progress_text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

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
  if (!counters.empty() && seconds > 0.2)
    text += fmt::format(" | {:.3g} {}/s", static_cast<double>(counters.front().second) / seconds,
                        counters.front().first);
  const double fraction = fraction_done(tasks);
  if (seconds >= least_seconds && fraction >= least_fraction)
    text += fmt::format(" | {:.0f} %, about {} left", std::floor(100 * fraction),
                        duration(seconds * (1 - fraction) / fraction));
  return text;
}

}  // namespace zz::host
