#include "plugins/plot/plot_files.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/new_file.hpp"
#include "core/cost/rate_words.hpp"
#include "core/output/loop_nest.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/pictures/latency_tables.hpp"
#include "plugins/pictures/picture.hpp"
#include "plugins/pictures/result_tables.hpp"

namespace zz::plugins {
namespace {

/// Drawing all again after each of a thousand layers would cost more than evaluating them.
constexpr std::chrono::seconds between_writes{5};

/// Energy, of a network also layer by layer, and latency; the memory hierarchy and the loop nest when a
/// result says what was evaluated.
std::vector<Picture> pictures_of(const ResultList& results) {
  std::vector<Picture> pictures;
  VegaTables network = network_energy_tables(results);
  if (!network["kinds"].empty()) pictures.push_back(make_picture("network_energy", std::move(network)));
  pictures.push_back(make_picture("energy", energy_tables(results)));
  pictures.push_back(make_picture("latency", latency_tables(results)));
  VegaTables hierarchy = hierarchy_tables(results);
  if (!hierarchy["accelerators"].empty())
    pictures.push_back(make_picture("memory_hierarchy", std::move(hierarchy)));
  VegaTables nests = loop_nest_tables(results);
  if (!nests["results"].empty()) pictures.push_back(make_picture("loop_nest", std::move(nests)));
  return pictures;
}

/// Speed, power and area of the network: of its sum, or of layers that are drawn once each. "" where no
/// clock and no area is known.
std::string rates_note(const ResultList& drawn) {
  core::Evaluation whole;
  std::set<std::int64_t> layers;
  for (const auto& result : drawn) {
    if (result->is_sum()) return core::rate_words(*result);
    if (result->layer == nullptr || !layers.insert(result->layer->id).second) return "";
    whole = core::add(whole, *result);
  }
  return drawn.empty() ? "" : core::rate_words(whole);
}

}  // namespace

void PlotFiles::set(std::string stem, std::string listing, std::int64_t limit) {
  stem_ = std::move(stem);
  listing_ = std::move(listing);
  limit_ = static_cast<std::size_t>(limit);
}

void PlotFiles::begin_opening() {
  const std::lock_guard lock(mutex_);
  if (next_write_) return;
  next_write_ = Clock::now() + between_writes;
  core::check_new_file(stem_ + ".html");
  if (!listing_.empty()) core::check_new_file(listing_);
}

void PlotFiles::add(const Value& context, std::shared_ptr<const core::Evaluation> evaluation) {
  const Ref part = context["layer"_n];
  const core::Layer* layer = part.is_null() ? nullptr : borrowed<core::Layer>(part);
  Entry entry{layer == nullptr ? -1 : layer->id, nullptr, ""};
  if (!listing_.empty()) entry.listing = core::loop_listing(*evaluation);
  entry.evaluation = std::move(evaluation);
  const std::lock_guard lock(mutex_);
  changed_ = true;
  if (missing_work_.empty()) missing_work_ = context["missing_work"_n].str("");
  entries_.push_back(std::move(entry));
  // A result that is never drawn is not kept; its listing is text and small. Threads come by in any order,
  // so the last layers are what is left out.
  drawn_.emplace(entries_.back().layer, entries_.size() - 1);
  if (drawn_.size() <= limit_) return;
  entries_[drawn_.top().second].evaluation = nullptr;
  drawn_.pop();
}

void PlotFiles::end_opening(const Stage& stage) {
  const auto now = Clock::now();
  {
    const std::lock_guard lock(mutex_);
    if (!changed_ || now < *next_write_) return;
    next_write_ = now + between_writes;
  }
  write(stage);
}

void PlotFiles::close(const Stage& stage) noexcept {
  try {
    write(stage);
  } catch (const std::exception& problem) {
    stage.log(Level::error, problem.what());
  }
}

void PlotFiles::write(const Stage& stage) {
  const std::lock_guard one_at_a_time(writing_);
  std::vector<Entry> entries;
  std::string note;
  {
    const std::lock_guard lock(mutex_);
    if (!changed_) return;
    changed_ = false;
    entries = entries_;
    note = missing_work_;
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.layer < b.layer; });
  std::string listing;
  ResultList drawn;
  for (const Entry& entry : entries) {
    listing += entry.listing;
    if (entry.evaluation) drawn.push_back(entry.evaluation);
  }
  if (!listing_.empty()) core::NewFile::write_whole(listing_, listing);

  note += rates_note(drawn) + note_of_interruption();
  if (entries.size() > drawn.size()) {
    note += "The first " + std::to_string(drawn.size()) + " of " + std::to_string(entries.size()) +
            " results; plot_results allows more.";
    if (!std::exchange(said_too_many_, true))
      stage.log(Level::warning, stem_ + ".html shows only the first " + std::to_string(drawn.size()) +
                                    " results; 'plot_results' allows more");
  }
  const std::vector<Picture> pictures = pictures_of(drawn);
  for (const Picture& picture : pictures)
    core::NewFile::write_whole(stem_ + "_" + picture.name + ".vg.json", picture.specification);
  if (can_make_pages())
    write_page(stem_ + ".html", "results", "energy, latency and mapping", pictures, note);
  else if (!std::exchange(said_no_vega_, true))
    stage.log(Level::warning, "this build has no Vega, so " + stem_ +
                                  "_*.vg.json were written and no page; "
                                  "build with Debian's libjs-vega for pages");
}

}  // namespace zz::plugins
