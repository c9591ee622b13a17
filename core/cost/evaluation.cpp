#include "core/cost/evaluation.hpp"

#include <algorithm>
#include <utility>

#include "core/cost/proof_space.hpp"

namespace zz::core {
namespace {

std::vector<MetricRule>& rules_of_process() {
  static std::vector<MetricRule> rules;
  return rules;
}

}  // namespace

void describe_metrics(std::vector<MetricRule> rules) { rules_of_process() = std::move(rules); }

const std::vector<MetricRule>& described_metrics() { return rules_of_process(); }

MetricSum sum_of_metric(std::string_view name) {
  for (const MetricRule& rule : rules_of_process())
    if (rule.name == name) return rule.sum;
  return MetricSum::add;
}

namespace {

void add_level(LevelCost& sum, const LevelCost& term) {
  if (sum.memory != term.memory) sum.memory.clear();
  sum.utilization = 0;
  for (int direction = 0; direction < direction_count; ++direction) {
    sum.accesses[direction] += term.accesses[direction];
    sum.energy_by_direction[direction] += term.energy_by_direction[direction];
  }
  sum.energy += term.energy;
}

void add_operand(OperandCost& sum, const OperandCost& term) {
  const std::size_t common = std::min(sum.levels.size(), term.levels.size());
  for (std::size_t level = 0; level < common; ++level) add_level(sum.levels[level], term.levels[level]);
  for (std::size_t level = common; level < term.levels.size(); ++level) {
    sum.levels.push_back(term.levels[level]);
    sum.levels.back().utilization = 0;
  }
}

std::shared_ptr<const Accelerator> common_accelerator(const Evaluation& a, const Evaluation& b) {
  const auto nothing_yet = [](const Evaluation& sum) { return sum.is_sum() && sum.layer_ids.empty(); };
  if (nothing_yet(a)) return b.accelerator;
  if (nothing_yet(b)) return a.accelerator;
  if (!a.accelerator || !b.accelerator) return nullptr;
  if (b.accelerator->name.starts_with(a.accelerator->name)) return a.accelerator;
  if (a.accelerator->name.starts_with(b.accelerator->name)) return b.accelerator;
  return nullptr;
}

void append_layers(std::vector<std::int64_t>& ids, const Evaluation& term) {
  if (term.layer) {
    ids.push_back(term.layer->id);
  } else {
    ids.insert(ids.end(), term.layer_ids.begin(), term.layer_ids.end());
  }
}

const ProvenFigure* proven_figure(std::string_view name) {
  for (const ProvenFigure& row : proven_figures)
    if (row.name == name) return &row;
  return nullptr;
}

void add_certificate(CertificateFigures& sum, const CertificateFigures& term) {
  for (const ProvenFigure& row : proven_figures) {
    std::optional<double>& total = sum.*row.member;
    const std::optional<double>& own = term.*row.member;
    if (row.sum == MetricSum::none)
      total.reset();
    else if (!total)
      total = own;
    else if (own && row.sum == MetricSum::either)
      total = figure_of_both(*total, *own);
    else if (own)
      total = row.sum == MetricSum::add ? *total + *own : std::max(*total, *own);
  }
}

void scale_certificate(CertificateFigures& scaled, double factor) {
  for (const ProvenFigure& row : proven_figures) {
    std::optional<double>& figure = scaled.*row.member;
    if (row.sum == MetricSum::none) figure.reset();
    if (row.sum == MetricSum::add && figure) *figure *= factor;
  }
}

using Metrics = decltype(Evaluation::metrics);

void drop_metrics_without_sum(Metrics& metrics) {
  std::erase_if(metrics, [](const auto& metric) { return sum_of_metric(metric.first) == MetricSum::none; });
}

void add_metrics(Metrics& sum, const Metrics& terms) {
  for (const auto& term : terms) {
    const auto& [name, figure] = term;
    const auto same =
        std::find_if(sum.begin(), sum.end(), [&](const auto& one) { return one.first == term.first; });
    if (same == sum.end())
      sum.emplace_back(name, figure);
    else if (sum_of_metric(name) == MetricSum::largest)
      same->second = std::max(same->second, figure);
    else
      same->second += figure;
  }
  drop_metrics_without_sum(sum);
}

}  // namespace

std::vector<std::pair<std::string, double>> metrics_of(const Evaluation& evaluation) {
  std::vector<std::pair<std::string, double>> metrics;
  for (const ProvenFigure& row : proven_figures)
    if (const auto& figure = evaluation.certificate.*row.member) metrics.emplace_back(row.name, *figure);
  metrics.insert(metrics.end(), evaluation.metrics.begin(), evaluation.metrics.end());
  if (const auto range = energy_range(evaluation)) {
    metrics.emplace_back("energy_low", range->low);
    metrics.emplace_back("energy_high", range->high);
  }
  for (const char* const beside : {"scales", "metadata"}) {
    double energy = 0;
    for (const EnergyPart& part : evaluation.energy_parts)
      if (part.because == beside) energy += part.pJ;
    if (energy > 0) metrics.emplace_back(beside, energy);
  }
  return metrics;
}

const double* find_metric(const Evaluation& evaluation, std::string_view name) {
  if (const ProvenFigure* row = proven_figure(name)) {
    const std::optional<double>& figure = evaluation.certificate.*row->member;
    return figure ? &*figure : nullptr;
  }
  for (const auto& [known, figure] : evaluation.metrics)
    if (known == name) return &figure;
  return nullptr;
}

void set_metric(Evaluation& evaluation, std::string_view name, std::optional<double> figure) {
  // As archives of an earlier zz have it.
  if (figure && take_old_space_figure(name, *figure, evaluation.certificate.space)) return;
  if (const ProvenFigure* row = proven_figure(name)) {
    evaluation.certificate.*row->member = figure;
    return;
  }
  const auto known = std::find_if(evaluation.metrics.begin(), evaluation.metrics.end(),
                                  [&](const auto& metric) { return metric.first == name; });
  if (!figure) {
    if (known != evaluation.metrics.end()) evaluation.metrics.erase(known);
  } else if (known != evaluation.metrics.end()) {
    known->second = *figure;
  } else {
    evaluation.metrics.emplace_back(name, *figure);
  }
}

Evaluation add(const Evaluation& a, const Evaluation& b) {
  Evaluation sum = a;
  sum.accelerator = common_accelerator(a, b);
  sum.layer = nullptr;
  sum.spatial_mapping = nullptr;
  sum.spatial_mapping_int = nullptr;
  sum.temporal_mapping = nullptr;
  sum.cost_model.reset();
  sum.question = nullptr;
  sum.typical = nullptr;
  sum.times = 1;
  sum.fused.reset();
  sum.schedule = nullptr;
  sum.layer_ids.clear();
  append_layers(sum.layer_ids, a);
  append_layers(sum.layer_ids, b);
  sum.deviations.insert(sum.deviations.end(), b.deviations.begin(), b.deviations.end());
  for (const Figure& figure : evaluation_figures) {
    double& total = sum.*figure.member;
    if (figure.sum == MetricSum::add)
      total += b.*figure.member;
    else
      total = figure.sum == MetricSum::largest ? std::max(total, b.*figure.member) : 0;
  }
  if (a.imc && b.imc) {
    sum.imc = add(*a.imc, *b.imc);
  } else if (b.imc) {
    sum.imc = b.imc;
  }
  for (OperandCost& operand : sum.operands) {
    for (LevelCost& level : operand.levels) level.utilization = 0;
  }
  for (const OperandCost& operand : b.operands) {
    const auto same =
        std::find_if(sum.operands.begin(), sum.operands.end(),
                     [&](const OperandCost& candidate) { return candidate.operand == operand.operand; });
    if (same != sum.operands.end()) {
      add_operand(*same, operand);
    } else {
      sum.operands.push_back({operand.operand, {}});
      add_operand(sum.operands.back(), operand);
    }
  }
  add_parts(sum.latency_parts, b.latency_parts);
  add_parts(sum.energy_parts, b.energy_parts);
  sum.ports.clear();
  add_certificate(sum.certificate, b.certificate);
  add_metrics(sum.metrics, b.metrics);
  return sum;
}

Evaluation scale(const Evaluation& a, double factor) {
  Evaluation scaled = a;
  scaled.schedule = nullptr;
  scaled.times *= factor;
  for (const Figure& figure : evaluation_figures) {
    if (figure.sum == MetricSum::add) scaled.*figure.member *= factor;
    if (figure.sum == MetricSum::none) scaled.*figure.member = 0;
  }
  if (scaled.imc) scaled.imc = scale(*scaled.imc, factor);
  for (OperandCost& operand : scaled.operands) {
    for (LevelCost& level : operand.levels) {
      for (int direction = 0; direction < direction_count; ++direction) {
        level.accesses[direction] =
            static_cast<std::int64_t>(static_cast<double>(level.accesses[direction]) * factor);
        level.energy_by_direction[direction] *= factor;
      }
      level.energy *= factor;
    }
  }
  for (LatencyPart& part : scaled.latency_parts) part.cycles *= factor;
  for (EnergyPart& part : scaled.energy_parts) {
    part.pJ *= factor;
    part.low *= factor;
    part.high *= factor;
  }
  scale_certificate(scaled.certificate, factor);
  for (auto& [name, value] : scaled.metrics)
    if (sum_of_metric(name) == MetricSum::add) value *= factor;
  drop_metrics_without_sum(scaled.metrics);
  return scaled;
}

}  // namespace zz::core
