#include "plugins/explore/relaxed_designs.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/hardware/open_costs.hpp"
#include "core/search/spatial/spatial_limits.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {

using Quantity = DesignPoints::Quantity;
namespace {
constexpr double infinite_number = std::numeric_limits<double>::infinity();

/// With the costs of the units, which no axis with a rule decides, and those of memories still open.
std::shared_ptr<const core::Accelerator> with_filled_units(const core::Accelerator& accelerator,
                                                           const core::components::CostChoices& choices) {
  core::Accelerator units = accelerator;
  units.memories.clear();
  auto filled = std::make_shared<core::Accelerator>(accelerator);
  filled->array = core::components::fill_open_costs(units, choices).accelerator.array;
  return filled;
}

}  // namespace

RelaxedDesigns::RelaxedDesigns(const DesignPoints& points, const Layers& layers, bool exact,
                               const core::components::CostChoices* filled,
                               std::shared_ptr<const core::Accelerator> unit)
    : points_(points), exact_(exact), unit_(std::move(unit)) {
  const auto& axes = points.space().axes();
  const auto& quantities = points.quantities();
  enumerated_.assign(axes.size(), false);
  decides_width_.assign(axes.size(), false);
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    for (std::size_t part = 0; part < axes[axis].names.size(); ++part) {
      axis_of_name_.push_back(axis);
      part_of_name_.push_back(part);
    }
  }
  for (std::size_t name = 0; name < axis_of_name_.size(); ++name) {
    std::vector<double>& numbers = numbers_of_name_.emplace_back();
    for (const auto& step : axes[axis_of_name_[name]].steps) {
      const nlohmann::json& value = step[part_of_name_[name]];
      if (value.is_number()) numbers.push_back(value.get<double>());
    }
    if (numbers.size() < axes[axis_of_name_[name]].steps.size()) numbers.clear();
  }
  linked_quantity_.resize(points.forms().linked.size());
  for (std::size_t i = 0; i < quantities.size(); ++i)
    if (quantities[i].kind == Quantity::linked) linked_quantity_[quantities[i].index] = i;
  find_rules(layers);
  if (filled != nullptr) find_costs(*filled);
}

/// Areas have no part in the figures of mappings, but filled ones are a figure themselves.
void RelaxedDesigns::find_costs(const core::components::CostChoices& choices) {
  std::vector<BoxCosts::Field> fields;
  const auto add = [&](const Field& one, bool is_area) {
    BoxCosts::Field& field = fields.emplace_back();
    field.field = one.field;
    field.is_area = is_area;
    field.axes.assign(enumerated_.size(), false);
    if (one.linked)
      axes_behind(linked_quantity_[one.index], field.axes);
    else
      field.axes[axis_of_name_[one.index]] = true;
    field.range = [this, one](const core::DesignBox& box) { return interval_of(one, box); };
  };
  using Kind = core::RelaxableField::Kind;
  for (const Field& one : fields_) {
    const Kind kind = one.field.kind;
    if (kind == Kind::size || kind == Kind::inner_size || kind == Kind::width) add(one, false);
  }
  for (const Field& one : areas_)
    if (one.field.memory >= 0) add(one, true);
  costs_ = std::make_unique<BoxCosts>(choices, enumerated_, std::move(fields));
  families_.clear();
}

void RelaxedDesigns::find_rules(const Layers& layers) {
  const auto accelerator = object_or_null<core::Accelerator>(points_.base());
  const auto path_of = [&](const std::string& name) {
    return unique_path(points_.base(), object_path(points_.base(), name));
  };
  const auto rule_of = [&](const std::string& name) -> std::optional<core::RelaxableField> {
    if (exact_ || accelerator == nullptr) return std::nullopt;
    return core::relaxable_field(*accelerator, path_of(name));
  };
  const auto add = [&](const std::optional<core::RelaxableField>& field, const std::string& name,
                       bool linked, std::size_t index) {
    has_rule_.push_back(field.has_value());
    if (!field) return;
    if (field->kind != core::RelaxableField::Kind::unseen)
      fields_.push_back({*field, linked, index});
    else if (const std::string path = path_of(name); path.ends_with("area]"))
      areas_.push_back({*field, linked, index});
  };
  const auto& axes = points_.space().axes();
  for (std::size_t name = 0; name < axis_of_name_.size(); ++name) {
    const std::size_t axis = axis_of_name_[name];
    std::optional<core::RelaxableField> field;
    if (points_.is_field(name) && !numbers_of_name_[name].empty())
      field = rule_of(axes[axis].names[part_of_name_[name]]);
    if (!field) enumerated_[axis] = true;
    add(field, axes[axis].names[part_of_name_[name]], false, name);
  }
  for (std::size_t i = 0; i < linked_quantity_.size(); ++i) {
    const auto field = rule_of(points_.forms().linked[i].name);
    if (!field) axes_behind(linked_quantity_[i], enumerated_);
    add(field, points_.forms().linked[i].name, true, i);
  }
  enumerate_limits(layers);
  for (const Field& one : fields_) {
    if (one.field.kind != core::RelaxableField::Kind::width) continue;
    if (one.linked)
      axes_behind(linked_quantity_[one.index], decides_width_);
    else
      decides_width_[axis_of_name_[one.index]] = true;
  }
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    if (enumerated_[axis]) decides_width_[axis] = false;
}

