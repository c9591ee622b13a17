#include "plugins/mapping/best_rows.hpp"

#include <algorithm>
#include <cmath>

#include "plugins/internal/objects.hpp"

namespace zz::plugins {

std::optional<BestRows> BestRows::bind(const Stage& stage, const Value& ctx, Name vary) {
  const zz_demand demand = stage.demanded();
  if (demand.keep == 0 || demand.n == 0) return std::nullopt;
  std::vector<Name> metrics;
  for (uint32_t i = 0; i < demand.n; ++i) metrics.emplace_back(demand.metric[i]);
  std::optional<RowScorer> scorer = stage.scorer(ctx, vary, metrics);
  if (!scorer) return std::nullopt;
  return BestRows(stage, std::move(*scorer), demand);
}

void BestRows::add(const Value& rows) {
  const uint32_t n = rows.size();
  columns_.resize(std::size_t{n} * demand_.n);
  scorer_.score(rows, 0, n, columns_.data());
  for (uint32_t row = 0; row < n; ++row, ++turn_) {
    std::array<double, most_metrics> score{};
    for (uint32_t metric = 0; metric < demand_.n; ++metric)
      score[metric] = columns_[std::size_t{metric} * n + row];
    if (std::isnan(score[0])) continue;
    if (kept_.size() == demand_.keep && !better(score, kept_.back().score)) continue;
    if (kept_.size() == demand_.keep) kept_.pop_back();
    const auto place = std::find_if(kept_.begin(), kept_.end(),
                                    [&](const Kept& other) { return better(score, other.score); });
    kept_.insert(place, {score, turn_, row, std::nullopt});
  }
  for (Kept& kept : kept_) {
    if (!kept.mapping) kept.mapping = *borrowed<core::TemporalMapping>(rows[kept.place]);
  }
}

std::optional<uint64_t> BestRows::find_all(const core::Loma& orders) {
  std::vector<core::OrderMetric> metrics;
  for (uint32_t i = 0; i < demand_.n; ++i) {
    const Name name(demand_.metric[i]);
    if (name == "energy_total"_n) {
      metrics.push_back(core::OrderMetric::energy_total);
    } else if (name == "latency_total2"_n) {
      metrics.push_back(core::OrderMetric::latency_total2);
    } else if (name == "edp"_n) {
      metrics.push_back(core::OrderMetric::edp);
    } else {
      return std::nullopt;
    }
  }
  const auto question = std::make_shared<core::CompactMappings>();
  question->search = orders.best_orders(metrics, demand_.keep);
  if (!question->search) return std::nullopt;
  question->search->stop = [this] { return stage_.cancelled(); };
  // A list without rows: whoever does not know the question has nothing to score.
  double no_figure = 0;
  scorer_.score(wrap<core::CompactMappings>(question), 0, 0, &no_figure);
  if (!question->search->answered) return std::nullopt;
  core::CompactMappings rows;
  orders.describe(rows);
  rows.rows = question->search->best;
  for (std::size_t row = 0; row < rows.rows.size(); ++row) found_.push_back(rows.mapping(row));
  return static_cast<uint64_t>(question->search->evaluated);
}

std::vector<core::TemporalMapping> BestRows::chosen() const {
  if (!found_.empty()) return found_;
  std::vector<const Kept*> order;
  for (const Kept& kept : kept_) order.push_back(&kept);
  std::sort(order.begin(), order.end(), [](const Kept* a, const Kept* b) { return a->turn < b->turn; });
  std::vector<core::TemporalMapping> mappings;
  for (const Kept* kept : order) mappings.push_back(*kept->mapping);
  return mappings;
}

bool BestRows::better(const std::array<double, most_metrics>& a,
                      const std::array<double, most_metrics>& b) const {
  return std::lexicographical_compare(a.begin(), a.begin() + demand_.n, b.begin(), b.begin() + demand_.n);
}

}  // namespace zz::plugins
