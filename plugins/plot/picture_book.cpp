#include "plugins/plot/picture_book.hpp"

#include <algorithm>

#include "core/files/new_file.hpp"
#include "core/report/loop_listing.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/pictures/page.hpp"
#include "plugins/plot/result_figures.hpp"

namespace zz::plugins {
namespace {

/// Drawing all again after each of a thousand layers would cost more than evaluating them.
constexpr std::chrono::seconds between_writes{5};

}  // namespace

void PictureBook::set(std::string stem, std::string listing, std::int64_t limit) {
  stem_ = std::move(stem);
  listing_ = std::move(listing);
  limit_ = static_cast<std::size_t>(limit);
}

void PictureBook::add(const Value& context, std::shared_ptr<const core::Evaluation> evaluation) {
  const Ref part = context["layer"_n];
  const core::Layer* layer = part.is_null() ? nullptr : borrowed<core::Layer>(part);
  Entry entry{layer == nullptr ? -1 : layer->id, nullptr, {}};
  if (!listing_.empty()) entry.listing = core::loop_listing(*evaluation);
  entry.evaluation = std::move(evaluation);
  const std::lock_guard lock(mutex_);
  changed_ = true;
  entries_.push_back(std::move(entry));
  // What can never be drawn is not kept; its listing is text and small.
  if (entries_.size() > limit_) entries_.back().evaluation = nullptr;
}

void PictureBook::opening_ended(const Stage& stage) {
  const std::lock_guard lock(mutex_);
  if (!changed_) return;
  const auto now = std::chrono::steady_clock::now();
  if (!next_write_) {
    core::check_new_file(stem_ + ".html");
    if (!listing_.empty()) core::check_new_file(listing_);
    next_write_ = now + between_writes;
  } else if (now >= *next_write_) {
    write(stage);
  }
}

void PictureBook::close(const Stage& stage) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (changed_) write(stage);
  } catch (const std::exception& problem) {
    stage.log(Level::error, problem.what());
  }
}

void PictureBook::write(const Stage& stage) {
  changed_ = false;
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.layer < b.layer; });
  std::string listing;
  core::ResultList drawn;
  for (const Entry& entry : entries_) {
    listing += entry.listing;
    if (entry.evaluation) drawn.push_back(entry.evaluation);
  }
  if (!listing_.empty()) stage.output(listing_, listing);

  std::string note;
  if (entries_.size() > drawn.size()) {
    note = "The first " + std::to_string(drawn.size()) + " of " + std::to_string(entries_.size()) +
           " results; plot_results allows more.";
    if (!std::exchange(said_too_many_, true))
      stage.log(Level::warning, stem_ + ".html shows only the first " + std::to_string(drawn.size()) +
                                    " results; 'plot_results' allows more");
  }
  const std::vector<Figure> figures = figures_of(drawn);
  for (const Figure& figure : figures)
    stage.output(stem_ + "_" + figure.name + ".vg.json", figure.specification);
  if (can_make_pages())
    write_page(stem_ + ".html", "results", "energy, latency and mapping", figures, note);
  else if (!std::exchange(said_no_vega_, true))
    stage.log(Level::warning, "this build has no Vega, so " + stem_ +
                                  "_*.vg.json were written and no page; "
                                  "build with Debian's libjs-vega for pages");
  next_write_ = std::chrono::steady_clock::now() + between_writes;
}

}  // namespace zz::plugins
