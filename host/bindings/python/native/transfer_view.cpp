#include "host/bindings/python/native/transfer_view.hpp"

#include <array>
#include <optional>
#include <pybind11/stl.h>
#include <vector>

#include "core/cost/array_pace.hpp"
#include "core/cost/boundary_cost.hpp"
#include "core/cost/cost_model.hpp"
#include "core/cost/data_footprint.hpp"
#include "core/cost/latency.hpp"
#include "core/cost/port_load.hpp"
#include "core/cost/unrolled_units.hpp"
#include "host/bindings/python/native/value_view.hpp"

namespace py = pybind11;

namespace zz::python {
namespace {

/// All that follows from the mapping of one layer, told operand by operand.
class Transfers {
 public:
  Transfers(const core::Evaluation& evaluation, const std::string& compat)
      : model_(evaluation.accelerator, evaluation.layer, evaluation.spatial_mapping,
               evaluation.spatial_mapping_int, {.rules = core::rules_of(compat)}),
        tables_(model_.tables()),
        mapping_(model_.compact(*evaluation.temporal_mapping)),
        pace_(core::pace_of(tables_, mapping_)) {
    const core::Boundaries& boundaries = model_.boundaries();
    for (const core::Boundaries::Boundary& at : boundaries.all())
      costs_.push_back(core::cost_of(tables_, model_.options(), mapping_, at.operand, at.level));
    for (const core::BoundaryCost& cost : costs_) pointers_.push_back(&cost);
    second_buffers_ =
        core::second_buffers(tables_, model_.options().rules, boundaries, mapping_, pointers_);
    windows_.emplace(tables_, boundaries, mapping_, pace_, pointers_, second_buffers_);
    core::latency_of(tables_, model_.options(), boundaries, mapping_, pointers_, &loading_);
  }

  py::dict of_operand(int index) const {
    const core::OperandTable& operand = tables_.operands[index];
    py::list boundaries;
    for (int level = 0; level <= operand.levels; ++level) boundaries.append(boundary(index, level));
    py::list memories;
    for (int level = 1; level <= operand.levels; ++level) memories.append(memory(index, level));
    py::dict told;
    told["boundaries"] = boundaries;
    told["memories"] = memories;
    told["fractional"] = unrolling(tables_.fractional, index);
    told["integral"] = unrolling(tables_.same_unrolling ? tables_.fractional : tables_.integral, index);
    return told;
  }

  int operands() const { return tables_.operand_count; }

 private:
  py::dict boundary(int operand, int level) const {
    const int number = model_.boundaries().number(operand, level);
    const core::BoundaryCost& cost = costs_[number];
    const bool top = level == tables_.operands[operand].levels;
    py::dict told;
    told["period"] = cost.period;
    told["count"] = cost.count;
    told["window"] = top ? 0 : (*windows_)[number];
    told["cycles"] = std::vector<std::int64_t>(cost.cycles.begin(), cost.cycles.end());
    told["partial_sum"] = cost.partial_sum;
    told["loading_below"] = top ? 0.0 : loading_.below[number];
    told["loading_above"] = top ? 0.0 : loading_.above[number];
    return told;
  }

  /// Contents of a memory, as an architecture level.
  py::dict memory(int operand, int level) const {
    const int number = model_.boundaries().number(operand, level);
    py::dict told;
    told["held_bits"] = core::held_bits(costs_[number - 1], costs_[number]);
    told["kept_bits"] = core::kept_bits(tables_, model_.boundaries(), mapping_, pointers_, number);
    if ((model_.boundaries().holders() >> number & 1) != 0)
      told["second_buffer"] = (second_buffers_ >> number & 1) != 0;
    return told;
  }

  /// By architecture level: units, data, and what moves over the lower boundary in each direction.
  py::dict unrolling(const core::SpatialTables& unrollings, int index) const {
    const core::OperandTable& operand = tables_.operands[index];
    const int levels = operand.levels;
    const core::UnrolledUnits units = core::unrolled_units(tables_, operand, unrollings[index].loops);
    const core::DataFootprint held = core::footprint_of(tables_, unrollings, mapping_, index, levels);
    py::dict told;
    const auto row = [&](const char* name, const auto& values) {
      told[name] = std::vector<double>(values.begin(), values.begin() + levels + 1);
    };
    row("relevant", units.relevant);
    row("all", units.all);
    row("elements", held.elements);
    row("bits", held.bits);
    row("copies", unrollings[index].boost);
    py::list transfers;
    for (int level = 0; level <= levels; ++level) {
      const bool kept = level == 0 && !operand.output && model_.options().same_data_free;
      const int inside =
          kept ? core::repeated_loops(tables_, mapping_, index) : mapping_.loops_below(index, level);
      const core::TilesBelow tiles(tables_, mapping_, inside);
      const std::int64_t period = tiles.steps();
      py::list directions;
      for (const core::LevelTransfer& transfer :
           core::transfers_over(operand, held, level, period, period * tiles.portions())) {
        py::dict one;
        one["elements"] = transfer.elements;
        one["precision"] = transfer.precision;
        one["period"] = transfer.period;
        one["count"] = transfer.count;
        one["bandwidth"] = transfer.bandwidth;
        directions.append(one);
      }
      transfers.append(directions);
    }
    told["transfers"] = transfers;
    return told;
  }

  core::CostModel model_;
  const core::CostTables& tables_;
  core::CompactMapping mapping_;
  core::ArrayPace pace_;
  std::vector<core::BoundaryCost> costs_;
  std::vector<const core::BoundaryCost*> pointers_;
  std::uint64_t second_buffers_ = 0;
  std::optional<core::Windows> windows_;
  core::LoadingCycles loading_;
};

/// By operand in equation order; directions are in the order of core::Direction.
py::list transfers(const core::Value& value, const std::string& compat) {
  const auto evaluation = value.as<core::Evaluation>();
  if (evaluation == nullptr || evaluation->layer == nullptr || evaluation->temporal_mapping == nullptr)
    throw py::type_error("transfers belong to the evaluation of one layer; this is none");
  const Transfers transfers(*evaluation, compat);
  py::list all;
  for (int operand = 0; operand < transfers.operands(); ++operand)
    all.append(transfers.of_operand(operand));
  return all;
}

/// `activities`: (real, allowed, period, count) of the transfers of one port.
std::int64_t window_union(const std::vector<std::array<std::int64_t, 4>>& activities) {
  std::vector<core::PortActivity> all;
  for (const auto& [real, allowed, period, count] : activities)
    all.push_back({real, allowed, period, count});
  return core::window_union(all);
}

}  // namespace

void bind_transfers(py::module_& module) {
  module.def("window_union", window_union, py::arg("activities"));
  module.def("transfers", transfers, py::arg("evaluation"), py::arg("compat"));
}

}  // namespace zz::python
