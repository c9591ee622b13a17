#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugins/archive/archive_file.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// The archives of a stage, one for each name: it holds what all openings of the stage with that name got.
/// [any]
///
/// The first opening writes while its results come, and its archive appears when it has got all of them.
/// Results of further openings wait in memory, and are added by close(), in the order of the layers that
/// openings were for. Where an opening does not get all of its results, what there is stands in
/// "<name>.incomplete.zz" instead: nobody shall take a part for the whole.
class GatheredArchives {
 private:
  struct Archive;

 public:
  /// The part of one opening in the archive of its name. The stage outlives it.
  class Opening {
   public:
    /// Throws Error when the archive cannot be written there.
    Opening(GatheredArchives& archives, const Stage& stage, std::string path, const Value& context);
    Opening(const Opening&) = delete;
    Opening& operator=(const Opening&) = delete;
    ~Opening();  ///< without finish(): not all of its results came

    void add(const core::Value& evaluation, const core::Value& extra = {});
    void finish();
    std::uint64_t results() const { return writer_ ? writer_->results() : waiting_.size(); }

   private:
    void keep_part() noexcept;

    GatheredArchives& archives_;
    const Stage& stage_;
    std::string path_;
    std::int64_t layer_ = -1;
    std::optional<ResultArchive> writer_;
    std::vector<std::pair<core::Value, core::Value>> waiting_;
    bool finished_ = false;
  };

  /// Adds what waits to its archives. Never throws: what goes wrong is logged as an error, which fails the
  /// run.
  void close(const Stage& stage) noexcept;

 private:
  struct Part {
    std::int64_t layer = -1;
    std::vector<std::pair<core::Value, core::Value>> results;
  };
  struct Archive {
    bool begun = false;         ///< an opening writes or has written it
    std::int64_t layer = -1;    ///< that this opening was for
    std::string file;           ///< where its results are; "" before the end
    bool whole = true;          ///< all openings got all of their results
    std::vector<Part> waiting;  ///< of further openings
  };

  void add_what_waits(const Stage& stage, const std::string& path, Archive& archive);

  std::mutex mutex_;                         ///< guards what follows
  std::map<std::string, Archive> archives_;  ///< by path
};

}  // namespace zz::plugins
