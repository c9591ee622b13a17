#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/expression.hpp"
#include "core/exploration/design_box.hpp"
#include "core/exploration/relaxed_accelerator.hpp"
#include "core/workload/layer.hpp"
#include "plugins/explore/box_costs.hpp"
#include "plugins/explore/design_points.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Boxes of a space, and for each the accelerator that no design inside beats
/// (core/exploration/relaxed_accelerator.hpp). Axes of fields without a rule are enumerated: designs with
/// the same steps of these are a *family*. [any]
class RelaxedDesigns {
 public:
  using Layers = std::vector<std::shared_ptr<const core::Layer>>;
  /// `exact`: nothing has a rule, as with compat. `layers`: all that run on the designs. `filled`: null, or
  /// by what ComponentCostStage below fills open costs; then `unit` is the filled vector unit, or null.
  /// `points` must outlive it.
  RelaxedDesigns(const DesignPoints& points, const Layers& layers, bool exact,
                 const core::components::CostChoices* filled = nullptr,
                 std::shared_ptr<const core::Accelerator> unit = nullptr);

  /// The boxes to begin with: one for each family.
  std::vector<core::DesignBox> boxes() const;
  /// A text of what designs of the same family have in common.
  std::string family(const core::DesignBox& box) const;

  /// By DesignPoints::quantities(): what each can be inside. Figures are from 0 up, a filled area from the
  /// least that the parts of these designs take together.
  std::vector<core::Interval> intervals(const core::DesignBox& box) const;
  /// The design itself, where the box has no other; throws Error where that is none.
  core::RelaxedAccelerator accelerator(const core::DesignBox& box) const;
  /// With ports as wide as any of the family, so that boxes that differ in widths alone share energies.
  core::RelaxedAccelerator accelerator_for_energy(const core::DesignBox& box) const;

 private:
  struct Family {
    std::shared_ptr<const core::Accelerator> common;  ///< null: none can have these fields
    core::FieldRanges widths;                         ///< the largest
  };
  /// A field with a rule, and where its numbers are.
  struct Field {
    core::RelaxableField field;
    bool linked;
    std::size_t index;  ///< of the axis name or the linked field
  };

  void find_rules(const Layers& layers);
  void enumerate_limits(const Layers& layers);
  bool limits_unrollings(const Field& size, const Layers& layers) const;
  void enumerate(const Field& field);
  void axes_behind(std::size_t quantity, std::vector<bool>& axes) const;
  void find_costs(const core::components::CostChoices& choices);
  core::Interval interval_of(const DesignPoints::Quantity& quantity, const core::DesignBox& box) const;
  core::Interval interval_of(const Field& field, const core::DesignBox& box) const;
  std::vector<core::Interval> fields_of(const core::DesignBox& box) const;
  void evaluate(std::size_t use, const core::Expression& expression, std::size_t target,
                std::vector<core::Interval>& intervals) const;
  double least_area(const core::DesignBox& box) const;
  bool add_costs(const core::DesignBox& part, const core::Accelerator& common,
                 core::FieldRanges& ranges) const;
  core::DesignBox whole_family(const core::DesignBox& box) const;
  std::shared_ptr<const Family> family_of(const core::DesignBox& box) const;
  core::RelaxedAccelerator relaxed(const core::DesignBox& box, const Family& family,
                                   const core::FieldRanges& widths) const;
  std::vector<core::DesignBox> parts(const core::DesignBox& box) const;
  core::FieldRanges ranges(const core::DesignBox& box) const;

  const DesignPoints& points_;
  bool exact_;
  std::vector<std::size_t> axis_of_name_, part_of_name_;
  std::shared_ptr<const core::Accelerator> unit_;
  std::vector<Field> areas_;         ///< of memories and units (memory -1), which no mapping depends on
  std::unique_ptr<BoxCosts> costs_;  ///< null: none are filled below
  std::vector<bool> has_rule_;       ///< of names, then of linked fields
  std::vector<Field> fields_;        ///< that a figure depends on
  std::vector<bool> decides_width_;  ///< by axis; those that are not enumerated
  std::vector<std::size_t> linked_quantity_;
  std::vector<bool> enumerated_;                      ///< by axis
  std::vector<std::vector<double>> numbers_of_name_;  ///< by step; empty: they are none
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<const Family>> families_;
};

}  // namespace zz::plugins
