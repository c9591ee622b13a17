#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/search/fused/fused_network.hpp"
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/multiset_tables.hpp"

namespace zz::core {

class TileSummaries;
struct EnergyLimit;
struct WeightedCost;

/// Tables and summaries of single layers, for the next network with some of the same layers: as of decode
/// steps, of which only the products with keys and values differ. All have the same options, and those of
/// the latest search are kept. [one thread at a time]
class KnownLayers {
 public:
  KnownLayers();
  ~KnownLayers();

  /// MultisetTables of a layer as some problem sees it. [until forget_tables()]
  const MultisetTables* tables(const NetworkLayer& layer, const MappingProblem& problem, bool cycles);
  /// Forgets those that were not asked for since the last call.
  void forget_tables();

  /// TileSummaries. [until forget_summaries()]
  const TileSummaries* summaries(const MultisetTables* tables, int exchange_memory,
                                 const WeightedCost& weighted, bool second_buffers,
                                 const EnergyLimit& limit, const std::function<bool(std::size_t)>& stop);
  /// Forgets those of other weighted costs, and those that were not asked for since the last call.
  void forget_summaries();

 private:
  struct Tables;
  struct Summaries;
  std::vector<std::unique_ptr<Tables>> tables_;
  std::vector<std::unique_ptr<Summaries>> summaries_;
};

}  // namespace zz::core
