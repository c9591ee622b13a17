#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "core/components/filled_costs.hpp"
#include "core/exploration/design_box.hpp"
#include "core/exploration/relaxed_accelerator.hpp"
#include "core/hardware/accelerator.hpp"

namespace zz::plugins {

/// The least that memories cost on the designs of a box, where ComponentCostStage stands below and fills
/// what is open. A cost follows the size, the widths of the ports and the kind of its memory alone, mostly
/// by few axes. It rises with them in pieces: a register file becomes an SRAM, one bank becomes two, and a
/// small wide SRAM may read for less when it is larger. So the least is not looked for at corners, but
/// over all steps of these axes, each looked at once for all boxes. [any]
class BoxCosts {
 public:
  /// Infinite: no design of the box has an answer.
  struct Cost {
    double read = std::numeric_limits<double>::infinity(), write = read, area = read;
  };
  /// A field of a memory that follows from axes.
  struct Field {
    core::RelaxableField field;
    bool is_area = false;
    std::vector<bool> axes;                                       ///< that decide it
    std::function<core::Interval(const core::DesignBox&)> range;  ///< of its values
  };

  /// `enumerated`: axes that have one step in every box.
  BoxCosts(core::components::CostChoices choices, std::vector<bool> enumerated, std::vector<Field> fields);

  /// `common`: of the family of the box.
  Cost of(int memory, const core::Accelerator& common, const core::DesignBox& box) const;
  const core::components::CostChoices& choices() const { return choices_; }

 private:
  using Key = std::pair<int, std::vector<std::uint32_t>>;

  Cost least(int memory, const core::Accelerator& common, const core::DesignBox& box) const;
  Cost single(int memory, const core::Accelerator& common, const core::DesignBox& box) const;

  core::components::CostChoices choices_;
  std::vector<bool> enumerated_;
  std::vector<Field> fields_;
  mutable std::mutex mutex_;
  mutable std::map<Key, Cost> known_;
};

}  // namespace zz::plugins
