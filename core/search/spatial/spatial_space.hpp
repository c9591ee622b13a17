#pragma once
#include <cstdint>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_unrolling.hpp"
#include "core/search/spatial/spatial_limits.hpp"
#include "core/search/spatial/spatial_options.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// How often a loop may be unrolled along an array dimension, up to what array, layer and the memories next
/// to the array allow.
enum class UnrollingFactors {
  /// So often that every round is full, or as often as is allowed. A loop of 56 along 12 units: 2, 4, 7, 8,
  /// or 12. The cost model cuts what is left uneven to whole units for the latency (11.2 to 11), so that
  /// data of the missing part costs no time: what looks fast may only be cut short.
  even,
  any,  ///< any number of times
};

struct SpatialSpaceOptions {
  bool mixed = false;  ///< also several loops side by side along one array dimension
  UnrollingFactors factors = UnrollingFactors::even;
  Rules rules = {};
};

/// Every legal spatial mapping of a layer, most units first: along each array dimension that the mapping
/// file leaves open no loop or any one that the hints admit. What the file prescribes is kept, cut as by
/// SpatialMappingGeneratorStage.
///
/// Of factors that lead to the same number of rounds only the smallest is given where any may be (56
/// iterations take two rounds on 28 units as on 32; arrays for in-memory computing charge for the
/// difference, so that there all are given), and of array dimensions that all memories serve alike one
/// order.
///
/// Mappings are made one after the other as they are asked for: there may be very many.
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
  double units(const Choice& choice) const;

  /// What a mapping leaves of a loop.
  struct Rest {
    double rounds = 1;  ///< iterations in time
    double whole_share =
        1;  ///< of the factor that takes up the remainder, by which its whole part is smaller
  };
  /// By loop; by corrected rules.
  std::vector<Rest> rests(const Choice& choice) const;
  /// No mapping that was not given yet occupies more units; 0 when all were given.
  double most_units() const { return open_.empty() ? 0 : open_.top().units; }
  /// Everything is prescribed: there is nothing to choose.
  bool prescribed() const { return dimensions_.empty(); }

 private:
  using Option = std::vector<UnrolledIndex>;  ///< loops side by side, each more than once
  using Unrolled = std::vector<Option>;       ///< by array dimension
  using Factors = std::vector<std::int64_t>;  ///< of one loop, by position in `order_`; 0: not unrolled
  /// An array dimension that is left open.
  struct Dimension {
    int array;                    ///< index into OperationalArray::dimensions
    std::vector<Option> options;  ///< most units first
    std::vector<double> units;    ///< of each option
    int twin = -1;                ///< the dimension before that all memories serve alike
  };
  /// The dimensions up to some one have an option, those after it none yet.
  struct Branch {
    double units;  ///< that can be reached
    Choice chosen;
    bool operator<(const Branch& other) const {
      if (units != other.units) return units < other.units;
      return chosen > other.chosen;
    }
  };

  void list_options(Dimension& dimension, const std::vector<int>& loops);
  void find_twins();
  void push(Choice chosen);
  /// No loop is unrolled more often than it has iterations.
  bool within_loops(const Unrolled& unrolled) const;
  Unrolled by_array(const Choice& choice) const;
  /// Rounds are full but where a loop is unrolled as often as is allowed.
  bool even(const Unrolled& unrolled) const;
  bool repeats_another(const Unrolled& unrolled) const;
  Factors factors(const Unrolled& unrolled, int loop) const;
  Rest rest(const Factors& factors, int loop) const;
  std::int64_t rounds(const Factors& factors, std::size_t adjusting, int loop) const;

  const Layer& layer_;
  const Accelerator& accelerator_;
  SpatialSpaceOptions options_;
  SpatialLimits limits_;
  SpatialUnrolling prescribed_;
  Unrolled fixed_;          ///< what is prescribed
  std::vector<int> order_;  ///< of array dimensions in the result: those prescribed come first
  std::vector<Dimension> dimensions_;
  std::vector<double> most_units_above_;  ///< that the dimensions from this one on can use, at most
  double fixed_units_ = 1;
  std::priority_queue<Branch> open_;
};

}  // namespace zz::core