/// Sizes of memories next to the array have a rule only where they limit no unrolling in any family.
void RelaxedDesigns::enumerate_limits(const Layers& layers) {
  const std::vector<Field> all = fields_;
  for (const Field& one : all) {
    if (one.field.kind != core::RelaxableField::Kind::inner_size || !limits_unrollings(one, layers))
      continue;
    std::erase_if(fields_, [&](const Field& other) {
      return other.linked == one.linked && other.index == one.index;
    });
    enumerate(one);
  }
  families_.clear();  // some may have become several
}

bool RelaxedDesigns::limits_unrollings(const Field& size, const Layers& layers) const {
  for (const core::DesignBox& box : boxes()) {
    const std::shared_ptr<const Family> family = family_of(box);
    if (family->common == nullptr) continue;
    core::Accelerator least = *family->common;
    const core::Interval sizes = interval_of(size, box);
    least.memories[static_cast<std::size_t>(size.field.memory)].size = static_cast<std::int64_t>(sizes.low);
    for (const auto& layer : layers)
      if (core::size_limits_unrollings(*layer, least, size.field.memory)) return true;
  }
  return false;
}

void RelaxedDesigns::enumerate(const Field& field) {
  has_rule_[field.linked ? axis_of_name_.size() + field.index : field.index] = false;
  if (field.linked)
    axes_behind(linked_quantity_[field.index], enumerated_);
  else
    enumerated_[axis_of_name_[field.index]] = true;
}

/// The axes that decide a quantity.
void RelaxedDesigns::axes_behind(std::size_t quantity, std::vector<bool>& axes) const {
  const Quantity& one = points_.quantities()[quantity];
  if (one.kind == Quantity::axis) axes[axis_of_name_[one.index]] = true;
  if (one.kind != Quantity::linked) return;
  for (const std::size_t used : points_.uses()[one.index]) axes_behind(used, axes);
}

std::vector<core::DesignBox> RelaxedDesigns::boxes() const {
  const auto& axes = points_.space().axes();
  core::DesignBox first;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    first.lower.push_back(0);
    first.upper.push_back(enumerated_[i] ? 0 : static_cast<std::uint32_t>(axes[i].steps.size()) - 1);
  }
  std::vector<core::DesignBox> all{first};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (!enumerated_[i]) continue;
    std::vector<core::DesignBox> more;
    for (const core::DesignBox& box : all) {
      for (std::uint32_t step = 0; step < axes[i].steps.size(); ++step) {
        core::end_if_interrupted();
        more.push_back(box);
        more.back().lower[i] = more.back().upper[i] = step;
      }
    }
    all = std::move(more);
  }
  return all;
}

std::string RelaxedDesigns::family(const core::DesignBox& box) const {
  std::string text;
  for (std::size_t i = 0; i < enumerated_.size(); ++i)
    if (enumerated_[i]) text += fmt::format("{},", box.lower[i]);
  return text;
}

core::Interval RelaxedDesigns::interval_of(const Quantity& quantity, const core::DesignBox& box) const {
  const std::size_t name = quantity.index, axis = axis_of_name_[name];
  core::Interval interval{infinite_number, -infinite_number};
  core::end_if_interrupted();
  for (std::uint32_t step = box.lower[axis]; step <= box.upper[axis]; ++step) {
    const double number =
        quantity.element < 0
            ? numbers_of_name_[name][step]
            : points_.space()
                  .axes()[axis]
                  .steps[step][part_of_name_[name]][static_cast<std::size_t>(quantity.element)]
                  .get<double>();
    interval = {std::min(interval.low, number), std::max(interval.high, number)};
  }
  return interval;
}

