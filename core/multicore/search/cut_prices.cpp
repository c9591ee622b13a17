#include "core/multicore/search/cut_prices.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/multicore/search/cut_menu.hpp"

namespace zz::core {
namespace {

/// Answers that exist as whole evaluations at a time.
constexpr std::size_t most_at_once = 256;

/// The figures that costs are made of, by the physical rules. Whole evaluations of thousands of cuts would
/// fill memory.
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

std::string text_of(const Cut& cut) {
  std::string text;
  for (const CutLoop& loop : cut)
    text += fmt::format("{}[{}, {}{}]", text.empty() ? "" : ", ", loop.dimension, loop.count.value_or(0),
                        loop.spread ? ", spread" : "");
  return "[" + text + "]";
}

/// Needs of the nodes of a layer, the tensors of the layers before it left out.
OperandBits needs_alone(const ComputationNodeGraph& layer) {
  ComputationNodeGraph alone = layer;
  alone.index();
  return capacity_needs(alone, Rules{}).front();
}

OperandBits needs_at_most(const Layer& layer, OperandBits needs) {
  for (std::size_t operand = 1; operand < needs.size(); ++operand)
    if (!layer.operands[operand].constant)
      needs[operand] = std::max(needs[operand], layer.operand_bits(static_cast<int>(operand), Rules{}));
  return needs;
}

[[noreturn]] void refuse(PartitionGraphs& graphs, const CutPrices& costs, int layer) {
  const std::vector<Cut>& cuts = graphs.cuts()[layer];
  const Layer& whole = *graphs.layers()[layer];
  int smallest = 0;
  for (std::size_t cut = 0; cut < cuts.size(); ++cut)
    if (pieces(cuts[cut], whole) > pieces(cuts[smallest], whole)) smallest = static_cast<int>(cut);
  throw NoResult(fmt::format(
      "layer {} '{}' runs on no core with any of its {} cuts; its smallest piece, {}: {}", whole.id,
      whole.name, cuts.size(), text_of(cuts[smallest]), costs.reason(layer, smallest)));
}

}  // namespace

std::vector<NodesOfShape> nodes_by_shape(const CutLayer& cut_layer) {
  std::vector<NodesOfShape> shapes{{cut_layer.node_count, cut_layer.piece->mac_count()}};
  for (const SmallerPiece& smaller : cut_layer.smaller_pieces) {
    shapes.front().nodes -= smaller.node_count;
    shapes.push_back({smaller.node_count, smaller.piece->mac_count()});
  }
  return shapes;
}

CutPrices::CutPrices(std::shared_ptr<const MultiCoreAccelerator> accelerator, AnswerQuestions answer)
    : plan_(std::move(accelerator), Rules{}), answer_(std::move(answer)) {}

std::shared_ptr<const CoreCosts::OfLayer> CutPrices::find(const CutKey& cut) const {
  const auto found = known_.find(cut);
  return found == known_.end() ? nullptr : found->second;
}

void CutPrices::ask(const std::vector<CutKey>& cuts,
                    const std::vector<std::vector<std::shared_ptr<const Layer>>>& pieces) {
  try {
    ask_unknown(cuts, pieces);
  } catch (...) {
    std::erase_if(known_, [](const auto& entry) { return entry.second == nullptr; });
    throw;
  }
}

void CutPrices::ask_unknown(const std::vector<CutKey>& cuts,
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

void price_menus(PartitionGraphs& graphs, CutPrices& costs, const ParallelFor& parallel) {
  std::vector<CutKey> asked;
  for (std::size_t layer = 0; layer < graphs.cuts().size(); ++layer)
    for (std::size_t cut = 0; cut < graphs.cuts()[layer].size(); ++cut)
      asked.push_back({static_cast<int>(layer), static_cast<int>(cut), {}});
  const std::size_t count = asked.size();
  asked.resize(2 * count);
  std::vector<std::vector<std::shared_ptr<const Layer>>> pieces(2 * count);
  parallel(count, [&](std::size_t i) {
    end_if_interrupted();
    const auto part = graphs.layer(asked[i].layer, asked[i].cut);
    asked[i].needs = needs_alone(*part);
    asked[count + i] = asked[i];
    asked[count + i].needs = needs_at_most(*graphs.layers()[asked[i].layer], asked[i].needs);
    pieces[i] = pieces[count + i] = node_pieces(part->layers.front());
  });
  costs.ask(asked, pieces);
  std::vector<char> runs(graphs.cuts().size(), 0);
  for (const auto& [cut, row] : costs.known())
    if (!row->on.empty()) runs[cut.layer] = 1;
  for (std::size_t layer = 0; layer < runs.size(); ++layer)
    if (!runs[layer]) refuse(graphs, costs, static_cast<int>(layer));
}

PricedMenus priced_menus(PartitionGraphs& graphs, const CutPrices& costs) {
  PricedMenus menu(graphs.cuts().size());
  using Loops = std::set<std::pair<std::string, std::int64_t>>;
  std::vector<std::set<std::pair<Loops, OperandBits>>> listed(menu.size());
  for (const auto& [cut, row] : costs.known()) {
    end_if_interrupted();
    if (row->on.empty()) continue;
    const Cut& loops = graphs.cuts()[cut.layer][cut.cut];
    Loops unordered;
    for (const CutLoop& loop : loops) unordered.insert({loop.dimension, loop.count.value_or(0)});
    if (!listed[cut.layer].insert({std::move(unordered), cut.needs}).second) continue;
    menu[cut.layer].push_back({loops, nodes_by_shape(graphs.cut_layer_of(cut.layer, cut.cut)), row});
  }
  return menu;
}

}  // namespace zz::core
