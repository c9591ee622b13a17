#include "core/cost/deviations.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/hardware/imc/imc_array.hpp"

namespace zz::core {
namespace {

struct RuleOfCosts {
  bool Rules::*member;
  std::string_view name, what;
  /// False: the figures are the same with the rule.
  bool (*may_matter)(const CostTables&, const Latency&);
};

bool is_whole(double number) { return number == std::floor(number); }

bool has_fractions(const CostTables& tables) {
  return !std::all_of(tables.fractional.begin(), tables.fractional.begin() + tables.operand_count,
                      [](const SpatialTable& table) {
                        const auto loops = table.loops.all();
                        return std::all_of(table.boost.begin(), table.boost.end(), is_whole) &&
                               std::all_of(loops.begin(), loops.end(), [](const UnrolledFactor& loop) {
                                 return is_whole(loop.factor);
                               });
                      });
}

bool splits_window(const CostTables& tables) {
  return std::any_of(tables.fractional.begin(), tables.fractional.begin() + tables.operand_count,
                     [](const SpatialTable& table) { return table.splits_window; });
}

const RuleOfCosts rules_of_costs[] = {
    {&Rules::data_in_whole_units, "data_in_whole_units",
     "data are counted on average over the rounds of an unrolling; ZigZag cuts both to whole ones",
     [](const CostTables& tables, const Latency&) {
       return has_fractions(tables) || splits_window(tables);
     }},
    {&Rules::overcounted_window_positions, "overcounted_window_positions",
     "the positions of a window are counted exactly; ZigZag counts some twice, and no fractions of a tile",
     [](const CostTables& tables, const Latency&) {
       const bool dilated = std::any_of(tables.windows.begin(), tables.windows.end(),
                                        [](const Window& window) { return window.positions.dilated(); });
       return dilated || (!tables.windows.empty() && has_fractions(tables));
     }},
    {&Rules::shared_loading_forgotten, "shared_loading_forgotten",
     "on-loading of a layer with one input counts all links; ZigZag leaves out those at ports of two "
     "inputs",
     [](const CostTables& tables, const Latency&) { return tables.operand_count == 2; }},
    {&Rules::highest_half_shared_only, "highest_half_shared_only",
     "on-loading over several half-shared boundaries is added up; ZigZag keeps the highest one only",
     [](const CostTables&, const Latency& latency) { return latency.half_shared_corrected; }},
    {&Rules::faster_than_ports, "faster_than_ports",
     "off-loading lasts until the busiest port has moved its data; ZigZag's latency may be shorter",
     [](const CostTables&, const Latency& latency) { return latency.waited_for_ports > 0; }}};

}  // namespace

std::vector<Deviation> find_deviations(const CostModel& model, const Evaluation& evaluation) {
  std::vector<Deviation> found;
  const CompactMapping mapping = model.compact(*evaluation.temporal_mapping);
  const Latency latency = model.latency(mapping);
  for (const RuleOfCosts& rule : rules_of_costs) {
    CostModelOptions options = model.options();
    if (options.rules.*rule.member || !rule.may_matter(model.tables(), latency)) continue;
    options.rules.*rule.member = true;
    const Score original = CostModel(evaluation.accelerator, evaluation.layer, evaluation.spatial_mapping,
                                     evaluation.spatial_mapping_int, options)
                               .score(mapping);
    const Deviation deviation{rule.member, rule.name, rule.what,
                              change(evaluation.energy_total, original.energy_total),
                              change(evaluation.latency_total2, original.latency_total2)};
    if (deviation.energy != 0 || deviation.latency != 0) found.push_back(deviation);
  }
  return found;
}

bool has_other_clock(const Evaluation& evaluation, Rules rules) {
  if (!evaluation.imc || std::exchange(rules.negative_adder_tree_delay, true)) return false;
  return ImcArray(*evaluation.accelerator, rules).clock().total() != evaluation.imc->tclk();
}

}  // namespace zz::core
