#include "core/multicore/search/detail/menu_costs.hpp"

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

std::string text_of(const Cut& cut) {
  std::string text;
  for (const CutLoop& loop : cut)
    text += fmt::format("{}[{}, {}{}]", text.empty() ? "" : ", ", loop.dimension, loop.count.value_or(0),
                        loop.spread ? ", spread" : "");
  return "[" + text + "]";
}

/// What the nodes of a layer need, the tensors of the layers before it left out.
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

void ask_for_menu(PartitionGraphs& graphs, CutPrices& costs, const ParallelFor& parallel) {
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

PricedMenus costed_menu(PartitionGraphs& graphs, const CutPrices& costs) {
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
