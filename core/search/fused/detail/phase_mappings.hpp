#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/search/fused/detail/fused_join.hpp"
#include "core/search/fused/detail/tile_summaries.hpp"
#include "core/search/fused/fused_check.hpp"
#include "core/search/fused/fused_search.hpp"
#include "core/search/optimal/certificate.hpp"

namespace zz::core {

/// The fastest mappings of phases: of one iteration of the loops that a layer shares, by itself, in the
/// room of the exchange memory that the other layers leave. A join knows of a phase what passes its ports,
/// and nothing of stalls and first loads.
class PhaseMappings {
 public:
  /// Refers to it. `exchange_memory`: of the join, a memory of the array.
  PhaseMappings(const FusedNetwork& network, int exchange_memory, Objective objective)
      : network_(network), exchange_memory_(exchange_memory), objective_(objective) {}

  /// Gives the layers of joined groups faster nests below their shared loops, where these make the promised
  /// value better. Everything else stays as it is. `limits`: of one phase. Each phase is searched once.
  void speed_up(FusedOptimum& found, const JoinedLayers& joined, const Numbered<LayerViews>& layers,
                const SharedLists& lists, const SearchLimits& limits);

 private:
  struct Phase {
    const MultisetTables* tables = nullptr;  ///< of the layer
    std::vector<std::int64_t> tile;          ///< its iterations, by loop of the layer
    unsigned there = 0;  ///< operands whose tile lies in the exchange memory whenever it runs, one bit each
    double room = 0;     ///< bits of the exchange memory for the others
    std::uint64_t doubled = 0;  ///< memories that must have room for two portions, one bit each

    auto operator<=>(const Phase&) const = default;
  };

  Phase phase_of(const FusedOptimum& found, std::size_t at, std::size_t layer,
                 const std::vector<SharedLoop>& shared, const MultisetTables* tables,
                 const PhaseRoom& room) const;
  MappingProblem problem_of(const NetworkLayer& layer, const Phase& phase) const;
  const Certificate& fastest(const NetworkLayer& layer, const Phase& phase, const SearchLimits& limits);
  std::uint64_t without_second_buffer(const NetworkLayer& layer, const Phase& phase,
                                      const CompactMapping& mapping) const;
  bool shares_windows(std::size_t layer, const std::vector<SharedLoop>& shared) const;
  void replace(FusedOptimum& found, std::size_t at, std::size_t layer, FusedLayer member) const;

  const FusedNetwork& network_;
  const int exchange_memory_;
  Objective objective_;
  std::map<Phase, Certificate> known_;
};

}  // namespace zz::core
