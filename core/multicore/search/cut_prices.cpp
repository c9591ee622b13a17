#include "core/multicore/search/cut_prices.hpp"

#include <algorithm>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"

namespace zz::core {
namespace {

/// Answers that exist as whole evaluations at a time.
constexpr std::size_t most_at_once = 256;

/// What costs are made of, by the physical rules. Whole evaluations of thousands of cuts would fill memory.
std::shared_ptr<const Evaluation> figures_of(const std::shared_ptr<const Evaluation>& answer) {
  if (!answer) return nullptr;
  auto figures = std::make_shared<Evaluation>();
  figures->latency_total1 = answer->latency_total1;
  figures->energy_total = answer->energy_total;
  figures->operands = answer->operands;
  return figures;
}

std::shared_ptr<const CoreCosts::OfLayer> without_evaluations(CoreCosts::OfLayer row) {
  for (CoreCost& cost : row.on) cost.evaluation = nullptr;
  for (CoreCosts::OfShape& shape : row.smaller)
    for (CoreCost& cost : shape.on) cost.evaluation = nullptr;
  return std::make_shared<const CoreCosts::OfLayer>(std::move(row));
}

}  // namespace

CutPrices::CutPrices(std::shared_ptr<const MultiCoreAccelerator> accelerator, AnswerQuestions answer)
    : plan_(std::move(accelerator), Rules{}), answer_(std::move(answer)) {}

std::shared_ptr<const CoreCosts::OfLayer> CutPrices::find(const CutKey& cut) const {
  const auto found = known_.find(cut);
  return found == known_.end() ? nullptr : found->second;
}

void CutPrices::ask(const std::vector<CutKey>& cuts,
                    const std::vector<std::vector<std::shared_ptr<const Layer>>>& pieces) {
  const std::size_t first = plan_.questions().size();
  std::vector<std::pair<const CutKey*, int>> asked;  // with the number in the plan
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    end_if_interrupted();
    const auto [entry, is_new] = known_.try_emplace(cuts[i], nullptr);
    if (!is_new) continue;
    try {
      asked.emplace_back(&entry->first, plan_.add(pieces[i], cuts[i].needs));
    } catch (const InputError& problem) {
      entry->second = std::make_shared<const CoreCosts::OfLayer>();
      reason_of_cut_.try_emplace({cuts[i].layer, cuts[i].cut}, problem.what());
    }
  }
  const std::vector<CoreCostQuestion>& all = plan_.questions();
  for (std::size_t begin = first; begin < all.size(); begin += most_at_once) {
    const std::size_t end = std::min(begin + most_at_once, all.size());
    const std::vector<CoreCostQuestion> fresh(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                              all.begin() + static_cast<std::ptrdiff_t>(end));
    std::vector<std::string> reasons(fresh.size());
    for (const auto& answer : answer_(fresh, reasons)) answers_.push_back(figures_of(answer));
    reasons_.insert(reasons_.end(), reasons.begin(), reasons.end());
  }
  for (const auto& [cut, number] : asked) {
    try {
      known_[*cut] = without_evaluations(plan_.costs(number, answers_, reasons_));
    } catch (const NoResult& problem) {
      known_[*cut] = std::make_shared<const CoreCosts::OfLayer>();
      reason_of_cut_.try_emplace({cut->layer, cut->cut}, problem.what());
    }
  }
  plan_.forget_layers();  // thousands of pieces
}

const std::string& CutPrices::reason(int layer, int cut) const {
  static const std::string none;
  const auto found = reason_of_cut_.find({layer, cut});
  return found == reason_of_cut_.end() ? none : found->second;
}

}  // namespace zz::core
