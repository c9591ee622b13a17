#pragma once
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/multicore/search/detail/plan.hpp"
#include "core/multicore/search/detail/plan_space.hpp"
#include "core/search/methods/random_numbers.hpp"

namespace zz::core {

/// The room that a walk leaves to a step.
struct StepRoom {
  double progress = 0;                               ///< of the walk, from 0 to 1
  double share_of_cuts = 0;                          ///< of steps that change cuts, at first
  int most_nodes = std::numeric_limits<int>::max();  ///< of the graph
  std::span<const int> with_constants = {};          ///< layers whose constants may stay
};

/// Random changes of plans. A move returns false, and changes nothing, where it finds nothing to change.
/// Moves that change a run take consecutive layers, or genes, and give them the same: a block moves as one.
class PlanMoves {
 public:
  PlanMoves(const PlanSpace& space, RandomNumbers& random) : space_(space), random_(random) {}

  /// Makes one move, drawn from the list of all by its weight.
  void change(Plan& plan, const StepRoom& room);

  // Cuts and cores by layer, where cuts move.
  bool change_cuts(Plan& plan, const StepRoom& room);   ///< of a layer or of several
  bool change_cores(Plan& plan, const StepRoom& room);  ///< of a layer or of a run
  /// The dispatch rule or back-filling; later in a walk also the rank of a layer.
  bool change_order(Plan& plan, const StepRoom& room);

  // With several samples.
  bool change_grids(Plan& plan, const StepRoom& room);  ///< a run of layers gets one grid over all cores
  /// Adds, moves or removes the beginning of a segment.
  bool change_segments(Plan& plan, const StepRoom& room);
  bool change_sample_cuts(Plan& plan, const StepRoom& room);  ///< division of them by a run of layers
  /// The number in flight at once, or the cores that a run of layers takes from sample to sample.
  bool change_samples(Plan& plan, const StepRoom& room);

  /// In the steady state: lets the constants of a layer stay, before all others, or no more.
  bool change_resident(Plan& plan, const StepRoom& room);

  // Cores and orders of given cuts.
  /// The cores of one or two genes: another core, the core of the gene beside, or against each other. Where
  /// orders do not move, also a run of genes to one core.
  bool change_genes(Plan& plan, const StepRoom& room = {});
  /// Dispatch rule, weight or back-filling, not the order of the layers.
  bool change_dispatch(Plan& plan, const StepRoom& room = {});
  bool change_ranks(Plan& plan, const StepRoom& room);  ///< once or twice, less far later in a walk
  /// Offset or slope of a layer or a run, or those of another layer; `reach` is how far, in layers.
  void change_rank(ScheduleChoice& order, double reach);

 private:
  struct Move {
    double weight = 0;  ///< 0: it has no part
    bool (PlanMoves::*change)(Plan&, const StepRoom&) = nullptr;
  };
  using Run = std::pair<int, int>;  ///< its first and last layer

  bool draw(std::span<const Move> moves, Plan& plan, const StepRoom& room);
  Run run_from(int layer, int longest);
  Run layer_or_run();
  bool keeps_nodes(const Plan& plan, const Partition& before, const StepRoom& room) const;
  void try_cuts(Plan& plan);
  void change_gene(std::vector<int>& cores);
  Plan::CoreSlots random_slots();

  const PlanSpace& space_;
  RandomNumbers& random_;
};

}  // namespace zz::core
