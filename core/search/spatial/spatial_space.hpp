#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/search/spatial/spatial_limits.hpp"
#include "core/search/spatial/unrolling_options.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

struct SpatialSpaceOptions {
  bool mixed = false;  ///< also several loops side by side along one array dimension
  UnrollingFactors factors = UnrollingFactors::even;
  Rules rules = {};
  UnrollingList list = UnrollingList::distinct;
};

/// All that costs depend on, for bounds of very many: those with the same numbers differ in words only.
struct UnrolledNumbers {
  struct Part {
    int array;      ///< the first of the array dimensions that all memories serve alike
    int loop;       ///< index into Layer::loops
    double factor;  ///< units that work on average, along all of them
    bool operator==(const Part&) const = default;
    auto operator<=>(const Part&) const = default;  // NOLINT(modernize-use-nullptr): what compilers add
  };
  std::vector<Part> parts;           ///< by array dimension, then by loop
  std::vector<std::int64_t> rounds;  ///< by loop
  bool operator==(const UnrolledNumbers&) const = default;
  auto operator<=>(const UnrolledNumbers&) const = default;
};

/// The spatial mappings of a layer on an array, best first. What the mapping file prescribes is kept, cut
/// as reduce_prescription() does. Along each array dimension that it leaves open, one of the
/// UnrollingOptions of the loops that the hints admit is taken; no loop is unrolled more often than it has
/// iterations.
///
/// The distinct ones, from which a proof chooses, come by their units, and only those that the inner
/// memories hold. Of factors that lead to the same number of rounds only the smallest is given where any
/// may be (56 iterations take two rounds on 28 units as on 32; arrays for in-memory computing charge for
/// the difference, so that there all are given), and of array dimensions that all memories serve alike one
/// order.
///
/// ZigZag's list is ranked by units + units / largest total unroll of one loop - 1, so that spreading over
/// several loops wins. What the inner memories hold is not looked at. Of equals the first in the Cartesian
/// product of the options comes first; the first array dimension varies slowest.
///
/// Not thread-safe. Mappings are made one after the other as they are asked for, because there may be very
/// many: best-first branch and bound through the tree of choices.
class SpatialSpace {
 public:
  /// The references must outlive the space.
  SpatialSpace(const Layer& layer, const Accelerator& accelerator, const SpatialSpaceOptions& options);

  /// A mapping, as the option that each open array dimension takes.
  using Choice = std::vector<std::uint32_t>;

  /// Nothing when all were given.
  std::optional<Choice> next();
  SpatialUnrolling unrolling(const Choice& choice) const;
  /// Units that a mapping occupies, rounds that are not full counted as full.
  double units(const Choice& choice) const { return reach(choice).units; }
  /// The rank by which mappings are ordered.
  double rank(const Choice& choice) const { return rank(reach(choice)); }
  /// By loop; by corrected rules.
  std::vector<LoopRounds> rounds(const Choice& choice) const;
  UnrolledNumbers numbers(const Choice& choice) const;
  /// No mapping that was not given yet has a higher rank; 0 when all were given.
  double most() const { return open_.empty() ? 0 : open_.front().rank; }

  /// Number of mappings from which one is chosen: the product of what may be unrolled along each open array
  /// dimension. Those that unroll a loop more often than it has iterations are counted, as are those that
  /// are not listed.
  double combinations() const;

  /// Everything is prescribed: there is nothing to choose.
  bool prescribed() const { return dimensions_.empty(); }
  const SpatialUnrolling& prescription() const { return prescription_; }
  const SpatialLimits& limits() const { return limits_; }
  /// Changes of the user's prescription, and their reasons.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  using Factors = std::vector<std::int64_t>;  ///< of one loop, by position in `order_`; 0: not unrolled
  /// An array dimension that is left open.
  struct Dimension {
    int array;  ///< index into OperationalArray::dimensions
    UnrollingOptions options;
    std::vector<std::uint32_t> by_units;  ///< the options, most units first
    int twin = -1;                        ///< the dimension before that all memories serve alike
  };
  /// An option of a dimension, together with those of the dimensions before.
  struct Node {
    std::uint32_t parent, depth, option;
  };
  static constexpr std::uint32_t all_of_it = ~std::uint32_t{0};
  /// Choices when the first dimensions have the options of `node`. With a `turn`, the last option stands
  /// for itself and for those that come after it by units.
  struct Branch {
    double rank;  ///< none has a higher one; its own where all dimensions have an option
    std::uint32_t node;
    std::uint32_t turn;  ///< of the last option, by units
  };
  /// Reach of the prescription and some options.
  struct Reach {
    double units = 1;
    std::int64_t largest = 1;  ///< total unroll of one loop
    bool is_legal = true;      ///< no loop is unrolled more often than it has iterations
  };

  void open_dimension(int array);
  /// Factors of the loop that take units for nothing are not listed.
  bool lists_fewest_units(int loop) const;
  void find_alike();
  void find_twins();
  /// Leaves the total unroll of each loop in `totals_`.
  Reach reach(const Choice& chosen) const;
  void unroll(const UnrolledIndex& unrolled, Reach& reach) const;
  double rank(const Reach& reach) const;
  auto worse() const;
  bool comes_after(std::uint32_t a, std::uint32_t b) const;
  Choice path_to(std::uint32_t node) const;
  /// Opens the options of the next dimension from `turn` on.
  void push_options(std::uint32_t node, Reach reach, std::uint32_t turn);
  /// Opens each option of the next dimension that has as many units as that at `turn`, and those after
  /// them.
  void split(std::uint32_t node, std::uint32_t turn);
  void push(std::uint32_t node, std::uint32_t option, Reach reachable, std::uint32_t turn);
  bool is_listed(const Choice& choice) const;
  UnrolledByArray by_array(const Choice& choice) const;
  /// It is as even as SpatialSpaceOptions::factors asks for.
  bool has_wanted_factors(const UnrolledByArray& unrolled) const;
  /// Each factor along an open dimension divides its loop or is as large as is allowed.
  bool has_even_factors(const UnrolledByArray& unrolled) const;
  /// Rounds are full but where a loop is unrolled as often as is allowed.
  bool is_even(const UnrolledByArray& unrolled) const;
  /// A factor could be smaller by one, and nothing would differ.
  bool repeats_another(const UnrolledByArray& unrolled) const;
  Factors factors(const UnrolledByArray& unrolled, int loop) const;
  std::vector<LoopRounds> rounds(const UnrolledByArray& unrolled) const;
  bool is_open(std::size_t position) const { return position >= prescription_.dimensions.size(); }

  const Layer& layer_;
  const Accelerator& accelerator_;
  SpatialSpaceOptions options_;
  SpatialLimits limits_;
  std::vector<std::string> warnings_;
  SpatialUnrolling prescription_;
  UnrolledByArray fixed_;   ///< as prescribed
  std::vector<int> order_;  ///< of array dimensions in a mapping: those prescribed come first
  std::vector<int> alike_;  ///< by array dimension: the first that all memories serve alike
  std::vector<Dimension> dimensions_;
  std::vector<double> most_units_above_;      ///< that the dimensions from this one on can use, at most
  std::vector<Node> nodes_ = {{0, 0, 0}};     ///< the first has no option
  std::vector<Branch> open_;                  ///< a heap, the best in front
  mutable std::vector<std::int64_t> totals_;  ///< scratch space of reach()
};

}  // namespace zz::core
