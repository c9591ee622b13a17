#include "plugins/explore/box_costs.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"

namespace zz::plugins {

BoxCosts::BoxCosts(core::components::CostChoices choices, std::vector<bool> enumerated,
                   std::vector<Field> fields)
    : choices_(std::move(choices)), enumerated_(std::move(enumerated)), fields_(std::move(fields)) {}

BoxCosts::Cost BoxCosts::of(int memory, const core::Accelerator& common, const core::DesignBox& box) const {
  core::DesignBox own = box;
  for (std::size_t axis = 0; axis < enumerated_.size(); ++axis) {
    const bool decides =
        enumerated_[axis] || std::any_of(fields_.begin(), fields_.end(), [&](const Field& one) {
          return one.field.memory == memory && one.axes[axis];
        });
    if (!decides) own.lower[axis] = own.upper[axis] = 0;
  }
  return least(memory, common, own);
}

BoxCosts::Cost BoxCosts::least(int memory, const core::Accelerator& common,
                               const core::DesignBox& box) const {
  if (box.single()) return single(memory, common, box);
  Key key{memory, box.lower};
  key.second.insert(key.second.end(), box.upper.begin(), box.upper.end());
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
  }
  core::end_if_interrupted();
  std::size_t longest = 0;
  const auto steps = [&](std::size_t axis) { return box.upper[axis] - box.lower[axis]; };
  for (std::size_t axis = 1; axis < box.lower.size(); ++axis)
    if (steps(axis) > steps(longest)) longest = axis;
  Cost all;
  for (const core::DesignBox& half : box.halves(longest)) {
    const Cost one = least(memory, common, half);
    all = {std::min(all.read, one.read), std::min(all.write, one.write), std::min(all.area, one.area)};
  }
  const std::lock_guard lock(mutex_);
  known_.emplace(std::move(key), all);
  return all;
}

BoxCosts::Cost BoxCosts::single(int memory, const core::Accelerator& common,
                                const core::DesignBox& box) const {
  core::Memory own = common.memories[static_cast<std::size_t>(memory)];
  for (const Field& one : fields_) {
    if (one.field.memory != memory) continue;
    const double value = one.range(box).low;
    if (one.is_area) {
      own.area = value;
      continue;
    }
    // No memory has a size or a width that is not whole.
    if (!(std::abs(value) < 9e15) || std::floor(value) != value) return {};
    if (one.field.kind == core::RelaxableField::Kind::width)
      own.ports.at(static_cast<std::size_t>(one.field.port)).bandwidth_max =
          static_cast<std::int64_t>(value);
    else
      own.size = static_cast<std::int64_t>(value);
  }
  try {
    fill_open_costs(own, choices_);
  } catch (const core::InputError&) {
    return {};  // a design with it says why
  }
  return {own.read_cost, own.write_cost, own.area};
}

}  // namespace zz::plugins
