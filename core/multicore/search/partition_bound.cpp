#include "core/multicore/search/partition_bound.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <vector>

#include "core/multicore/graph/split.hpp"
#include "core/multicore/search/detail/best_prices.hpp"
#include "core/multicore/search/detail/direct_inputs.hpp"
#include "core/multicore/search/detail/layer_needs.hpp"
#include "core/multicore/search/detail/waiting_bound.hpp"

namespace zz::core {
namespace {

ComputationNodeGraph uncut(const Workload& workload, const MultiCoreAccelerator& accelerator) {
  SplitOptions options;
  options.mode = split_by_layer;
  CutEntry& all = options.cut_entries.emplace_back();
  for (const auto& layer : workload.layers) all.layers.push_back(layer->id);
  std::vector<std::string> warnings;
  return split_into_nodes(workload, accelerator, options, warnings);
}

void raise(LimitedFigure& figure, double value, const std::string& limit, const std::string& why) {
  if (value <= figure.value) return;
  figure = {value, limit, why};
}

class Bounds {
 public:
  Bounds(const Workload& workload, const MultiCoreAccelerator& accelerator, const PricedMenus& menu)
      : accelerator_(accelerator),
        whole_(uncut(workload, accelerator)),
        needs_(layer_needs(workload, whole_, accelerator, menu)),
        waits_(layer_waits(whole_, direct_inputs(workload, whole_), needs_)) {}

  PartitionBounds bounds() const {
    PartitionBounds found;
    found.latency = latency();
    found.energy = energy();
    found.edp = product(found.latency, found.energy);
    return found;
  }

 private:
  LimitedFigure latency() const {
    LimitedFigure figure;
    const PricedNetwork priced = best_prices(needs_, false, 1);
    const auto dearest = std::max_element(priced.prices.begin(), priced.prices.end());
    if (dearest != priced.prices.end()) {
      double links = 0;
      for (std::size_t i = needs_.cores; i < priced.prices.size(); ++i) links += priced.prices[i];
      const auto resource = static_cast<int>(dearest - priced.prices.begin());
      const bool mixed = links > 0.05 && links < 0.95;
      if (mixed) {
        raise(figure, priced.cost, "work and link",
              "cuts that ask less of the cores ask more of the links");
      } else if (resource >= needs_.cores) {
        raise(figure, priced.cost, "link", link_text(resource - needs_.cores));
      } else {
        raise(figure, priced.cost, "work of the cores",
              "the least that the layers take on their cores, shared out at best");
      }
    }
    for (const auto& set : confined_sets()) raise_by_set(figure, set);
    raise_by_memory(figure);
    for (std::size_t layer = 0; layer < needs_.options.size(); ++layer)
      raise(figure, waits_.before[layer] + needs_.shortest_node[layer] + waits_.after[layer],
            "dependencies",
            fmt::format("nodes before and after layer {} cannot run at once",
                        whole_.layers[layer].layer->id));
    return figure;
  }

  std::string link_text(int link) const {
    const Link& entry = accelerator_.links[link];
    const int offchip = *accelerator_.offchip_core;
    const bool outside = entry.sender == offchip || entry.receiver == offchip || entry.bidirectional;
    return fmt::format("{} {} of {} bits a cycle carries constants, inputs, results and streams",
                       outside ? "the off-chip link" : "link", link, entry.bandwidth);
  }

  std::set<std::vector<int>> confined_sets() const {
    std::set<std::vector<int>> sets;
    for (std::size_t layer = 0; layer < needs_.options.size(); ++layer) sets.insert(cores_of(layer));
    return sets;
  }

  std::vector<int> cores_of(std::size_t layer) const {
    std::set<int> cores;
    for (const LayerOption& option : needs_.options[layer]) cores.insert(option.core);
    return {cores.begin(), cores.end()};
  }

