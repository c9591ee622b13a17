#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/hardware/network_room.hpp"
#include "plugins/transformer/decoder.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// One or several steps of a decoder, as far as their figures depend on them.
struct DecoderRun {
  Decoder decoder;
  bool prefill = true;
  DecoderStep first;
  std::int64_t steps = 1;
  DecoderBits bits;
  double operations = 0;    ///< multiply-accumulates of all steps
  double clock_period = 0;  ///< ns; 0: unknown, unless an evaluation says it
};

/// The cost of one step of several.
struct StepCost {
  std::int64_t context = 0;
  double energy = 0;   ///< pJ
  double latency = 0;  ///< cycles
};

/// The evaluation of all steps with the figures that follow for tokens as metrics, and the same as a table
/// at the end of the run. Times are left out when the clock is unknown, with a warning. `uses`: how the
/// outermost memories are filled; empty: not known.
Value with_decoder_figures(const Stage& stage, const core::Evaluation& total, const DecoderRun& run,
                           const std::vector<core::OutermostUse>& uses);

/// Data that the decoder keeps: its weights, and keys and values after the last step.
core::StoredData stored_data(const DecoderRun& run);

/// The clock period in ns: `given`, else that of the evaluation; 0: unknown.
double clock_of(const core::Evaluation& evaluation, double given);

/// A table of some of the steps, and of their mean.
void report_steps(const Stage& stage, const std::vector<StepCost>& steps, double clock_period);

}  // namespace zz::plugins
