#include "plugins/explore/relaxed_designs.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "core/hardware/accelerator.hpp"
#include "core/hardware/further_keys.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {

std::uint64_t DesignBox::size() const {
  std::uint64_t size = 1;
  for (std::size_t i = 0; i < lower.size(); ++i) size *= upper[i] - lower[i] + 1;
  return size;
}

RelaxedDesigns::RelaxedDesigns(const DesignPoints& points, bool exact) : points_(points), exact_(exact) {
  const auto accelerator = object_or_null<core::Accelerator>(points.base());
  exact_ = exact_ || accelerator == nullptr || accelerator->array.imc.has_value() ||
           !core::first_further_key(*accelerator).empty();
  const auto& axes = points.space().axes();
  enumerated_.assign(axes.size(), false);
  for (std::size_t axis = 0, name = 0; axis < axes.size(); ++axis) {
    for (std::size_t part = 0; part < axes[axis].names.size(); ++part, ++name) {
      axis_of_name_.push_back(axis);
      part_of_name_.push_back(part);
      Rule rule = Rule::exact;
      if (!exact_ && points.is_field(name)) {
        const std::string path = object_path(points.base(), axes[axis].names[part]);
        rule = rule_of(unique_path(points.base(), path));
        for (const auto& step : axes[axis].steps)
          if (!step[part].is_number()) rule = Rule::exact;
      }
      name_rules_.push_back(rule);
      if (rule == Rule::exact) enumerated_[axis] = true;
    }
  }
  for (std::size_t i = 0; i < points.forms().linked.size(); ++i) {
    const Rule rule = exact_
                          ? Rule::exact
                          : rule_of(unique_path(points.base(),
                                                object_path(points.base(), points.forms().linked[i].name)));
    linked_rules_.push_back(rule);
    const auto& quantities = points.quantities();
    const auto own =
        std::find_if(quantities.begin(), quantities.end(), [&](const DesignPoints::Quantity& one) {
          return one.kind == DesignPoints::Quantity::linked && one.index == i;
        });
    linked_quantity_.push_back(static_cast<std::size_t>(own - quantities.begin()));
  }
  for (std::size_t i = 0; i < linked_rules_.size(); ++i)
    if (linked_rules_[i] == Rule::exact) enumerate_for(i);
}

/// The axes that decide a linked field.
void RelaxedDesigns::enumerate_for(std::size_t linked) {
  for (const std::size_t quantity : points_.uses()[linked]) {
    const DesignPoints::Quantity& used = points_.quantities()[quantity];
    if (used.kind == DesignPoints::Quantity::axis) enumerated_[axis_of_name_[used.index]] = true;
    if (used.kind == DesignPoints::Quantity::linked) enumerate_for(used.index);
  }
}

/// Paths are "memories[2][size]", "memories[2][ports][0][bandwidth_max]", "operational_array[unit_energy]".
RelaxedDesigns::Rule RelaxedDesigns::rule_of(const std::string& path) const {
  const std::string last = path.substr(path.rfind('[') + 1);
  if (path.starts_with("operational_array[")) {
    if (last == "unit_energy]") return Rule::least;
    return last == "unit_area]" ? Rule::any : Rule::exact;
  }
  constexpr std::string_view memories = "memories[";
  if (!path.starts_with(memories)) return Rule::exact;
  if (last == "area]" || last == "latency]") return Rule::any;
  if (last == "r_cost]" || last == "w_cost]") return Rule::least;
  if (last != "size]" && last != "bandwidth_max]") return Rule::exact;
  // Memories next to the array limit how often loops are unrolled.
  const auto accelerator = object_or_null<core::Accelerator>(points_.base());
  const std::string number = path.substr(memories.size(), path.find(']') - memories.size());
  for (const int inner : accelerator->hierarchy().inner_memories)
    if (std::to_string(inner) == number) return Rule::exact;
  return Rule::largest;
}

