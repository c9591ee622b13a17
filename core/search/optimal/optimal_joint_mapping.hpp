#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/mapping_problem.hpp"
#include "core/search/optimal/refinements.hpp"
#include "core/search/spatial/spatial_space.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// Tiles that compete: those that divide their loop, or under even unrollings chains as well
/// (competing_lengths).
enum class Tiles { dividing, chains };

struct JointOptions {
  Objective objective = Objective::energy;
  bool mixed = false;  ///< also several loops along one array dimension
  UnrollingFactors factors = UnrollingFactors::even;
  Tiles tiles = Tiles::dividing;
  CostModelOptions model;      ///< for the value of mappings
  MappingLimits allowed = {};  ///< NoResult when no pair is within
  /// Among pairs whose energy, or latency, is at most this fraction above the least that was found, search
  /// the one with the least of the other of the two (JointOptimum::second). 0: among equals. Without effect
  /// for the EDP, which weighs both.
  std::optional<double> within = {};
  /// Uneven unrollings after even ones are searched for the other figure with about the effort of these.
  bool brief = false;
  SearchLimits limits = {};
  Refinements refinements = {};
  /// A pair that is legal on this accelerator, as the first result to beat.
  struct Start {
    SpatialUnrolling unrolling;
    CompactMapping mapping;
  };
  std::shared_ptr<const Start> start = {};
};

/// Chains of tiles that do not divide their loop compete.
inline bool has_chains(const JointOptions& options) { return options.tiles == Tiles::chains; }

/// The factors that compete where nobody says which. With the figures of others these are even ones: where
/// units count whole, the data of rounds that are partly empty cost no time.
inline UnrollingFactors usual_factors(const Rules& rules) {
  return gives_original_figures(rules) ? UnrollingFactors::even : UnrollingFactors::any;
}

/// True when a second search follows, for the other figure.
inline bool has_second(const JointOptions& options) {
  return options.within.has_value() && options.objective != Objective::edp;
}

/// The best spatial mapping together with its best temporal mapping. The certificate holds for the pair: no
/// temporal mapping under any spatial mapping of SpatialSpace has a value below its lower bound.
struct JointOptimum {
  SpatialUnrolling unrolling;
  MappingProblem problem;  ///< the layer with that unrolling
  Certificate certificate;
  double energy = 0, latency = 0;  ///< of the pair: pJ, cycles
  bool prescribed = false;         ///< the mapping file leaves no unrolling to choose
  bool chains = false;             ///< the certificate holds for tiles that do not divide their loop, too
  bool even = false;  ///< it holds for even unrollings alone, although `any` compete (as_proven)
  /// A higher lower bound among fewer mappings, where a limit ended the search of the others. Above the
  /// value where one of the others is better.
  struct PartProven {
    double lower_bound = 0;
    bool even = false;    ///< of even unrollings alone
    bool chains = false;  ///< also of tiles that do not divide their loop
  };
  std::optional<PartProven> narrower = {};
  /// The search ended by the effort that JointOptions::brief allows it: other limits lead no further.
  bool brief = false;
  std::uint64_t spatial_mappings = 0;  ///< listed; of the others a bound says that they are no better,
                                       ///< unless a limit ended the search
  std::uint64_t searched = 0;          ///< spatial mappings whose temporal mappings were searched
  /// Spatial mappings that were not searched: their bound (SpatialBound) is no better than the result, or
  /// they cost the same as another one.
  std::uint64_t passed_over = 0;
  /// Work of the search besides Certificate::states: spatial mappings that SpatialBounds bounded, those
  /// bounded in one loop order, and multisets in the tables of searches.
  std::uint64_t bounded = 0, ordered = 0, multisets = 0;
  /// A lower bound of the objective for each spatial mapping that was listed, in the order of SpatialSpace,
  /// and for the uneven ones where `any` factors compete. The certificate's holds for all of them as well.
  std::vector<double> bounds, uneven_bounds;
  std::vector<std::string> warnings;  ///< changes of the user's prescription, and their reasons
  /// With JointOptions::within, the pair to take: the certificate is about the other figure, among all
  /// pairs within. Else nullptr.
  std::shared_ptr<const JointOptimum> second;

  const JointOptimum& chosen() const { return second ? *second : *this; }
};

/// The optimum with the certificate of fewer mappings in its place, for either figure, where that proves
/// the result up to the gap and the other one does not: more is then said of less, and `even` and `chains`
/// say of what. For whoever is told the result; the bound is none for other accelerators.
JointOptimum as_proven(const JointOptimum& optimum, double gap);

/// Searches spatial and temporal mappings together by best-first branch and bound (Land & Doig,
/// Econometrica 28, 1960). Spatial mappings are listed by falling number of units, which bounds the rest of
/// the list; each is bounded without a search, in steps of growing effort (CompulsoryBound, SpatialBounds),
/// and then its temporal mappings are searched with the best pair so far as the cutoff. The next step is
/// always taken with what has the least bound. The search ends when that is no better than the result.
///
/// The generator's best three spatial mappings come first, so that the result is never worse than theirs.
/// There are none where a word takes several cycles. Behind a `start` only those of a better bound count.
/// With `within`, another such search for the other figure follows, from the pair found. Where the first
/// one takes long, the other has turns in between, so that there is a pair whenever a limit ends both. All
/// spatial mappings get a short search before any gets a long one. What is done next never depends on the
/// limits, which only end it, so that more time or states never lead to a worse value (of several pairs
/// within, the one of less of the other figure may have another). The result depends on time only where
/// `limits` end a search before its proof. `limits.states` counts those of all searches. Safe to call from
/// several threads.
///
/// Where `any` factors compete, the search among even unrollings comes first, as without the others. Uneven
/// ones have what is left of the limits, and its answer to beat. So the larger space is never worse.
///
/// `earlier`: an optimum of the same layer with the same options. Where only costs differ between its
/// accelerator and this one, the search for the objective starts from it and from its bounds
/// (CarriedBounds). What is proven is the same; of several best pairs another one may be found than without
/// it.
///
/// Throws InputError for a problem that cannot be searched, and NoResult when no spatial mapping is legal
/// or no temporal mapping fits into the memories under any of them.
JointOptimum find_joint_optimum(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                                const JointOptions& options, const JointOptimum* earlier = nullptr);

}  // namespace zz::core
