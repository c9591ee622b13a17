#pragma once

#include "core/cost/cost_model.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/detail/memory_fit.hpp"
#include "core/search/optimal/detail/temporal_space.hpp"
#include "core/search/optimal/mapping_problem.hpp"

namespace zz::core {

/// The objective of a search, and limits of the energy and the latency of the mappings that compete.
struct Goal {
  Goal(Objective minimised, const MappingLimits& within = {})
      : objective(minimised), most_energy(within.most_energy), most_latency(within.most_latency) {}

  Objective objective;
  double most_energy, most_latency;            ///< pJ, cycles
  double least_energy = 0, least_latency = 0;  ///< lower bounds known beforehand

  bool needs_energy() const { return objective != Objective::latency || most_energy < infinite; }
  bool limited() const { return most_energy < infinite || most_latency < infinite; }
  /// Infinite beyond a limit, as far as rounding allows to tell. Does not fall when energy or latency rise.
  double of(double energy, double latency) const {
    if (energy > bound_of_energy() || latency > most_latency * (1 + rounding_tolerance)) return infinite;
    energy = std::max(energy, least_energy);
    latency = std::max(latency, least_latency);
    if (objective == Objective::edp) return energy * latency;
    return objective == Objective::energy ? energy : latency;
  }
  double bound_of_energy() const { return most_energy * (1 + rounding_tolerance); }
  /// What a mapping with these figures is worth; infinite beyond a limit.
  double value(double energy, double latency) const {
    return energy > most_energy || latency > most_latency ? infinite : of(energy, latency);
  }
};

/// A problem with the tables that all its searches share.
struct SearchProblem {
  /// Throws InputError for a problem that cannot be searched, NoResult when the user's ordering does not
  /// fit. `factor_limit`: as in LomaOptions; 0: all prime factors.
  explicit SearchProblem(const MappingProblem& problem, int factor_limit = 0);

  MappingProblem given;
  CostModel model;
  const CostTables& tables;  ///< of the model
  TemporalSpace space;
  MemoryFit fit;

  /// Infinite for mappings beyond a limit, and for those that need a port that does not exist.
  double value(const CompactMapping& mapping, const Goal& goal) const;
};

}  // namespace zz::core
