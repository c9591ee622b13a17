#pragma once
#include <cstdint>
#include <string>

#include "core/search/fused/fused_network.hpp"
#include "tests/unit/search/fused/einsums.hpp"

namespace zz::test {

struct BruteForce {
  double value = 0;            ///< least of all
  std::uint64_t mappings = 0;  ///< combinations of layers that were added up
};

/// The least energy, or latency or EDP with all loading hidden, over all shared lists, sets of exchanged
/// tensors, kept operands, orders and cuts, with an exchange memory of this name. What is valid is found by
/// walking elements phase by phase, rooms by walking the tree of loops, and energies by the cost model, one
/// operand at a time. Shares nothing with the search but the accelerator that a layer sees. Where a letter
/// of the network is larger than the loops of `layers`, tiles divide the letter, and the last one is
/// shorter.
BruteForce brute_force(const EinsumNetwork& network, const core::FusedNetwork& layers,
                       core::Objective objective = core::Objective::energy,
                       const std::string& exchange_memory = "buffer");

}  // namespace zz::test
