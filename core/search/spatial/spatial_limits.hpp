#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/search/spatial/unrolling_notes.hpp"
#include "core/search/spatial/unrolling_options.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The limits that the memories next to the array set to an unrolling. Memories further out set none: they
/// only make it slower.
class SpatialLimits {
 public:
  /// Those of layer and array alone.
  SpatialLimits(const Layer& layer, const Accelerator& accelerator);
  SpatialLimits(const Layer& layer, const Accelerator& accelerator, const Rules& rules);

  /// Largest useful factor of loop `loop` (index into Layer::loops) on array dimension `array`: at most the
  /// loop, the array dimension, and what the inner memories that the dimension shares can deliver per
  /// cycle.
  std::int64_t maximum(int array, int loop) const { return maximum_[array][loop]; }

  /// Tells of a factor that is lowered to maximum().
  void tell_maximum(int array, int loop, const SpatialLoop& prescribed, UnrollingNotes& notes) const;

  /// An unrolling by index. Loops that the layer does not have are left out.
  UnrolledByArray by_array(const SpatialUnrolling& unrolling) const;

  /// The words that the units use at the same time fit into the inner memories.
  bool admit(const UnrolledByArray& unrolled) const;

  /// Lowers factors until the words that the units use at the same time fit into the inner memories.
  /// `notes` is told of those that `prescribed` has.
  void fit_capacity(SpatialUnrolling& unrolling, const SpatialUnrolling* prescribed = nullptr,
                    UnrollingNotes* notes = nullptr) const;

 private:
  struct InnerOperand {
    std::vector<int> served;  ///< array dimensions in the order that decides ties
    int operand;              ///< of the layer
    double words;             ///< that the memory can hold; infinite for a precision of 0
    int memory;               ///< index into Accelerator::memories
    std::int64_t bandwidth;   ///< of its port towards the units, bits per cycle
  };
  UnrollingLimit limit_of(const InnerOperand& inner, std::int64_t bits, const char* unit) const;

  bool takes_words(const InnerOperand& inner, int loop) const;
  bool admit(const UnrolledByArray& unrolled, const InnerOperand& inner) const;
  void fit_capacity(SpatialUnrolling& unrolling, const InnerOperand& inner) const;

  const Layer& layer_;
  const Accelerator& accelerator_;
  bool unrollings_looked_up_by_factor_ = false;
  std::vector<InnerOperand> inner_;
  std::vector<std::vector<std::int64_t>> maximum_;  ///< [array dimension][loop]
  std::vector<std::vector<int>> limited_by_;        ///< index into inner_, -1: loop or array
};

/// True if the size of a memory next to the array bears on how a layer may be unrolled: it does not hold a
/// word for each unit that it serves.
bool size_limits_unrollings(const Layer& layer, const Accelerator& accelerator, int memory);

/// Cuts a prescribed unrolling to what layer, array and memories allow: unknown loops go, factors are
/// lowered to their limit, an array dimension that is still over-subscribed loses whole loops. Each change
/// adds a sentence of UnrollingNotes to `warnings`.
SpatialUnrolling reduce_prescription(const SpatialUnrolling& prescribed, const Layer& layer,
                                     const Accelerator& accelerator, const SpatialLimits& limits,
                                     std::vector<std::string>& warnings);

/// Throws InputError, at its place in the mapping file, for an unrolling along no dimension of the array.
void check_array_dimensions(const Layer& layer, const Accelerator& accelerator);

/// A sentence for each hint none of whose loops the layer has, so that it is not used.
std::vector<std::string> hints_without_loops(const Layer& layer);

/// A sentence for each hint that is for no dimension of the array, as ZigZag's own mapping files have some.
/// The same for all layers of a mapping entry.
std::vector<std::string> hints_of_no_dimension(const Layer& layer, const Accelerator& accelerator);

}  // namespace zz::core
