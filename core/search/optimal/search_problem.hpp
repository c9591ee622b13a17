#pragma once
#include <memory>

#include "core/cost/cost_model.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/mapping/spatial_unrolling.hpp"
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/memory_fit.hpp"
#include "core/search/optimal/temporal_space.hpp"

namespace zz::core {

/// A layer on an accelerator with a spatial mapping, and how its figures are to be computed.
struct MappingProblem {
  std::shared_ptr<const Accelerator> accelerator;
  std::shared_ptr<const Layer> layer;
  std::shared_ptr<const SpatialMapping> fractional, integral;
  CostModelOptions options;
};

/// The layer, unrolled over the array as `unrolling` says. Throws what convert_spatial_mapping throws.
MappingProblem unrolled_problem(Layer layer, std::shared_ptr<const Accelerator> accelerator,
                                const SpatialUnrolling& unrolling, const CostModelOptions& options);

/// The tables that all searches for one problem share.
struct SearchProblem {
  /// Throws InputError for what cannot be searched, NoResult when the user's ordering does not fit.
  /// `factor_limit`: as in LomaOptions; 0: all prime factors.
  explicit SearchProblem(const MappingProblem& problem, int factor_limit = 0);

  MappingProblem given;
  CostTables tables;
  TemporalSpace space;
  MemoryFit fit;
  CostModel model;

  /// Infinite for mappings that need a port that is not there.
  double value(const CompactMapping& mapping, const Goal& goal) const;
};

/// Processor time of this thread, for SearchLimits::seconds.
class Stopwatch {
 public:
  Stopwatch() : start_(now()) {}
  double seconds() const { return now() - start_; }

 private:
  static double now();
  double start_;
};

}  // namespace zz::core
