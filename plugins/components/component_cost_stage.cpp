#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/components/filled_costs.hpp"
#include "core/components/technology.hpp"
#include "core/cost/evaluation.hpp"
#include "core/cost/rates.hpp"
#include "core/hardware/multi_core_accelerator.hpp"
#include "plugins/components/cacti.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"

namespace zz::plugins {
namespace {

using core::components::PartCost;

/// Fills the costs that an accelerator leaves open.
class ComponentCostStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.ComponentCostStage",
      .name = "ComponentCostStage",
      .summary = "fills the energies and areas that an accelerator leaves open",
      .doc =
          R"(Fills what the accelerator leaves open: `r_cost`, `w_cost` and `area` of memories, `unit_energy` and
`unit_area` of the array, where the file says `auto`; all of them that are left out, where it says `costs: auto` at its
top; all three of a memory with ZigZag's `auto_cost_extraction: true`. Costs that are told stay as they are.

A memory is answered for by its `mem_type`: `sram` (by forms fitted to CACTI 7), `rf` (registers), `dram`, or an
interface of DRAM: ddr3, ddr4, lpddr3, lpddr4, hbm2. Its size and the bandwidths of its ports decide. Units are answered
for by their numbers: `arithmetic`, or integers of the array's `operand_precision`. What was filled is told in a line
for each kind of memory at the level info, each part with source and range at the level debug (`-v`), and in
`component_costs`; the page about costs says how far the answers can be off.

It stands below the stages that change the accelerator, so that costs follow sizes. Hands down the filled accelerator,
and `component_costs`, of what was filled: a map with `leakage_power` (mW, as far as it is known), `access_time` (ns, of
the slowest memory on the chip) and `parts`, a list with name, component, instances, source, standing, and each figure
as {value, low, high}. Results from below get `area`, the sum over all units and memories, filled or told, and the ends
of its range; `costs_beyond_source`, how many parts lie beyond what their source has, where any does. Every evaluation
knows its energy with all filled costs at the ends of their ranges, `energy_low` and `energy_high`: of a layer, of a
network, not of a schedule. The table has a column for them and a line below it. Below 16 nm a warning says what the
costs rest on.

With `cacti`, the path of a binary of CACTI, that program answers for SRAM. It is started once for each memory, in its
own folder, with the `cache.cfg` beside it and lines for size, width and node. A source of your own is a stage in the
place of this one.

```yaml
parameters: {accelerator: tpu_like.yaml, technology_node: 28}
stages: [WorkloadParserStage, AcceleratorParserStage, ComponentCostStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  double technology_node = 22;
  std::string transistors = "high_performance";
  std::string dram_interface = "lpddr4";
  std::string arithmetic;
  std::string cacti;
  static constexpr auto params = zz::params(
      param<&ComponentCostStage::technology_node>("technology_node", "of the memories and units")
          .unit("nm")
          .allowed("[7, 90]"),
      param<&ComponentCostStage::transistors>("transistors", "those of SRAM")
          .allowed("high_performance|low_standby_power"),
      param<&ComponentCostStage::dram_interface>("dram_interface", "of memories whose mem_type is dram")
          .allowed("ddr3|ddr4|lpddr3|lpddr4|hbm2"),
      param<&ComponentCostStage::arithmetic>(
          "arithmetic",
          "numbers of the units: int1 to int64, fp8, fp16, bf16 or fp32; empty: integers of "
          "the array's precision"),
      param<&ComponentCostStage::cacti>("cacti", "a binary of CACTI, which answers for SRAM; empty: none")
          .input_path());
  static constexpr Port consumes[] = {
      zz::object("accelerator", "accelerator",
                 "whose costs are filled; absent when there are several cores")
          .optional(),
      zz::object("vector_unit", "accelerator", "whose costs are filled as well").optional(),
      zz::object("multi_core_accelerator", "multi_core_accelerator", "whose cores are filled").optional()};
  static constexpr Port provides[] = {
      zz::object("accelerator", "accelerator", "without open costs").optional(),
      zz::object("vector_unit", "accelerator", "without open costs").optional(),
      zz::object("multi_core_accelerator", "multi_core_accelerator", "without open costs").optional(),
      zz::port("component_costs", ZZ_MAP, "what the components cost: leakage_power, access_time, parts")};

  static constexpr Metric metrics[] = {
      zz::metric("area", "of all units and memories, those off the chip left out").unit("mm2").largest(),
      zz::metric("area_low", "the same with all filled areas at the low ends of their ranges")
          .unit("mm2")
          .largest(),
      zz::metric("area_high", "the same at the high ends").unit("mm2").largest(),
      zz::metric("costs_beyond_source", "filled parts whose size or format is beyond what their source has")
          .largest(),
      zz::metric(core::leakage_metric, "of all filled parts whose leakage is known").unit("mW").largest()};

  void prepare();
  Value makes() const {
    return make(nullptr, {{"makes", "filled_costs"},
                          {"technology_node", technology_node},
                          {"transistors", transistors},
                          {"dram_interface", dram_interface},
                          {"arithmetic", arithmetic},
                          {"cacti", cacti}});
  }
  Results run(Value ctx);

 private:
  core::components::FilledAccelerator filled(const core::Accelerator& accelerator) const;

  std::atomic<bool> told_{false};
  core::components::CostChoices choices_;
  std::shared_ptr<const Cacti> cacti_;
};

void ComponentCostStage::prepare() {
  choices_ = {technology_node, core::components::transistors_of(transistors), dram_interface, arithmetic};
  if (!cacti.empty()) cacti_ = std::make_shared<const Cacti>(cacti);
}

core::components::FilledAccelerator ComponentCostStage::filled(const core::Accelerator& accelerator) const {
  if (!cacti_) return fill_open_costs(accelerator, choices_);
  return fill_open_costs(accelerator, choices_, [&](const core::components::MemoryComponent& question) {
    return cacti_->cost(*this, question);
  });
}

std::string text_of_part(const PartCost& part) {
  const auto range = [](const core::components::Estimate& one, const char* unit) {
    return fmt::format("{:.4g} {} ({:.4g} to {:.4g})", one.value, unit, one.low, one.high);
  };
  std::vector<std::string> figures;
  for (const std::string& key : part.filled) {
    const bool energy = key == "r_cost" || key == "unit_energy";
    figures.push_back(key + " " +
                      (energy            ? range(part.cost.energy, "pJ")
                       : key == "w_cost" ? range(part.cost.write_energy, "pJ")
                                         : range(part.cost.area, "mm2")));
  }
  return fmt::format("{}: {}; {}; {}: {}", part.part, fmt::join(figures, ", "), part.component,
                     core::components::standing_of(part.cost), part.cost.source);
}

bool is_beyond_source(const PartCost& part) { return part.cost.is_extrapolated; }

/// "SRAM", "lpddr4", "multiply-accumulate of int8".
std::string kind_of(const PartCost& part) {
  if (part.part == PartCost::units) return part.component;
  return part.component.substr(0, std::min(part.component.find(" of "), part.component.find(", ")));
}

/// A line for parts of one kind: "SRAM (accumulator, buffer): r_cost 3.552 to 8.02 pJ; fitted". One part
/// alone is told in full.
std::string text_of_kind(const std::vector<const PartCost*>& parts) {
  constexpr std::size_t most_named = 4;
  if (parts.size() == 1) return text_of_part(*parts.front());
  std::vector<std::string> names, standings, beyond;
  const auto add = [](std::vector<std::string>& to, const std::string& text) {
    if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(text);
  };
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const PartCost* part : parts) {
    if (names.size() < most_named) names.push_back(part->part);
    add(standings, core::components::standing_of(part->cost));
    if (is_beyond_source(*part)) add(beyond, part->part);
    low = std::min(low, part->cost.energy.value);
    high = std::max(high, part->cost.energy.value);
  }
  if (parts.size() > names.size()) names.push_back(fmt::format("{} more", parts.size() - names.size()));
  const std::string energies =
      low == high ? fmt::format("{:.4g}", low) : fmt::format("{:.4g} to {:.4g}", low, high);
  return fmt::format("{} ({}): r_cost {} pJ; {}{}", kind_of(*parts.front()), fmt::join(names, ", "),
                     energies, fmt::join(standings, ", "),
                     beyond.empty() ? "" : fmt::format("; beyond its source: {}", fmt::join(beyond, ", ")));
}

/// The lines for all parts, by kind.
std::vector<std::string> texts_of(const std::vector<PartCost>& parts) {
  std::vector<std::vector<const PartCost*>> kinds;
  for (const PartCost& part : parts) {
    const auto known = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) {
      return kind_of(*kind.front()) == kind_of(part);
    });
    if (known == kinds.end())
      kinds.push_back({&part});
    else
      known->push_back(&part);
  }
  std::vector<std::string> texts;
  for (const auto& kind : kinds) texts.push_back(text_of_kind(kind));
  return texts;
}

std::size_t beyond_source(const std::vector<PartCost>& parts) {
  return static_cast<std::size_t>(std::count_if(parts.begin(), parts.end(), is_beyond_source));
}

/// A figure of a part; null where nobody knows it.
Value value_of(const core::components::Estimate& one) {
  if (!one.known()) return {};
  return make({{"value", one.value}, {"low", one.low}, {"high", one.high}});
}

Value value_of(const std::vector<PartCost>& parts) {
  std::vector<Value> rows;
  for (const PartCost& part : parts) {
    rows.push_back(make({{"name", part.part},
                         {"component", part.component},
                         {"instances", part.instances},
                         {"source", std::string(part.cost.source)},
                         {"standing", std::string(standing_of(part.cost))},
                         {"energy", value_of(part.cost.energy)},
                         {"write_energy", value_of(part.cost.write_energy)},
                         {"area", value_of(part.cost.area)},
                         {"leakage", value_of(part.cost.leakage)},
                         {"access_time", value_of(part.cost.access_time)}}));
  }
  return make({{"leakage_power", leakage_of(parts)},
               {"access_time", access_time_of(parts)},
               {"parts", make_list(rows)}});
}

/// `leakage` in mW; 0: nobody knows it.
Value with_area(const Value& evaluation, const core::components::Estimate& area, double leakage,
                std::size_t beyond) {
  const auto figures = object_or_null<core::Evaluation>(evaluation);
  if (figures == nullptr) return evaluation;
  core::Evaluation marked = *figures;
  core::set_metric(marked, "area", area.value);
  core::set_metric(marked, "area_low", area.low);
  core::set_metric(marked, "area_high", area.high);
  if (beyond > 0) core::set_metric(marked, "costs_beyond_source", static_cast<double>(beyond));
  // A LeakageStage below has said it.
  if (leakage > 0 && core::find_metric(marked, core::leakage_metric) == nullptr)
    core::set_metric(marked, core::leakage_metric, leakage);
  return wrap(std::move(marked));
}

Results ComponentCostStage::run(Value ctx) {
  std::vector<PartCost> parts;
  core::components::Estimate area{0, 0, 0};
  // A sweep would tell it for every point.
  const bool told = told_.exchange(true);
  // The same object where nothing is open: stages below recognise what they have seen.
  const auto fill = [&](const std::shared_ptr<const core::Accelerator>& accelerator,
                        const core::Accelerator* beside = nullptr) {
    core::components::FilledAccelerator whole = filled(*accelerator);
    area = area + area_of(whole, beside);
    if (whole.parts.empty()) return accelerator;
    if (!told)
      for (const std::string& text : texts_of(whole.parts))
        log(Level::info, accelerator->name + ": " + text);
    for (PartCost& part : whole.parts) {
      log(Level::debug, accelerator->name + ": " + text_of_part(part));
      parts.push_back(std::move(part));
    }
    return std::make_shared<const core::Accelerator>(std::move(whole.accelerator));
  };
  // The parameters of these names are paths, until a parser hands down the objects.
  const auto accelerator_at = [&](Name key) {
    const Ref part = ctx[key];
    return part.is_null() ? nullptr : object_or_null<core::Accelerator>(ctx.hold(part));
  };
  const auto one = accelerator_at("accelerator"_n);
  const auto vector_unit = accelerator_at("vector_unit"_n);
  Value below = ctx;
  if (one != nullptr) {
    if (const auto after = fill(one); after != one)
      below = with(below, {{"accelerator"_n, wrap(after)},
                           {"multi_core_accelerator"_n, wrap(core::single_core(after))}});
  } else {
    core::MultiCoreAccelerator cores =
        *object<core::MultiCoreAccelerator>(ctx, "multi_core_accelerator"_n, "multi_core_accelerator");
    bool changed = false;
    for (auto& core : cores.cores) {
      auto after = fill(core);
      changed = changed || after != core;
      core = std::move(after);
    }
    if (changed) {
      cores.derive();
      below = with(below, {{"multi_core_accelerator"_n, wrap(std::move(cores))}});
    }
  }
  if (vector_unit != nullptr) {
    if (const auto after = fill(vector_unit, one.get()); after != vector_unit)
      below = with(below, {{"vector_unit"_n, wrap(after)}});
  }
  below = with(below, {{"component_costs"_n, value_of(parts)}});
  if (const std::string warning = core::components::warning_of_node(technology_node);
      !parts.empty() && !told && !warning.empty())
    log(Level::warning, warning);
  const double leakage = leakage_of(parts);
  for (Result& result : substage(below)) {
    if (!parts.empty())
      result.evaluation = with_area(result.evaluation, area, leakage, beyond_source(parts));
    co_yield std::move(result);
  }
}

}  // namespace

ZZ_PLUGIN_STAGE(ComponentCostStage)

}  // namespace zz::plugins