core::Interval RelaxedDesigns::interval_of(const Field& field, const core::DesignBox& box) const {
  return field.linked ? fields_of(box)[linked_quantity_[field.index]]
                      : interval_of({Quantity::axis, "", field.index}, box);
}

void RelaxedDesigns::evaluate(std::size_t use, const core::Expression& expression, std::size_t target,
                              std::vector<core::Interval>& intervals) const {
  std::vector<core::Interval> own;
  for (const std::size_t quantity : points_.uses()[use]) own.push_back(intervals[quantity]);
  intervals[target] = expression.range(own);
}

/// All quantities but metrics.
std::vector<core::Interval> RelaxedDesigns::fields_of(const core::DesignBox& box) const {
  const auto& quantities = points_.quantities();
  std::vector<core::Interval> intervals(quantities.size());
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    const Quantity& quantity = quantities[i];
    if (quantity.kind == Quantity::field) intervals[i] = {quantity.number, quantity.number};
    if (quantity.kind == Quantity::figure) intervals[i] = {0, infinite_number};
    if (quantity.kind == Quantity::axis) intervals[i] = interval_of(quantity, box);
  }
  const auto& linked = points_.forms().linked;
  for (std::size_t i = 0; i < linked.size(); ++i)
    evaluate(i, linked[i].expression, linked_quantity_[i], intervals);
  return intervals;
}

std::vector<core::Interval> RelaxedDesigns::intervals(const core::DesignBox& box) const {
  const auto& quantities = points_.quantities();
  std::vector<core::Interval> intervals = fields_of(box);
  const core::SpaceForms& forms = points_.forms();
  if (costs_ != nullptr)
    if (const auto area = points_.find_quantity("area"); area && quantities[*area].kind == Quantity::figure)
      intervals[*area].low = least_area(box);
  for (std::size_t i = 0; i < quantities.size(); ++i)
    if (quantities[i].kind == Quantity::metric)
      evaluate(forms.linked.size() + quantities[i].index, forms.metrics[quantities[i].index].expression, i,
               intervals);
  return intervals;
}

/// Added in the order in which area_of() adds, so that no rounding lifts it above a design's.
double RelaxedDesigns::least_area(const core::DesignBox& box) const {
  const std::shared_ptr<const Family> family = family_of(box);
  if (family->common == nullptr) return 0;
  core::Accelerator least = *family->common;
  for (std::size_t i = 0; i < least.memories.size(); ++i) {
    least.memories[i].area = costs_->of(static_cast<int>(i), *family->common, box).area;
    // Then none of them has figures, and solving them tells why.
    if (std::isinf(least.memories[i].area)) return 0;
  }
  for (const Field& one : areas_)
    if (one.field.memory < 0) least.array.unit_area = interval_of(one, box).low;
  double area = 0.0 + core::components::area_of(least);
  if (unit_ != nullptr) area += core::components::area_of(*unit_, &least);
  return area;
}

core::FieldRanges RelaxedDesigns::ranges(const core::DesignBox& box) const {
  const std::vector<core::Interval> all = fields_of(box);
  core::FieldRanges ranges;
  for (const Field& one : fields_)
    ranges.push_back({one.field, one.linked ? all[linked_quantity_[one.index]]
                                            : interval_of({Quantity::axis, "", one.index}, box)});
  return ranges;
}

/// Adds the costs that are filled below. False where no design of the part has any.
bool RelaxedDesigns::add_costs(const core::DesignBox& part, const core::Accelerator& common,
                               core::FieldRanges& ranges) const {
  if (costs_ == nullptr) return true;
  using Kind = core::RelaxableField::Kind;
  for (std::size_t i = 0; i < common.memories.size(); ++i) {
    const core::Memory& memory = common.memories[i];
    const int index = static_cast<int>(i);
    if (!core::is_open(memory.read_cost) && !core::is_open(memory.write_cost)) continue;
    const BoxCosts::Cost least = costs_->of(index, common, part);
    if (std::isinf(least.read) || std::isinf(least.write)) return false;
    if (core::is_open(memory.read_cost))
      ranges.push_back({{Kind::read_cost, index, -1}, {least.read, least.read}});
    if (core::is_open(memory.write_cost))
      ranges.push_back({{Kind::write_cost, index, -1}, {least.write, least.write}});
  }
  return true;
}

