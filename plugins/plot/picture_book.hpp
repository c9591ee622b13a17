#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "plugins/internal/ahead.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// The results of a stage over all its openings, and the files that show them: `<stem>.html`, and the Vega
/// specifications as `<stem>_<figure>.vg.json`. [any]
///
/// Files are written now and then and by close(), and with several threads, by one that has nothing to do,
/// when no opening is left: that may have been the last. When the first opening ends, the folder is made
/// and it is checked that files can be written there: a wrong one is an error and not a surprise hours
/// later.
class PictureBook {
 public:
  /// A run of the stage, which ends here or with `end`.
  class Opening {
   public:
    Opening(PictureBook& book, const Stage& stage);
    ~Opening();
    Opening(const Opening&) = delete;
    Opening& operator=(const Opening&) = delete;
    /// Throws Error when a file cannot be written.
    void end();

   private:
    PictureBook& book_;
    const Stage& stage_;
    bool open_ = true;
  };

  /// The first `limit` results, in the order in which they are shown, are drawn, others counted. With
  /// `listing` not empty the loop listings of all results go to that file.
  void set(std::string stem, std::string listing, std::int64_t limit);

  /// Results are shown by the id of the layer that their opening was for, then in the order in which they
  /// came.
  void add(const Value& context, std::shared_ptr<const core::Evaluation> evaluation);

  /// Writes what is new. Never throws: what goes wrong is logged.
  void close(const Stage& stage) noexcept;

 private:
  struct Entry {
    std::int64_t layer = -1;
    std::shared_ptr<const core::Evaluation> evaluation;
    std::string listing;
  };
  using Time = std::optional<std::chrono::steady_clock::time_point>;  ///< none: any time

  /// Writes what there is, unless that is in the files already. One call at a time: others wait.
  void write(const Stage& stage);
  /// Throws when they cannot be written.
  void check_files() const;
  void write_ahead(const Stage& stage);
  void log_failure(const Stage& stage, const std::function<void()>& work) const noexcept;

  std::string stem_, listing_;
  std::size_t limit_ = 0;

  std::mutex mutex_;  ///< guards what follows
  std::vector<Entry> entries_;
  std::priority_queue<std::pair<std::int64_t, std::size_t>> drawn_;  ///< layer and place among the entries
  int openings_ = 0;
  bool changed_ = false;
  Time next_write_, next_ahead_;

  std::mutex writing_;  ///< guards the files and what follows
  bool said_too_many_ = false, said_no_vega_ = false;

  std::mutex ahead_mutex_;
  std::unique_ptr<WorkAhead> ahead_;  ///< goes away first
};

}  // namespace zz::plugins
