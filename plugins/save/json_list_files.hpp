#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "zz/stage.hpp"

namespace zz::plugins {

/// JSON files that are lists of all results that a stage got, over all its openings. [any]
///
/// Files are written now and then when an opening ends, and by close().
class JsonListFiles {
 public:
  /// `json` is an object with the figures of the result, called `name`. Lists are in the order of the
  /// layers that openings were for, then in the order in which results came.
  void add(const std::string& path, const Value& context, const std::string& name, std::string json);

  /// An opening has given all its results. Throws Error when a file cannot be written.
  void end_opening(const Stage& stage);

  /// Writes what is new. Never throws: what goes wrong is logged as an error, which fails the run.
  void close(const Stage& stage) noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    std::int64_t layer = -1;
    std::string json;
  };
  struct List {
    std::vector<Entry> entries;
    bool changed = false;
  };

  void write(const Stage& stage);

  std::mutex mutex_;                   ///< guards what follows
  std::map<std::string, List> lists_;  ///< by path
  Clock::time_point next_write_ = Clock::now();

  std::mutex writing_;  ///< guards the files and what follows
  std::set<std::string> written_;
};

}  // namespace zz::plugins
