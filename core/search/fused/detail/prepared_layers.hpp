#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/search/fused/detail/layer_phases.hpp"
#include "core/search/fused/detail/tile_summaries.hpp"
#include "core/search/fused/fused_search.hpp"
#include "core/search/methods/processor_time.hpp"

namespace zz::core {

// Layers are prepared before groups are searched, in three steps: tables, bounds and summaries. Each
// step is made of the one before, so that none can be left out or come too soon.

/// One search: layers that exchange tensors in one exchange memory. Refers to all.
struct ExchangeProblem {
  const FusedNetwork& network;
  int exchange_memory;  ///< a memory of the array
  const FusedOptions& options;
  const ProcessorTime& stopwatch;  ///< of all searches for the network
  KnownLayers& known;

  bool counts_cycles() const { return options.objective != Objective::energy; }
  /// The gap of one run; finer where several runs make the result.
  double gap() const {
    // The promised latency is compared with a bound for which all is hidden.
    if (options.objective == Objective::latency) return nearer(options.limits).gap;
    return options.objective == Objective::edp ? options.limits.gap / 2 : options.limits.gap;
  }
  double seconds_left() const { return std::max(0.0, options.limits.seconds - stopwatch.seconds()); }
  bool must_stop(std::size_t bytes) const { return options.limits.stop(stopwatch.seconds(), bytes); }
};

/// The tables of all layers that may be in groups.
class TabulatedLayers {
 public:
  /// nullopt: a limit ended it.
  static std::optional<TabulatedLayers> of(const ExchangeProblem& problem);

  /// Without summaries.
  const Numbered<LayerViews>& views() const { return views_; }

 private:
  Numbered<LayerViews> views_;
};

/// Layers with the least and the most that they take, whatever groups there are.
class BoundedLayers {
 public:
  /// `value`: of the objective, of a mapping that is known.
  BoundedLayers(const ExchangeProblem& problem, TabulatedLayers tables, double value);

  const Numbered<LayerViews>& tables() const { return tables_.views(); }
  /// The most that a layer may take, so that the others have their least: the most of all layers that share
  /// its tables.
  EnergyLimit limit(std::size_t layer) const;
  /// Where cycles count, what each layer takes at least; else none.
  const Numbered<LatencyFloors>& floors() const { return floors_; }
  /// Summaries within limits lack no mapping with a lower value.
  double dropped() const { return dropped_; }
  /// pJ of all layers at least; 0 where cycles count.
  double compulsory() const { return compulsory_; }

 private:
  void find_limits(const ExchangeProblem& problem, double value);
  void find_floors(const ExchangeProblem& problem);

  TabulatedLayers tables_;
  Numbered<EnergyLimit> limits_;  ///< by layer
  Numbered<LatencyFloors> floors_;
  double dropped_ = infinite;
  double compulsory_ = 0;
};

/// All ways to map the layers' tiles that are worth it, for one weighted cost.
class SummarisedLayers {
 public:
  /// nullopt: a limit ended it. `second_buffers`: as TileSummaries has it.
  static std::optional<SummarisedLayers> of(const ExchangeProblem& problem, const BoundedLayers& layers,
                                            const WeightedCost& weighted, bool second_buffers);

  /// [until the next ones are made with the same KnownLayers]
  const Numbered<LayerViews>& views() const { return views_; }
  std::uint64_t labels() const { return labels_; }  ///< of all

 private:
  Numbered<LayerViews> views_;
  std::uint64_t labels_ = 0;
};

}  // namespace zz::core
