#include "core/search/fused/known_layers.hpp"

#include <algorithm>
#include <utility>

#include "core/search/fused/detail/tile_summaries.hpp"

namespace zz::core {

struct KnownLayers::Tables {
  std::shared_ptr<const Layer> layer;
  SpatialUnrolling unrolling;
  std::shared_ptr<const Accelerator> accelerator;
  TileLengths lengths;
  bool cycles = false;
  std::shared_ptr<const MultisetTables> tables;
  bool used = true;
};

struct KnownLayers::Summaries {
  std::shared_ptr<const MultisetTables> tables;
  int exchange_memory = -1;
  WeightedCost weighted;
  bool second_buffers = false;
  EnergyLimit limit;
  std::unique_ptr<const TileSummaries> summaries;
  bool used = true;
};

namespace {

bool equal(const std::shared_ptr<const Accelerator>& a, const std::shared_ptr<const Accelerator>& b) {
  return a == b || *a == *b;
}

/// Erases what was not used, and begins anew.
template <class Entries>
void forget_unused(Entries& entries) {
  std::erase_if(entries, [](const auto& entry) { return !std::exchange(entry->used, false); });
}

}  // namespace

KnownLayers::KnownLayers() = default;
KnownLayers::~KnownLayers() = default;

const MultisetTables* KnownLayers::tables(const NetworkLayer& layer, const MappingProblem& problem,
                                          bool cycles) {
  const auto known = std::find_if(tables_.begin(), tables_.end(), [&](const auto& one) {
    return one->cycles == cycles && one->unrolling == layer.unrolling() &&
           one->lengths == problem.lengths && same_work(*one->layer, *layer.layer) &&
           equal(one->accelerator, problem.accelerator);
  });
  if (known != tables_.end()) {
    (*known)->used = true;
    return (*known)->tables.get();
  }
  tables_.push_back(
      std::make_unique<Tables>(Tables{layer.layer, layer.unrolling(), problem.accelerator, problem.lengths,
                                      cycles, std::make_shared<const MultisetTables>(problem, cycles)}));
  return tables_.back()->tables.get();
}

void KnownLayers::forget_tables() { forget_unused(tables_); }

const TileSummaries* KnownLayers::summaries(const MultisetTables* tables, int exchange_memory,
                                            const WeightedCost& weighted, bool second_buffers,
                                            const EnergyLimit& limit,
                                            const std::function<bool(std::size_t)>& stop) {
  const auto known = std::find_if(summaries_.begin(), summaries_.end(), [&](const auto& one) {
    return one->tables.get() == tables && one->exchange_memory == exchange_memory &&
           one->weighted == weighted && one->second_buffers == second_buffers && one->limit == limit &&
           one->summaries->complete();
  });
  if (known != summaries_.end()) {
    (*known)->used = true;
    return (*known)->summaries.get();
  }
  const auto of = std::find_if(tables_.begin(), tables_.end(),
                               [&](const auto& one) { return one->tables.get() == tables; });
  summaries_.push_back(std::make_unique<Summaries>(
      Summaries{(*of)->tables, exchange_memory, weighted, second_buffers, limit,
                std::make_unique<const TileSummaries>(*tables, exchange_memory, weighted, second_buffers,
                                                      limit, stop)}));
  return summaries_.back()->summaries.get();
}

void KnownLayers::forget_summaries() { forget_unused(summaries_); }

}  // namespace zz::core
