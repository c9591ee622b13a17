#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/expression.hpp"
#include "core/exploration/design_space.hpp"
#include "plugins/explore/design_points.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// A box of designs: of each axis the steps from `lower` to `upper`, both included.
struct DesignBox {
  core::DesignSpace::Steps lower, upper;

  bool single() const { return lower == upper; }
  std::uint64_t size() const;
};

/// Boxes of a space, and for each the accelerator that no design inside beats: its *relaxed accelerator*.
///
/// | field | relaxed value |
/// |---|---|
/// | size of a memory, width of a port (`bandwidth_max`) | the largest |
/// | cost of an access or a unit | the least |
/// | areas, latencies of memories | any: no figure depends on them |
/// | everything else, as arrays, `bandwidth_min`, memories next to the array | none: its axes are
/// enumerated |
///
/// Nothing has a rule on arrays that compute in memory, and on machines with keys beyond ZigZag's (`fold`,
/// `instruction`, `overlap`, `line`, `tile_interval`, `shared_tiles`, `request`).
///
/// Larger memories hold more mappings and wider ports need no more accesses, each at the least cost: so
/// energy bounds, and energies of searches, hold for the designs inside. A latency bound does so by its
/// form (core/search/optimal/joint_bound.hpp); the least latency of the relaxed accelerator itself need
/// not.
class RelaxedDesigns {
 public:
  /// `exact`: nothing has a rule, as with compat. `points` must outlive it.
  RelaxedDesigns(const DesignPoints& points, bool exact);

  /// The boxes to begin with: one for each combination of steps of enumerated axes.
  std::vector<DesignBox> boxes() const;
  /// Whether the steps of the axis are told apart from the beginning.
  bool is_enumerated(std::size_t axis) const { return enumerated_[axis]; }
  /// What designs with the same steps of enumerated axes have in common.
  std::string family(const DesignBox& box) const;

  /// By DesignPoints::quantities(): what each can be inside. Figures are from 0 up.
  std::vector<core::Interval> intervals(const DesignBox& box) const;
  /// Null where the relaxed values together make no accelerator: then nothing is known of the box.
  Value accelerator(const DesignBox& box, const std::vector<core::Interval>& intervals) const;

 private:
  enum class Rule { largest, least, any, exact };
  Rule rule_of(const std::string& unique_path) const;
  void enumerate_for(std::size_t linked);

  const DesignPoints& points_;
  bool exact_;
  std::vector<std::size_t> axis_of_name_, part_of_name_;
  std::vector<Rule> name_rules_, linked_rules_;
  std::vector<std::size_t> linked_quantity_;
  std::vector<bool> enumerated_;  ///< by axis
};

}  // namespace zz::plugins
