#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plugins/explore/bounds_of_layers.hpp"
#include "plugins/explore/exploration.hpp"
#include "plugins/explore/point_figures.hpp"
#include "plugins/explore/relaxed_designs.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Numbers of designs that a proof has decided.
struct ProofCounts {
  std::uint64_t solved = 0;     ///< designs whose figures were found
  std::uint64_t discarded = 0;  ///< designs that a bound rules out
  std::uint64_t boxes = 0;      ///< that were discarded

  ProofCounts& operator+=(const ProofCounts& more) {
    solved += more.solved;
    discarded += more.discarded;
    boxes += more.boxes;
    return *this;
  }
};

/// Finds the front of a space by branch and bound over boxes of designs (A. H. Land, A. G. Doig,
/// Econometrica 28, 1960). A box is discarded when a known design is no worse in every objective than the
/// bounds of the box, within the tolerance; at tolerance 0 it must also be better in one, so that the front
/// has every point that brute force finds. What is left is split, until single designs are solved: their
/// layers are searched, those first that say least as yet, and only until the design is discarded or its
/// figures are known up to the tolerance.
///
/// Bounds of a box come in steps of growing effort: closed forms of metrics; joint_bound() of the relaxed
/// accelerator, layer by layer; when its turn comes again, one_order_bound() and the least energy of the
/// relaxed accelerator, where known mappings say that these may discard it (BoundsOfLayers).
///
/// Boxes are worked on in groups of a fixed number, each against the front as it stood before the group, so
/// that the order of events does not depend on the number of threads.
class Proof {
 public:
  /// `figures` must be those of `exploration`. Throws Error for a space of which nothing can be proven.
  Proof(Exploration& exploration, FiguresOfLayers& figures, double tolerance, bool exact);

  /// The boxes to begin with: all designs of the space.
  std::vector<core::DesignBox> boxes() const { return relaxed_.boxes(); }
  /// Finds out about the designs of these boxes. `display` advances by those that are decided. Throws
  /// Error(ZZ_E_CANCELLED) when interrupted.
  ProofCounts run(std::vector<core::DesignBox> from, Progress& display);
  /// Finds the figures that points of the front lack because no objective needs them, up to the tolerance.
  void complete_front();

 private:
  struct Box;
  struct Decision;

  Decision work_on(Box box) const;
  bool raise_energy(Box& box, Decision& decision) const;
  void solve(Box& box, Decision& decision) const;
  std::vector<core::StoredFigure> complete(std::uint64_t number, const std::vector<bool>& wanted,
                                           Decision& decision) const;
  void split(const Box& box, Decision& decision) const;
  std::vector<double> objective_bounds(const Box& box) const;
  bool is_discarded(Box& box, Decision& decision) const;
  bool reach(const core::DesignBox& design, PointOutcome& outcome) const;
  void discard(const Box& box, std::string reason, Decision& decision) const;

  Exploration& exploration_;
  FiguresOfLayers& figures_;
  double tolerance_;
  RelaxedDesigns relaxed_;
  BoundsOfLayers layers_;
  double clock_period_ = 0;   ///< of all designs, in ns; 0: not known
  std::vector<bool> needed_;  ///< energy, latency: whether an objective or a constraint depends on it
  /// From none on, so that a run which goes on from a store does what it did before, and finds the answers.
  core::DesignFront incumbents_;
  std::set<std::uint64_t> tried_;  ///< designs that known mappings were tried on
};

}  // namespace zz::plugins
