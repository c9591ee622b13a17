#pragma once
#include <vector>

#include "core/multicore/search/detail/plan.hpp"
#include "core/multicore/search/detail/plan_space.hpp"
#include "core/search/methods/random_numbers.hpp"

namespace zz::core {

/// Random changes of choices.
class PlanMoves {
 public:
  PlanMoves(const PlanSpace& space, RandomNumbers& random) : space_(space), random_(random) {}

  /// Changes the cut of a layer or of several; the graph has at most so many nodes. Returns false, and
  /// changes nothing, when a few attempts find none.
  bool change_cuts(Plan& choice, int most_nodes);
  /// Changes the cores of one layer or of several space.
  void change_cores(Plan& choice);
  /// Changes the dispatch rule or back-filling; with `layers` also the rank of a layer.
  void change_order(Plan& choice, bool layers);
  /// Where cuts stay: changes the cores of one or two genes: to another core, to the core of the gene
  /// beside it, or against each other. Where orders do not move, also of runs of genes, to one core.
  void change_genes(Plan& plan);
  /// Changes dispatch rule, weight or back-filling, not the order of the layers.
  void change_dispatch(ScheduleChoice& choice);
  /// Changes offset or slope of a layer, or exchanges those of two; `reach` is how far, in layers.
  void change_ranks(ScheduleChoice& choice, double reach);
  /// With several samples: changes how many are in flight at once, or whether and how a run of layers takes
  /// other cores from sample to sample.
  void change_samples(Plan& choice, int samples);
  /// With several samples: changes how a run of layers divides them, as change_cuts().
  bool change_sample_cuts(Plan& choice, int most_nodes);
  /// With several samples: gives a run of layers one grid over all cores, as change_cuts().
  bool change_grids(Plan& choice, int most_nodes);
  /// With several samples: adds, moves or removes the beginning of a segment. Returns false where nothing
  /// has changed, as where there can be none.
  bool change_segments(Plan& choice);
  /// In the steady state: lets the constants of one of these layers stay, before all others, or no more.
  void change_resident(Plan& choice, const std::vector<int>& layers);

 private:
  void try_cuts(Plan& choice);
  void change_gene(std::vector<int>& cores);
  Plan::CoreSlots random_slots();

  const PlanSpace& space_;
  RandomNumbers& random_;
};

}  // namespace zz::core
