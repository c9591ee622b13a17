#pragma once
#include <atomic>
#include <memory>
#include <string>

#include "core/answers/answers_by_store.hpp"
#include "core/base/files.hpp"
#include "core/base/interruption.hpp"
#include "core/base/time_stamp.hpp"
#include "core/search/optimal/refinements.hpp"
#include "host/base/log.hpp"
#include "host/base/progress.hpp"
#include "host/base/report_tables.hpp"
#include "host/base/thread_pool.hpp"
#include "host/base/written_files.hpp"

namespace zz::host {

/// State of the host's services for one run of a pipeline. A process may have several, after and beside
/// each other.
struct Run {
  std::atomic<bool> cancelled{false};  ///< the run is to end
  /// It was to end, and a search goes on with what it has: what comes is not all that was asked for.
  std::atomic<bool> cut_short{false};
  const std::string started = core::time_stamp();
  core::Files files;  ///< none are added while stages are at work
  Log log;
  Progress progress;
  ReportTables tables;
  WrittenFiles written;
  /// Those of the session, or the run's own.
  std::shared_ptr<core::AnswersByStore> answers = std::make_shared<core::AnswersByStore>(false);
  core::Refinements refinements;     ///< of proofs
  bool rows_alone = false;           ///< whoever runs it looks at rows of results, not at evaluations
  std::string only_layer;            ///< that is asked about; "": the whole network is
  unsigned threads = 1;              ///< that loops may use, with the calling one
  std::unique_ptr<ThreadPool> pool;  ///< started with the first loop, because many runs have none
};

/// The counters of its stages, and how many questions it asked a store, by the next two names.
Counters counters_of(const Run& run);
inline constexpr const char* found_in_store = "found in the store";
inline constexpr const char* asked_of_store = "asked of the store";

/// The run that this thread works for; one without a pipeline when it works for none. [any]
Run& current_run();

/// The thread works for a run during the life time of this object, within the deadline that it has. The run
/// lives longer.
class WorkingFor {
 public:
  explicit WorkingFor(Run& run);
  ~WorkingFor();
  WorkingFor(const WorkingFor&) = delete;
  WorkingFor& operator=(const WorkingFor&) = delete;

 private:
  Run* before_;
  core::InterruptedBy interrupted_;
};

}  // namespace zz::host