/// With one width of each port in each part, unless these are too many.
std::vector<core::DesignBox> RelaxedDesigns::parts(const core::DesignBox& box) const {
  constexpr std::size_t most_parts = 64;
  std::vector<core::DesignBox> parts{box};
  for (std::size_t axis = 0; axis < enumerated_.size(); ++axis) {
    const std::uint32_t steps = box.upper[axis] - box.lower[axis] + 1;
    if (!decides_width_[axis] || parts.size() * steps > most_parts) continue;
    std::vector<core::DesignBox> finer;
    for (const core::DesignBox& part : parts) {
      for (std::uint32_t step = box.lower[axis]; step <= box.upper[axis]; ++step) {
        finer.push_back(part);
        finer.back().lower[axis] = finer.back().upper[axis] = step;
      }
    }
    parts = std::move(finer);
  }
  return parts;
}

core::DesignBox RelaxedDesigns::whole_family(const core::DesignBox& box) const {
  core::DesignBox whole = box;
  for (std::size_t axis = 0; axis < enumerated_.size(); ++axis) {
    if (enumerated_[axis]) continue;
    whole.lower[axis] = 0;
    whole.upper[axis] = static_cast<std::uint32_t>(points_.space().axes()[axis].steps.size()) - 1;
  }
  return whole;
}

std::shared_ptr<const RelaxedDesigns::Family> RelaxedDesigns::family_of(const core::DesignBox& box) const {
  const std::string key = family(box);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = families_.find(key); known != families_.end()) return known->second;
  }
  auto made = std::make_shared<Family>();
  const core::DesignBox whole = whole_family(box);
  const std::vector<core::Interval> all = fields_of(whole);
  // Fields with a rule have any value that goes with the others.
  std::vector<PointSetting> fields;
  for (std::size_t name = 0; name < axis_of_name_.size(); ++name) {
    const core::DesignAxis& axis = points_.space().axes()[axis_of_name_[name]];
    const std::size_t part = part_of_name_[name];
    fields.emplace_back(axis.names[part],
                        has_rule_[name]
                            ? value_of_number(interval_of({Quantity::axis, "", name}, whole).high)
                            : value_of_json(axis.steps[box.lower[axis_of_name_[name]]][part]));
  }
  for (std::size_t i = 0; i < linked_quantity_.size(); ++i)
    fields.emplace_back(points_.forms().linked[i].name, value_of_number(all[linked_quantity_[i]].high));
  try {
    made->common = object_or_null<core::Accelerator>(accelerator_with(points_.base(), fields));
    if (costs_ != nullptr && made->common != nullptr)
      made->common = with_filled_units(*made->common, costs_->choices());
  } catch (const Error&) {
    // None can have these fields.
  } catch (const core::InputError&) {
    // Nobody knows what their units cost.
  }
  for (const core::FieldRange& range : ranges(whole))
    if (range.field.kind == core::RelaxableField::Kind::width) made->widths.push_back(range);
  const std::lock_guard lock(mutex_);
  return families_.emplace(key, std::move(made)).first->second;
}

core::RelaxedAccelerator RelaxedDesigns::relaxed(const core::DesignBox& box, const Family& family,
                                                 const core::FieldRanges& widths) const {
  if (family.common == nullptr) return {};
  std::vector<core::FieldRanges> all;
  for (const core::DesignBox& part : parts(box)) {
    core::FieldRanges of_part = ranges(part);
    if (add_costs(part, *family.common, of_part)) all.push_back(std::move(of_part));
  }
  if (all.empty()) return {};
  if (costs_ == nullptr) return core::relaxed_accelerator(*family.common, all, widths);
  core::Accelerator common = *family.common;
  for (core::Memory& memory : common.memories)
    if (core::is_open(memory.area)) memory.area = 0;  // no mapping depends on it
  return core::relaxed_accelerator(common, all, widths);
}

core::RelaxedAccelerator RelaxedDesigns::accelerator(const core::DesignBox& box) const {
  if (!box.single()) return relaxed(box, *family_of(box), {});
  DesignPoint design;
  points_.make(points_.space().number_of(box.lower), design);
  const auto own = object_or_null<core::Accelerator>(design.accelerator);
  if (costs_ == nullptr || own == nullptr) return {own, 0};
  try {
    return {std::make_shared<const core::Accelerator>(
                core::components::fill_open_costs(*own, costs_->choices()).accelerator),
            0};
  } catch (const core::InputError& unknown) {
    throw Error(ZZ_E_INVALID, unknown.what());
  }
}

core::RelaxedAccelerator RelaxedDesigns::accelerator_for_energy(const core::DesignBox& box) const {
  const auto family = family_of(box);
  return relaxed(box, *family, family->widths);
}

}  // namespace zz::plugins
