#pragma once
#include <memory>
#include <optional>

#include "core/store/content_key.hpp"
#include "core/value/value.hpp"
#include "host/base/run.hpp"
#include "host/chain/chain.hpp"
#include "host/library/open_pipeline.hpp"
#include "host/library/result_deviations.hpp"

namespace zz::host {

/// One result of the first stage: an evaluation, or a list of them, and what came with it.
struct PipelineResult {
  core::Value evaluation, extra;
};

/// Says if a note at the end tells how many figures corrections have moved; a warning, where the pipeline
/// names `compat`, or an input of ZigZag's or Stream's packages.
enum class Telling { deviations, nothing };

/// A pipeline at work: its results are computed as they are pulled. Its calls come one at a time, from any
/// threads; each works for `run` meanwhile. Other threads may set `run.cancelled` and look at
/// `run.progress` and `run.log`.
class PipelineRun {
 public:
  /// Creates the stages, which check their settings. `open` must be without errors; both live longer than
  /// this. Throws ChainFailure.
  PipelineRun(const OpenPipeline& open, Run& run, Telling telling = Telling::deviations);
  ~PipelineRun();
  PipelineRun(const PipelineRun&) = delete;
  PipelineRun& operator=(const PipelineRun&) = delete;

  /// Does what the first call of next() does before its first search: reads files, and lets stages look at
  /// what they get. Throws ChainFailure.
  void rehearse();

  /// Under which key stores keep the result: that of the point that a design space would have at the same
  /// place, below the stages that read files. `one`: the chain has one result, which is all of the point.
  /// Reads the files. Throws ChainFailure.
  struct Key {
    core::ContentKey key{};
    bool one = false;
  };
  Key key();

  /// The next result, or none at the end. Throws ChainFailure; of code ZZ_E_CANCELLED once the run is
  /// cancelled, and in place of the end where a search took the interruption. At the end of the results, or
  /// of this object if that is sooner, a note or a warning says how many figures differ from ZigZag's, and
  /// by how much.
  std::optional<PipelineResult> next();

  /// Said where next() has come to the end without a result: which stage has let through none of them, if
  /// one has.
  std::string no_result() const;

 private:
  void tell_deviations();
  FailurePointer with_reason(const FailurePointer& failure, zz_status status) const;

  Run& run_;
  std::unique_ptr<Chain> chain_;
  zz_stream stream_{};
  bool opened_ = false;
  ResultDeviations deviations_;  ///< of the results so far
  bool names_original_;          ///< `compat`, or an input of the original's packages
  bool told_;
};

}  // namespace zz::host
