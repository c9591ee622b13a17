#pragma once
#include <span>

#include "tools/check_plugin/stage_calls.hpp"

namespace zz::host {

/// A group of checks of one stage, run in a child process of its own.
struct StageCheck {
  const char* name;
  void (*run)(StageCalls& calls, Findings& findings);
};

/// Create, open, close and destroy in every order. Rules S1, S2, P4, and those of
/// calls.
void check_lifetime(StageCalls& calls, Findings& findings);
/// Room for one result and for many, the end. Rules P1 to P3, S5.
void check_pulls(StageCalls& calls, Findings& findings);
/// A chain below that ends, fails or is cancelled at each result. Rules F2 to F4, O3, P5.
void check_faults(StageCalls& calls, Findings& findings);
/// stage_claims.cpp: flags, ports, metrics and limits. Rules S3, S4, S6, D3, D5.
void check_claims(StageCalls& calls, Findings& findings);
/// stage_scores.cpp: the ability to score. Rule D2.
void check_scores(StageCalls& calls, Findings& findings);
/// stage_demands.cpp: a mapper in a whole chain, below reducers. Rule D1.
void check_demands(StageCalls& calls, Findings& findings);
/// Other threads and other orders. Rules M2, M3.
void check_threads(StageCalls& calls, Findings& findings);
/// stage_inputs.cpp: damaged copies of the files that the user gave. Rule F6.
void check_inputs(StageCalls& calls, Findings& findings);

/// All of them, in order.
std::span<const StageCheck> stage_checks();

}  // namespace zz::host
