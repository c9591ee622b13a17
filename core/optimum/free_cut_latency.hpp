#pragma once
#include "core/optimum/search_problem.hpp"

namespace zz::core {

/// The mapping of least latency, or of least energy times latency, among all orders of all prime factors
/// and all cuts that fit into the memories. `incumbent` is a mapping to start from; `least_energy` a lower
/// bound of the energy.
///
/// What loading costs depends on the stalls, which leave ports free, so that the latency is no sum over
/// links. Mappings are therefore split by which tensors end up whole in which memory (Ending) and by how
/// long they stall; within a part LatencyCosts bounds the latency from below by sums, and LabelSearch finds
/// the mapping with the least bound. A part whose bound its mapping does not attain is split by stalls.
Certificate find_least_latency(const SearchProblem& problem, Objective objective,
                               const Certificate& incumbent, double least_energy,
                               const SearchLimits& limits);

}  // namespace zz::core
