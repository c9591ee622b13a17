#include "host/library/pipeline_run.hpp"

#include <utility>

#include "host/base/cancellation.hpp"
#include "host/base/time_spent.hpp"
#include "host/chain/guard.hpp"
#include "host/values/handles.hpp"

namespace zz::host {

PipelineRun::PipelineRun(const OpenPipeline& open, Run& run, Telling telling)
    : run_(run), told_(telling == Telling::nothing) {
  const WorkingFor working(run_);
  const Charge charge("creating the stages");
  chain_ = std::make_unique<Chain>(open.chain);
}

PipelineRun::~PipelineRun() {
  const WorkingFor working(run_);
  const Charge charge("between the stages");
  if (opened_) stream_.close(&stream_);
  chain_.reset();
  tell_deviations();
}

void PipelineRun::tell_deviations() {
  if (std::exchange(told_, true)) return;
  if (const std::string sentence = deviations_.sentence(); !sentence.empty())
    log(LogLevel::warning, sentence);
}

void PipelineRun::rehearse() {
  const WorkingFor working(run_);
  const Charge charge("between the stages");
  chain_->rehearse();
}

std::optional<PipelineResult> PipelineRun::next() {
  const WorkingFor working(run_);
  const Charge charge("between the stages");
  zz_error sink;
  if (!opened_) {
    if (open_place(chain_->first(), chain_->root_context(), &stream_, &sink) != ZZ_OK)
      throw ChainFailure(from_value(sink.failure));
    opened_ = true;
  }
  zz_result result{};
  std::uint32_t count = 0;
  if (stream_.pull(&stream_, &result, 1, &count, &sink) != ZZ_OK)
    throw ChainFailure(from_value(sink.failure));
  if (count == 0) {
    tell_deviations();
    // Whatever stages made of it, what came up is not all that was asked for.
    if (was_interrupted()) throw ChainFailure(make_failure(ZZ_E_CANCELLED, "interrupted", ""));
    return std::nullopt;
  }
  const Handle evaluation = Handle::take(result.evaluation), extra = Handle::take(result.extra);
  deviations_.add(evaluation.value(), extra.value());
  return PipelineResult{evaluation.value(), extra.value()};
}

}  // namespace zz::host
