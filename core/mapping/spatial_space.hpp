#pragma once
#include <cstdint>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_limits.hpp"
#include "core/mapping/spatial_options.hpp"
#include "core/mapping/spatial_unrolling.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// Every legal spatial mapping of a layer, most units first: along each array dimension that the mapping
/// file leaves open no loop or any one that the hints admit (`mixed`: or several side by side), unrolled
/// any number of times that array, layer and the memories next to the array allow. What the file prescribes
/// is kept, cut as by SpatialMappingGeneratorStage.
///
/// Of mappings that nothing can tell apart one is given: of factors that lead to the same number of rounds
/// the smallest (56 iterations take two rounds on 28 units as on 32; arrays for in-memory computing charge
/// for the difference, so that there all are given), and of array dimensions that all memories serve alike
/// one order.
///
/// Mappings are made one after the other as they are asked for: there may be very many.
class SpatialSpace {
 public:
  /// The references must outlive the space.
  SpatialSpace(const Layer& layer, const Accelerator& accelerator, bool mixed, bool zigzag_compat);

  /// A mapping, as the option that each open array dimension takes.
  using Choice = std::vector<std::uint32_t>;

  /// Nothing when all were given.
  std::optional<Choice> next();
  SpatialUnrolling unrolling(const Choice& choice) const;
  /// Units that a mapping occupies, rounds that are not full counted as full.
  double units(const Choice& choice) const;
  /// No mapping that was not given yet occupies more units; 0 when all were given.
  double most_units() const { return open_.empty() ? 0 : open_.top().units; }
  /// Everything is prescribed: there is nothing to choose.
  bool prescribed() const { return dimensions_.empty(); }

 private:
  using Option = std::vector<UnrolledIndex>;  ///< loops side by side, each more than once
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

  void list_options(Dimension& dimension, const std::vector<int>& loops, bool mixed);
  void find_twins();
  void push(Choice chosen);
  /// No loop is unrolled more often than it has iterations.
  bool within_loops(const std::vector<std::vector<UnrolledIndex>>& unrolled) const;
  std::vector<std::vector<UnrolledIndex>> by_array(const Choice& choice) const;
  bool repeats_another(const std::vector<std::vector<UnrolledIndex>>& unrolled) const;
  std::int64_t rounds(const std::vector<std::int64_t>& factors, std::size_t adjusting, int loop) const;

  const Layer& layer_;
  const Accelerator& accelerator_;
  bool zigzag_compat_;
  SpatialLimits limits_;
  SpatialUnrolling prescribed_;
  std::vector<std::vector<UnrolledIndex>> fixed_;  ///< what is prescribed, by array dimension
  std::vector<int> order_;  ///< of array dimensions in the result: those prescribed come first
  std::vector<Dimension> dimensions_;
  std::vector<double> most_units_above_;  ///< that the dimensions from this one on can use, at most
  double fixed_units_ = 1;
  std::priority_queue<Branch> open_;
};

}  // namespace zz::core
