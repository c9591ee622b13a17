#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// The results of a stage over all its openings, and the files that show them: `<stem>.html`, and the Vega
/// specifications as `<stem>_<figure>.vg.json`. [any]
///
/// Files are written now and then and by close(). When the first opening ends, the folder is made and it is
/// checked that files can be written there: a wrong one is an error and not a surprise hours later.
class PictureBook {
 public:
  /// Beyond `limit` results are counted and not drawn. With `listing` not empty the loop listings of all
  /// results go to that file.
  void set(std::string stem, std::string listing, std::int64_t limit);

  /// Results are shown by the id of the layer that their opening was for, then in the order in which they
  /// came.
  void add(const Value& context, std::shared_ptr<const core::Evaluation> evaluation);

  /// An opening is over. Throws Error when a file cannot be written.
  void opening_ended(const Stage& stage);
  /// Writes what is new. Never throws: what goes wrong is logged.
  void close(const Stage& stage) noexcept;

 private:
  struct Entry {
    std::int64_t layer = -1;
    std::shared_ptr<const core::Evaluation> evaluation;
    std::string listing;
  };
  void write(const Stage& stage);

  std::string stem_, listing_;
  std::size_t limit_ = 0;
  std::mutex mutex_;
  std::vector<Entry> entries_;
  bool changed_ = false, said_too_many_ = false, said_no_vega_ = false;
  std::optional<std::chrono::steady_clock::time_point> next_write_;  ///< none: no opening is over yet
};

}  // namespace zz::plugins
