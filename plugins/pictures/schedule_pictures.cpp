#include "plugins/pictures/schedule_pictures.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/base/new_file.hpp"
#include "core/cost/rate_words.hpp"
#include "core/multicore/schedule/schedule.hpp"
#include "plugins/internal/network_metrics.hpp"
#include "plugins/pictures/front_tables.hpp"
#include "plugins/pictures/perfetto_trace.hpp"
#include "plugins/pictures/picture.hpp"
#include "plugins/pictures/schedule_tables.hpp"

namespace zz::plugins {
namespace {

/// The first picture gives the page its kind and has its name; the name of each further one follows behind
/// it.
void write(const Stage& stage, const std::string& stem, const std::string& title,
           const std::vector<Picture>& pictures, const std::string& note) {
  for (const Picture& picture : pictures)
    core::NewFile::write_whole(stem + (&picture == pictures.data() ? "" : "_" + picture.name) + ".vg.json",
                               picture.specification);
  if (can_make_pages())
    write_page(stem + ".html", pictures.front().name, title, pictures, note);
  else
    stage.log(Level::warning,
              "this build has no Vega, so " + stem +
                  ".vg.json was written and no page; build with Debian's libjs-vega for pages");
}

}  // namespace

void SchedulePictures::set(std::string stem, const SchedulePlotOptions& options, std::int64_t limit) {
  stem_ = std::move(stem);
  options_ = options;
  limit_ = limit;
}

void SchedulePictures::compare_with(const std::string& path) {
  earlier_ = std::make_shared<const VegaTables>(read_earlier_schedule(path, files_of_run()));
}

void SchedulePictures::begin() const { core::check_new_file(stem_ + ".html"); }

void SchedulePictures::draw(const Stage& stage, const core::Evaluation& evaluation) {
  const std::int64_t number = ++seen_;
  if (number > limit_) {
    if (number == limit_ + 1)
      stage.log(Level::warning, fmt::format("only the first {} schedules are drawn", limit_));
    return;
  }
  const std::string stem = number == 1 ? stem_ : fmt::format("{}_{}", stem_, number);
  PointBounds bounds{metric_of(evaluation, partition_bounds::latency),
                     metric_of(evaluation, partition_bounds::energy),
                     metric_of(evaluation, partition_bounds::edp)};
  // The others are of schedules whose nodes exchange nothing inside of their cores.
  if (metric_of(evaluation, inner_fusion::saved) > 0) bounds = {.latency = bounds.latency};
  const std::string page =
      can_make_pages() ? std::filesystem::path(stem + ".html").filename().string() : "";
  SchedulePoint point = point_of_schedule(evaluation, bounds, page);
  {
    const std::lock_guard lock(mutex_);
    points_.emplace(number, std::move(point));
  }
  for_each(2, [&](uint32_t part) {
    if (part == 0)
      draw(stage, evaluation, bounds, stem);
    else
      stage.output(stem + ".perfetto.json", perfetto_trace(*evaluation.schedule));
  });
}

void SchedulePictures::draw(const Stage& stage, const core::Evaluation& evaluation,
                            const PointBounds& bounds, const std::string& stem) const {
  SchedulePlotExtent drawn;
  VegaTables tables = schedule_plot_tables(evaluation, bounds, options_, drawn);
  std::string note = MissingWork::note(evaluation) + core::rate_words(evaluation) + note_of_interruption();
  if (drawn.bars < drawn.all_bars) {
    note += fmt::format("The first {} of {} bars, up to cycle {}. The file for Perfetto has all of them.",
                        drawn.bars, drawn.all_bars, drawn.until);
    stage.log(Level::warning, fmt::format("{}.html shows the first {} of {} bars, {}.perfetto.json all",
                                          stem, drawn.bars, drawn.all_bars, stem));
  }
  std::vector<NamedSchedule> shown{{"", &tables}};
  if (earlier_) shown = {{"before", earlier_.get()}, {"now", &tables}};
  std::vector<Picture> pictures{make_picture("schedule", tables),
                                make_picture("waits", waits_tables(shown))};
  if (earlier_) {
    pictures.push_back(make_picture("schedule", *earlier_));
    pictures.back().name = "before";
  }
  write(stage, stem, "schedule of " + drawn.title, pictures, note);
}

void SchedulePictures::draw_front(const Stage& stage, const std::string& stem) {
  const std::lock_guard lock(mutex_);
  if (points_.size() < 2 || points_.size() == in_front_) return;
  in_front_ = points_.size();
  std::string text = fmt::format("{} schedules", points_.size());
  if (seen_ > limit_) text = fmt::format("the first {} of {} schedules", limit_, seen_.load());
  std::vector<SchedulePoint> points;
  for (const auto& [number, point] : points_) points.push_back(point);
  write(stage, stem, "schedules of the run", {make_picture("front", front_tables(points, text))},
        note_of_interruption());
}

void draw_front(const Stage& stage, const std::string& stem, const core::ScheduleProblem& problem,
                const core::ScheduleSearchResult& found, bool all_yielded) {
  write(stage, stem, "results of the search",
        {make_picture("front",
                      front_tables(points_of_search(problem, found, all_yielded), search_text(found)))},
        note_of_interruption());
}

}  // namespace zz::plugins
