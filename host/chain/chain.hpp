#pragma once
#include <deque>
#include <functional>
#include <memory>

#include "host/chain/failure.hpp"
#include "host/chain/place.hpp"

namespace zz::host {

/// A pipeline that is ready to run: every stage created, demands carried down.
class Chain {
 public:
  /// Creates the stages, last one first. Throws ChainFailure when a stage refuses its settings, or needs a
  /// figure that no stage adds.
  explicit Chain(const ResolvedPipeline& resolved);
  ~Chain();
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  zz_place& first() { return *first_; }
  /// Does what a run does before its first search, and no more: rehearsal.hpp. Throws ChainFailure.
  void rehearse();
  /// Opens of the chain what reads files, as a rehearsal does, and hands over the first stage below and its
  /// context. Throws ChainFailure.
  void read_files(const std::function<void(const zz_place& first, const core::Value& context)>& arrival);
  /// The context for the first stage; borrowed.
  zz_value* root_context() const { return root_; }

 private:
  /// Places the stages of a list and returns the first of them.
  zz_place* place_stages(const std::vector<ResolvedStage>& stages);
  void place_nested(zz_place& place, const ResolvedStage& stage);
  void find_declared(const ResolvedPipeline& resolved);
  void find_overridable(const ResolvedPipeline& resolved);
  void create_stages();
  /// Throws ChainFailure when a stage compares results by a figure that no stage adds.
  void check_demands() const;
  void open_what_reads_files();
  void carry_demands();
  void find_result_of_run();

  std::deque<zz_place> places_;  ///< a stage before those below it
  zz_place* first_ = nullptr;
  zz_value* root_ = nullptr;
};

/// A stage could not be created, or failed while it ran.
class ChainFailure : public std::exception {
 public:
  explicit ChainFailure(FailurePointer failure) : failure_(std::move(failure)) {}
  const char* what() const noexcept override { return failure_->message.c_str(); }
  const FailurePointer& failure() const { return failure_; }

 private:
  FailurePointer failure_;
};

}  // namespace zz::host
