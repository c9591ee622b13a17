#include "plugins/pictures/core_costs_page.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "core/base/text.hpp"

namespace zz::plugins {
namespace {

constexpr const char* page_begin = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>zz: costs of nodes on cores</title>
<style>
body { font: 15px/1.4 sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; color-scheme: light dark; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 0.15em 0.6em; vertical-align: middle; white-space: nowrap; }
tr.first td { border-top: 1px solid #8888; }
td.figure { text-align: right; font-variant-numeric: tabular-nums; }
td.scale { width: 30%; }
div.bar { height: 0.8em; }
div.cycles { background: #4c78a8; }
div.energy { background: #e45756; }
</style>
</head>
<body>
<h1>Costs of nodes on cores</h1>
)";

/// A logarithmic scale of bar lengths, in percent: the smallest positive value gets a short bar.
class Scale {
 public:
  void add(double value) {
    if (value <= 0) return;
    low_ = std::min(low_, std::log(value));
    high_ = std::max(high_, std::log(value));
  }
  double percent(double value) const {
    if (value <= 0) return 0;
    constexpr double shortest = 8;
    if (high_ <= low_) return 100;
    return shortest + (100 - shortest) * (std::log(value) - low_) / (high_ - low_);
  }

 private:
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

/// All nodes of a layer on one core.
struct Row {
  const core::CoreCost* largest = nullptr;  ///< of one of its largest nodes
  double cycles = 0, energy = 0, offchip_energy = 0;

  void add(const core::CoreCost& cost, int nodes) {
    cycles += nodes * cost.runtime;
    energy += nodes * (cost.onchip_energy + cost.offchip_energy);
    offchip_energy += nodes * cost.offchip_energy;
  }
};

std::vector<std::vector<Row>> rows_of(const core::CoreCosts& costs,
                                      const core::ComputationNodeGraph& graph) {
  std::vector<std::vector<Row>> rows;
  for (std::size_t layer = 0; layer < costs.layers.size(); ++layer) {
    const std::vector<core::SmallerPiece>& smaller = graph.layers[layer].smaller_pieces;
    int largest = graph.layers[layer].node_count;
    for (const core::SmallerPiece& piece : smaller) largest -= piece.node_count;
    std::vector<Row>& of_layer = rows.emplace_back();
    for (const core::CoreCost& cost : costs.layers[layer].on) {
      Row& row = of_layer.emplace_back();
      row.largest = &cost;
      row.add(cost, largest);
      for (std::size_t i = 0; i < smaller.size(); ++i)
        if (const core::CoreCost* other =
                costs.find(static_cast<int>(layer), static_cast<int>(i) + 1, cost.core))
          row.add(*other, smaller[i].node_count);
    }
  }
  return rows;
}

}  // namespace

std::string core_costs_page(const core::CoreCosts& costs, const core::ComputationNodeGraph& graph,
                            const core::MultiCoreAccelerator& accelerator) {
  Scale cycles_scale;
  Scale energy_scale;
  double least_cycles = 0;
  double least_energy = 0;
  const auto rows = rows_of(costs, graph);
  for (const std::vector<Row>& of_layer : rows) {
    double cycles_of_layer = std::numeric_limits<double>::infinity();
    double energy_of_layer = std::numeric_limits<double>::infinity();
    for (const Row& row : of_layer) {
      cycles_scale.add(row.cycles);
      energy_scale.add(row.energy);
      cycles_of_layer = std::min(cycles_of_layer, row.cycles);
      energy_of_layer = std::min(energy_of_layer, row.energy);
    }
    least_cycles += cycles_of_layer;
    least_energy += energy_of_layer;
  }
  std::string page = page_begin;
  page += fmt::format(
      "<p>Each row has the figures of all nodes of a layer on one core; bars are on a logarithmic scale. "
      "The "
      "cheapest cores add up to {:.6g} cycles and {:.6g} pJ, transfers between cores left out.</p>\n"
      "<table>\n<tr><th>layer</th><th>nodes</th><th>core</th><th>cycles</th><th></th><th>energy, pJ</th>"
      "<th></th><th>off-chip</th><th>streams</th></tr>\n",
      least_cycles, least_energy);
  for (std::size_t layer = 0; layer < costs.layers.size(); ++layer) {
    const core::CutLayer& cut_layer = graph.layers[layer];
    bool first = true;
    for (const Row& row : rows[layer]) {
      std::string streams;
      for (const int operand : row.largest->streamed)
        streams += (streams.empty() ? "" : ", ") + cut_layer.piece->operands[operand].name;
      page += fmt::format(
          "<tr{}><td>{}</td><td class=\"figure\">{}</td><td>{} {}</td><td class=\"figure\">{:.6g}</td>"
          "<td class=\"scale\"><div class=\"bar cycles\" style=\"width:{:.1f}%\"></div></td>"
          "<td class=\"figure\">{:.6g}</td>"
          "<td class=\"scale\"><div class=\"bar energy\" style=\"width:{:.1f}%\"></div></td>"
          "<td class=\"figure\">{:.0f} %</td><td>{}</td></tr>\n",
          first ? " class=\"first\"" : "", first ? core::html_text(cut_layer.piece->name) : "",
          first ? std::to_string(cut_layer.node_count) : "", row.largest->core,
          core::html_text(accelerator.cores[row.largest->core]->name), row.cycles,
          cycles_scale.percent(row.cycles), row.energy, energy_scale.percent(row.energy),
          row.energy > 0 ? 100 * row.offchip_energy / row.energy : 0.0, streams);
      first = false;
    }
  }
  return page + "</table>\n</body>\n</html>\n";
}

}  // namespace zz::plugins
