#include "core/cost/deviations.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/cost/detail/evaluated_boundaries.hpp"
#include "core/cost/tiles_below.hpp"
#include "core/hardware/further_keys.hpp"
#include "core/workload/tile_bits.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {
namespace {

struct RuleOfCosts {
  bool Rules::*member;
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
    {&Rules::data_in_whole_units,
     [](const CostTables& tables, const Latency&) {
       return has_fractions(tables) || splits_window(tables);
     }},
    {&Rules::overcounted_window_positions,
     [](const CostTables& tables, const Latency&) {
       const bool dilated = std::any_of(tables.windows.begin(), tables.windows.end(),
                                        [](const Window& window) { return window.positions.dilated(); });
       return dilated || (!tables.windows.empty() && has_fractions(tables));
     }},
    {&Rules::shared_loading_forgotten,
     [](const CostTables& tables, const Latency&) { return tables.operand_count == 2; }},
    {&Rules::stalls_hide_at_every_port,
     [](const CostTables&, const Latency& latency) { return latency.more_to_hide; }},
    {&Rules::second_buffers_by_operand,
     [](const CostTables&, const Latency& latency) { return latency.second_buffer_refused; }},
    {&Rules::room_of_average_round,
     [](const CostTables& tables, const Latency& latency) {
       return latency.second_buffer_refused && has_fractions(tables);
     }},
    {&Rules::sums_held_as_results,
     [](const CostTables& tables, const Latency& latency) {
       const OperandTable& output = tables.operands[0];
       return latency.second_buffer_refused && output.precision != output.final_precision;
     }},
    {&Rules::sums_sent_as_results,
     [](const CostTables& tables, const Latency&) {
       const OperandTable& output = tables.operands[0];
       const auto& adds = tables.fractional[0].adds;
       return output.precision != output.final_precision &&
              std::any_of(adds.begin() + 1, adds.end(), [](bool adds_here) { return adds_here; });
     }},
    {&Rules::fills_of_average_round,
     [](const CostTables& tables, const Latency&) {
       return std::any_of(tables.fractional.begin(), tables.fractional.begin() + tables.operand_count,
                          [](const SpatialTable& table) { return table.works_in_part; });
     }},
    {&Rules::words_of_average_round,
     [](const CostTables& tables, const Latency&) { return has_fractions(tables); }},
    {&Rules::highest_half_shared_only,
     [](const CostTables&, const Latency& latency) { return latency.half_shared_corrected; }},
    {&Rules::faster_than_ports,
     [](const CostTables&, const Latency& latency) { return latency.waited_for_ports > 0; }}};

/// The factors that ZigZag's latency counts.
std::shared_ptr<const SpatialMapping> cut_to_whole(SpatialMapping mapping) {
  for (OperandSpatialMapping& operand : mapping.operands)
    for (std::vector<UnrolledLoop>& level : operand.levels)
      for (UnrolledLoop& loop : level) loop.factor = std::max(1.0, std::trunc(snapped(loop.factor)));
  return std::make_shared<const SpatialMapping>(std::move(mapping));
}

/// Costs of a mapping by other rules than those of its model. Tables and costs of boundaries that a rule
/// leaves as they are serve again.
class CostsByRules {
 public:
  CostsByRules(const CostModel& model, const Evaluation& evaluation)
      : model_(model),
        evaluation_(evaluation),
        mapping_(model.compact(*evaluation.temporal_mapping)),
        own_(model.tables(), model.options(), model.boundaries(), mapping_) {}

  bool is_ragged() const { return core::is_ragged(model_.tables(), mapping_); }
  const Latency& own_latency() const { return own_.combined.latency; }

  Score score(const Rules& rules) const {
    const Rules& own = model_.options().rules;
    CostModelOptions options = model_.options();
    options.rules = rules;
    if (!same_tables(own, rules))
      return CostModel(evaluation_.accelerator, evaluation_.layer, evaluation_.spatial_mapping,
                       rules.data_in_whole_units ? cut_to_whole(*evaluation_.spatial_mapping)
                                                 : evaluation_.spatial_mapping_int,
                       options)
          .score(mapping_);
    if (!same_boundary_costs(own, rules))
      return EvaluatedBoundaries(model_.tables(), options, model_.boundaries(), mapping_).combined.score();
    return combine(model_.tables(), options, model_.boundaries(), mapping_, own_.all()).score();
  }

 private:
  const CostModel& model_;
  const Evaluation& evaluation_;
  CompactMapping mapping_;
  EvaluatedBoundaries own_;
};

}  // namespace

std::vector<Deviation> find_deviations(const CostModel& model, const Evaluation& evaluation) {
  std::vector<Deviation> found;
  // The originals have no such machine, and no such numbers.
  if (!first_further_key(*evaluation.accelerator).empty() || has_blocks(*evaluation.layer)) return found;
  const CostsByRules costs(model, evaluation);
  // Nor such a mapping.
  if (costs.is_ragged()) return found;
  for (const RuleOfCosts& rule : rules_of_costs) {
    Rules rules = model.options().rules;
    if (rules.*rule.member || !rule.may_matter(model.tables(), costs.own_latency())) continue;
    rules.*rule.member = true;
    const Score original = costs.score(rules);
    const RuleRow& row = rule_row(rule.member);
    const Deviation deviation{row.rule, row.name, row.what,
                              change(evaluation.energy_total, original.energy_total),
                              change(evaluation.latency_total2, original.latency_total2)};
    if (deviation.energy != 0 || deviation.latency != 0) found.push_back(deviation);
  }
  return found;
}

}  // namespace zz::core
