#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// The results of a stage over all its openings, and the files that show them: `<stem>.html`, and the Vega
/// specifications as `<stem>_<picture>.vg.json`. [any]
///
/// Files are written now and then when an opening ends, and by close().
class PlotFiles {
 public:
  /// The first `limit` results, in the order in which they are shown, are drawn, others counted. With
  /// `listing` not empty the loop listings of all results go to that file.
  void set(std::string stem, std::string listing, std::int64_t limit);

  /// Makes the folder, and throws when files cannot be written there: that is better known before the
  /// search than after it.
  void begin_opening();

  /// Results are shown by the id of the layer that their opening was for, then in the order in which they
  /// came.
  void add(const Value& context, std::shared_ptr<const core::Evaluation> evaluation);

  /// An opening of the stage has given all its results. Throws Error when a file cannot be written.
  void end_opening(const Stage& stage);

  /// Writes what is new. Never throws: what goes wrong is logged as an error, which fails the run. Pages of
  /// an interrupted run say so.
  void close(const Stage& stage) noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  struct Entry {
    std::int64_t layer = -1;
    std::shared_ptr<const core::Evaluation> evaluation;
    std::string listing;
  };

  /// Writes what there is, unless that is in the files already. One call at a time: others wait.
  void write(const Stage& stage);

  std::string stem_, listing_;
  std::size_t limit_ = 0;

  std::mutex mutex_;  ///< guards what follows
  std::vector<Entry> entries_;
  std::string missing_work_;  ///< a sentence on what the figures leave out, or ""
  std::priority_queue<std::pair<std::int64_t, std::size_t>> drawn_;  ///< layer and index of the entry
  bool changed_ = false;
  std::optional<Clock::time_point> next_write_;  ///< none before the first opening

  std::mutex writing_;  ///< guards the files and what follows
  bool said_too_many_ = false, said_no_vega_ = false;
};

}  // namespace zz::plugins
