#pragma once
#include <chrono>
#include <memory>

#include "core/cost/cost_model.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/optimum/certificate.hpp"
#include "core/optimum/memory_fit.hpp"
#include "core/optimum/temporal_space.hpp"

namespace zz::core {

/// A layer on an accelerator with a spatial mapping, and how its figures are to be computed.
struct MappingProblem {
  std::shared_ptr<const Accelerator> accelerator;
  std::shared_ptr<const Layer> layer;
  std::shared_ptr<const SpatialMapping> fractional, integral;
  CostModelOptions options;
};

/// The tables that all searches for one problem share.
struct SearchProblem {
  /// Throws InputError for what cannot be searched, NoResult when the user's ordering does not fit.
  explicit SearchProblem(const MappingProblem& problem);

  MappingProblem given;
  CostTables tables;
  TemporalSpace space;
  MemoryFit fit;
  CostModel model;

  double value(const CompactMapping& mapping, Objective objective) const;
};

/// Measures against SearchLimits::seconds.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace zz::core
