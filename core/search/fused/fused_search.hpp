#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/search/fused/fused_mapping.hpp"
#include "core/search/fused/fused_network.hpp"
#include "core/search/optimal/certificate.hpp"

namespace zz::core {

struct FusedOptions {
  SearchLimits limits = {};
  /// Memories that may be the home of exchanged tensors, by name; empty: all that can. All tensors of a
  /// network have the same one.
  std::vector<std::string> homes = {};
  bool keep = true;  ///< operands may be kept across shared loops
};

/// The mapping of least energy of a network on one core, with a proof.
struct FusedOptimum {
  FusedMapping mapping;
  double value = infinite;    ///< pJ, of all layers as CostModel computes them
  double lower_bound = 0;     ///< pJ; no mapping of the space has less
  double unfused = infinite;  ///< pJ; the layers' best mappings by themselves
  std::uint64_t labels = 0;   ///< partial mappings of layers, and of the network, that were kept
  bool cut_off = false;       ///< a limit of time or memory ended the search

  double gap() const { return value > lower_bound ? value / lower_bound - 1 : 0; }
};

/// Names of the memories that can be the home of exchanged tensors: below the topmost memory, there once
/// for the whole array, and holding the outputs and an input.
std::vector<std::string> possible_homes(const Accelerator& accelerator);

/// Searches which tensors are exchanged on chip, the loops that neighbours share, the operands that are
/// kept across them, and each layer's temporal mapping, for the least energy. docs/fused.md tells the space
/// and the method.
///
/// Layers of no set keep their own mapping. The others must run on one accelerator, `unfused` included in
/// the space: their best mapping under their unrolling. The result is never worse than `unfused`.
///
/// Deterministic unless a limit ends the search. Throws InputError for a home that cannot be one, NoResult
/// when a layer has no mapping.
FusedOptimum find_fused_mapping(const FusedNetwork& network, const FusedOptions& options);

}  // namespace zz::core
