#pragma once
#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/cost/boundary_table.hpp"
#include "core/cost/cost_model.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/mapping/loop_lattice.hpp"
#include "core/search/temporal/loop_allocator.hpp"
#include "core/search/temporal/mapping_check.hpp"
#include "core/value/value.hpp"
#include "zz/stage_abi.h"

namespace zz::host {

/// Temporal mappings that come as numbers (zz_order), held to the rules of searches and costed without an
/// object each. Orders of the same loops one after the other share tables. Not for several threads at once.
class OrderScores {
 public:
  /// Over layer, accelerator and spatial_mapping of the context, which must outlive this. Throws ValueError
  /// where one is missing. `model`: of the leaf below; nullptr: it has none to give, and score() is not for
  /// use.
  OrderScores(const core::Value& context, const core::Rules& rules,
              std::shared_ptr<const core::CostModel> model);

  /// True for a figure that score() has.
  bool knows(std::string_view metric) const;
  /// It. REQUIRES: knows(metric).
  static double figure(std::string_view metric, const core::Score& score);

  /// Takes up the next order. False: it does not fit into the memories. Throws InputError when its loops
  /// are not exactly what remains in time, or its cuts are none.
  bool read(const zz_order& order);
  // The figures and the mapping of the order that was taken up.
  core::Score score();
  core::TemporalMapping mapping() const;

 private:
  bool has_known_loops(const zz_order& order);
  void take_up_loops(const zz_order& order);
  void read_cuts(const zz_order& order);
  bool has_room() const;
  core::LoopAllocator& allocator();

  const core::Layer& layer_;
  const core::Accelerator& accelerator_;
  const core::SpatialMapping& spatial_mapping_;
  core::Rules rules_;
  std::shared_ptr<const core::CostModel> model_;
  core::MappingCheck check_;
  std::vector<core::RemainingLoop> remaining_;
  std::vector<int> levels_;  ///< memories of each operand

  // For orders of one set of loops, which was checked.
  std::shared_ptr<const core::LoopLattice> lattice_;
  std::unique_ptr<core::BoundaryTable> table_;
  std::array<std::unique_ptr<core::LoopAllocator>, 2> allocators_;  ///< by MappingType

  core::CompactMapping row_;
  core::MappingType type_ = core::MappingType::uneven;
};

}  // namespace zz::host
