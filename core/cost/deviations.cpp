#include "core/cost/deviations.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

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

const RuleOfCosts rules_of_costs[] = {
    {&Rules::data_in_whole_units, "data_in_whole_units",
     "data are counted on average over the rounds of an unrolling; ZigZag cuts both to whole ones",
     [](const CostTables& tables, const Latency&) { return has_fractions(tables); }},
    {&Rules::highest_half_shared_only, "highest_half_shared_only",
     "on-loading over several half-shared boundaries is added up; ZigZag keeps the highest one only",
     [](const CostTables&, const Latency& latency) { return latency.half_shared_corrected; }},
    {&Rules::faster_than_ports, "faster_than_ports",
     "off-loading lasts until the busiest port has moved its data; ZigZag's latency may be shorter",
     [](const CostTables&, const Latency& latency) { return latency.waited_for_ports > 0; }}};

double change(double now, double before) { return before == 0 ? 0 : now / before - 1; }

/// Names break ties, so that the order of threads does not.
void keep_larger(double& largest, std::string& of, double one, const std::string& layer) {
  if (std::abs(one) < std::abs(largest) || (std::abs(one) == std::abs(largest) && of <= layer)) return;
  largest = one;
  of = layer;
}

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
    const Deviation deviation{rule.name, rule.what, change(evaluation.energy_total, original.energy_total),
                              change(evaluation.latency_total2, original.latency_total2)};
    if (deviation.energy != 0 || deviation.latency != 0) found.push_back(deviation);
  }
  return found;
}

void DeviationTally::add(const CostModel& model, const Evaluation& evaluation) {
  for (const Deviation& deviation : find_deviations(model, evaluation)) {
    const std::lock_guard lock(mutex_);
    Change& change = changes_[deviation.rule];
    const std::string& layer = evaluation.layer->name;
    change.what = deviation.what;
    change.layers.insert(layer);
    if (deviation.energy != 0) keep_larger(change.energy, change.of_energy, deviation.energy, layer);
    if (deviation.latency != 0) keep_larger(change.latency, change.of_latency, deviation.latency, layer);
  }
}

std::vector<std::string> DeviationTally::sentences() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> sentences;
  for (const auto& [rule, change] : changes_) {
    std::string most;
    const auto add = [&](const char* figure, double largest, const std::string& layer) {
      if (layer.empty()) return;
      most += fmt::format("{} {} by up to {:+.3g} % ({})", most.empty() ? "" : " and", figure,
                          100 * largest, layer);
    };
    add("latency", change.latency, change.of_latency);
    add("energy", change.energy, change.of_energy);
    sentences.push_back(
        fmt::format("{}: in mappings of {} layer{} this changes{}; 'compat: zigzag-3.9' gives ZigZag's "
                    "figures (docs/deviations.md, {})",
                    change.what, change.layers.size(), change.layers.size() == 1 ? "" : "s", most, rule));
  }
  return sentences;
}

}  // namespace zz::core