std::vector<DesignBox> RelaxedDesigns::boxes() const {
  const auto& axes = points_.space().axes();
  DesignBox first;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    first.lower.push_back(0);
    first.upper.push_back(enumerated_[i] ? 0 : static_cast<std::uint32_t>(axes[i].steps.size()) - 1);
  }
  std::vector<DesignBox> all{first};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (!enumerated_[i]) continue;
    std::vector<DesignBox> more;
    for (const DesignBox& box : all) {
      for (std::uint32_t step = 0; step < axes[i].steps.size(); ++step) {
        more.push_back(box);
        more.back().lower[i] = more.back().upper[i] = step;
      }
    }
    all = std::move(more);
  }
  return all;
}

std::string RelaxedDesigns::family(const DesignBox& box) const {
  std::string text;
  for (std::size_t i = 0; i < enumerated_.size(); ++i)
    if (enumerated_[i]) text += fmt::format("{},", box.lower[i]);
  return text;
}

std::vector<core::Interval> RelaxedDesigns::intervals(const DesignBox& box) const {
  using Quantity = DesignPoints::Quantity;
  const auto& quantities = points_.quantities();
  const auto& axes = points_.space().axes();
  constexpr double no_limit = std::numeric_limits<double>::infinity();
  std::vector<core::Interval> intervals(quantities.size());
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    const Quantity& quantity = quantities[i];
    core::Interval& interval = intervals[i];
    if (quantity.kind == Quantity::field) interval = {quantity.number, quantity.number};
    if (quantity.kind == Quantity::figure) interval = {0, no_limit};
    if (quantity.kind != Quantity::axis) continue;
    const std::size_t axis = axis_of_name_[quantity.index];
    interval = {no_limit, -no_limit};
    for (std::uint32_t step = box.lower[axis]; step <= box.upper[axis]; ++step) {
      const nlohmann::json& value = axes[axis].steps[step][part_of_name_[quantity.index]];
      const double number = quantity.element < 0
                                ? value.get<double>()
                                : value[static_cast<std::size_t>(quantity.element)].get<double>();
      interval = {std::min(interval.low, number), std::max(interval.high, number)};
    }
  }
  const auto evaluate = [&](std::size_t use, const core::Expression& expression, std::size_t target) {
    std::vector<core::Interval> own;
    for (const std::size_t quantity : points_.uses()[use]) own.push_back(intervals[quantity]);
    intervals[target] = expression.range(own);
  };
  for (std::size_t i = 0; i < linked_rules_.size(); ++i)
    evaluate(i, points_.forms().linked[i].expression, linked_quantity_[i]);
  for (std::size_t i = 0; i < quantities.size(); ++i)
    if (quantities[i].kind == Quantity::metric)
      evaluate(linked_rules_.size() + quantities[i].index,
               points_.forms().metrics[quantities[i].index].expression, i);
  return intervals;
}

Value RelaxedDesigns::accelerator(const DesignBox& box,
                                  const std::vector<core::Interval>& intervals) const {
  const auto& axes = points_.space().axes();
  const auto whole = [](double number) {
    return std::abs(number) < 9e15 && std::floor(number) == number ? make(static_cast<std::int64_t>(number))
                                                                   : make(number);
  };
  std::vector<PointSetting> fields;
  for (std::size_t name = 0; name < name_rules_.size(); ++name) {
    const std::size_t axis = axis_of_name_[name], part = part_of_name_[name];
    std::uint32_t chosen = box.lower[axis];
    for (std::uint32_t step = box.lower[axis]; step <= box.upper[axis]; ++step) {
      if (name_rules_[name] != Rule::largest && name_rules_[name] != Rule::least) break;
      const double best = axes[axis].steps[chosen][part], other = axes[axis].steps[step][part];
      if (name_rules_[name] == Rule::largest ? other > best : other < best) chosen = step;
    }
    fields.emplace_back(axes[axis].names[part], value_of_json(axes[axis].steps[chosen][part]));
  }
  for (std::size_t i = 0; i < linked_rules_.size(); ++i) {
    const core::Interval& interval = intervals[linked_quantity_[i]];
    const double number = linked_rules_[i] == Rule::largest ? interval.high : interval.low;
    if (!std::isfinite(number)) return {};
    fields.emplace_back(points_.forms().linked[i].name, whole(number));
  }
  try {
    return accelerator_with(points_.base(), fields);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace zz::plugins