  /// Layers that are confined to a set of cores begin and end when others let them.
  void raise_by_set(LimitedFigure& figure, const std::vector<int>& set) const {
    LayerNeeds confined{needs_.cores, needs_.resources, {}, {}, {}, 0};
    std::vector<char> allowed(needs_.resources, 0);
    for (const int core : set) allowed[core] = 1;
    double before = std::numeric_limits<double>::infinity(), after = before;
    for (std::size_t layer = 0; layer < needs_.options.size(); ++layer) {
      const std::vector<int> cores = cores_of(layer);
      if (!std::includes(set.begin(), set.end(), cores.begin(), cores.end())) continue;
      confined.options.push_back(needs_.options[layer]);
      before = std::min(before, waits_.before[layer]);
      after = std::min(after, waits_.after[layer]);
    }
    const double work = best_prices(confined, false, 1, allowed).cost;
    std::string names;
    for (const int core : set) names += (names.empty() ? "" : ", ") + accelerator_.cores[core]->name;
    raise(figure, before + work + after, "work of the cores",
          fmt::format("the layers that only {} can run, after what they wait for", names));
  }

  /// Before the first element of a layer can exist, a link carries no more for it and those that wait as
  /// long than memories hold.
  void raise_by_memory(LimitedFigure& figure) const {
    for (int resource = needs_.cores; resource < needs_.resources; ++resource) {
      const double bandwidth = accelerator_.links[resource - needs_.cores].bandwidth;
      if (std::isinf(bandwidth)) continue;
      std::vector<double> least(needs_.options.size(), std::numeric_limits<double>::infinity());
      for (std::size_t layer = 0; layer < least.size(); ++layer) {
        for (const LayerOption& option : needs_.options[layer]) {
          double cycles = 0;
          for (const auto& [entry, busy] : option.cycles)
            if (entry == resource) cycles = busy;
          least[layer] = std::min(least[layer], cycles);
        }
      }
      for (std::size_t first = 0; first < least.size(); ++first) {
        double later = 0;
        for (std::size_t layer = 0; layer < least.size(); ++layer)
          if (waits_.before[layer] >= waits_.before[first]) later += least[layer];
        raise(figure, waits_.before[first] + later - needs_.constant_room / bandwidth, "memory",
              fmt::format(
                  "until layer {} can begin, memories hold only a part of what it and later layers read",
                  whole_.layers[first].layer->id));
      }
    }
  }

  LimitedFigure energy() const {
    LimitedFigure figure;
    raise(figure, best_prices(needs_, true, 0).cost, "energy of the layers",
          "each layer with its cheapest cut and core, and what it must move");
    return figure;
  }

  /// Each line says: energy >= cost - price * latency. Between corners of the largest line the product is
  /// concave, so it is least at a corner, or at the shortest latency.
  LimitedFigure product(const LimitedFigure& latency, const LimitedFigure& energy) const {
    struct Line {
      double price, cost;
    };
    std::vector<Line> lines{{0, energy.value}};
    if (latency.value > 0) {
      for (double factor = 1.0 / 64; factor <= 64; factor *= 2) {
        const double price = factor * energy.value / latency.value;
        lines.push_back({price, best_prices(needs_, true, price).cost});
      }
    }
    const auto least_energy = [&](double cycles) {
      double most = 0;
      for (const Line& line : lines) most = std::max(most, line.cost - line.price * cycles);
      return most;
    };
    double least = latency.value * least_energy(latency.value);
    const double alone = latency.value * energy.value;
    for (const Line& a : lines) {
      for (const Line& b : lines) {
        if (a.price <= b.price) continue;
        const double cycles = (a.cost - b.cost) / (a.price - b.price);
        if (cycles > latency.value) least = std::min(least, cycles * least_energy(cycles));
      }
    }
    LimitedFigure figure;
    raise(figure, alone, "latency and energy", "the product of both bounds");
    raise(figure, least, "price of latency", "shorter schedules need cuts and cores that cost more energy");
    return figure;
  }

  const MultiCoreAccelerator& accelerator_;
  ComputationNodeGraph whole_;
  LayerNeeds needs_;
  LayerWaits waits_;
};

}  // namespace

PartitionBounds partition_bounds(const Workload& workload, const MultiCoreAccelerator& accelerator,
                                 const PricedMenus& menu) {
  return Bounds(workload, accelerator, menu).bounds();
}

}  // namespace zz::core
