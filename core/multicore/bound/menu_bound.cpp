#include "core/multicore/bound/menu_bound.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "core/base/interruption.hpp"
#include "core/multicore/bound/detail/best_multipliers.hpp"
#include "core/multicore/bound/detail/cut_waits.hpp"
#include "core/multicore/bound/detail/layer_needs.hpp"
#include "core/multicore/bound/detail/uncut_network.hpp"
#include "core/multicore/bound/detail/waiting_bound.hpp"

namespace zz::core {
namespace {

/// Cycles before any node of each layer can start, and cycles that must follow the end of its last node.
struct LayerWaits {
  std::vector<double> before, after;  ///< by layer
};

/// Numbers of each loop's iterations.
using Counts = std::vector<std::int64_t>;

/// The part of the network that a layer depends on.
class Cone {
 public:
  Cone(const ComputationNodeGraph& whole, const std::vector<DirectInput>& inputs, const LayerNeeds& needs)
      : whole_(whole), needs_(needs), inputs_(whole.layers.size()) {
    for (const DirectInput& input : inputs) inputs_[input.consumer].push_back(&input);
  }

  /// The least share of each layer's output that some node of `layer` depends on; of itself none.
  std::map<int, double> shares(int layer) const {
    std::map<int, Counts> made;  // loops of each layer in the cone, reductions whole
    made[layer] = one_output(layer);
    // A node may add up a part only.
    for (std::size_t loop = 0; loop < made[layer].size(); ++loop)
      if (needs_.cut_loops[layer][loop]) made[layer][loop] = 1;
    std::map<int, double> shares;
    // Layers stand in the order of their ids, which need not be that of the data: repeat until nothing
    // grows.
    std::vector<int> open{layer};
    while (!open.empty()) {
      const int reader = open.back();
      open.pop_back();
      for (const DirectInput* input : inputs_[reader]) {
        Counts counts = needed_of(*input, made[reader]);
        const double share = share_of(input->producer, counts);
        if (const auto known = shares.find(input->producer);
            known != shares.end() && known->second >= share)
          continue;
        shares[input->producer] = share;
        made[input->producer] = std::move(counts);
        open.push_back(input->producer);
      }
    }
    return shares;
  }

 private:
  bool moves_output(int layer, int loop) const {
    return !is_irrelevant(*whole_.layers[layer].layer, 0, loop);
  }

  Counts one_output(int layer) const {
    Counts counts = whole_.layers[layer].loop_sizes;
    for (std::size_t loop = 0; loop < counts.size(); ++loop)
      if (moves_output(layer, static_cast<int>(loop))) counts[loop] = 1;
    return counts;
  }

  Counts needed_of(const DirectInput& input, const Counts& made) const {
    const CutLayer& producer = whole_.layers[input.producer];
    Counts counts = one_output(input.producer);
    const std::vector<std::string>& axes = producer.layer->operands[0].dimensions;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const int loop = producer.layer->loop_index(axes[axis]);
      if (loop < 0) continue;
      const std::int64_t read = touched_along(whole_.layers[input.consumer], input.operand, axis, made);
      counts[loop] = std::clamp<std::int64_t>(read, 1, producer.loop_sizes[loop]);
    }
    return counts;
  }

  double share_of(int layer, const Counts& counts) const {
    double share = 1;
    for (std::size_t loop = 0; loop < counts.size(); ++loop)
      if (moves_output(layer, static_cast<int>(loop)))
        share *=
            static_cast<double>(counts[loop]) / static_cast<double>(whole_.layers[layer].loop_sizes[loop]);
    return share;
  }

  const ComputationNodeGraph& whole_;
  const LayerNeeds& needs_;
  std::vector<std::vector<const DirectInput*>> inputs_;  ///< by consumer
};

/// The cores that each layer is confined to.
std::vector<std::vector<int>> cores_of_layers(const LayerNeeds& needs) {
  std::vector<std::vector<int>> cores_of;
  for (const std::vector<LayerOption>& options : needs.options) {
    std::set<int> cores;
    for (const LayerOption& option : options) cores.insert(option.core);
    cores_of.emplace_back(cores.begin(), cores.end());
  }
  return cores_of;
}

/// Sets of cores that some layer is confined to, and all cores of layers.
std::set<std::vector<int>> core_sets(const std::vector<std::vector<int>>& cores_of) {
  std::set<std::vector<int>> sets(cores_of.begin(), cores_of.end());
  std::set<int> all;
  for (const std::vector<int>& cores : cores_of) all.insert(cores.begin(), cores.end());
  sets.emplace(all.begin(), all.end());
  return sets;
}

/// Layers by generations of data: producers first.
std::vector<int> producers_first(const ComputationNodeGraph& whole) {
  std::vector<int> order;
  for (const int node : whole.topological_order) order.push_back(whole.nodes[node].layer);
  return order;
}

/// Before a layer's first element can be made, the elements that it depends on must be: their share of the
/// work of the layers before, on the cores that these may use. After the last node of a layer some reader
/// has to run.
LayerWaits layer_waits(const ComputationNodeGraph& whole, const std::vector<DirectInput>& inputs,
                       const LayerNeeds& needs, const std::vector<std::vector<int>>& cores_of) {
  const std::size_t layers = whole.layers.size();
  const Cone cone(whole, inputs, needs);
  const std::set<std::vector<int>> sets = core_sets(cores_of);
  std::vector<double> least_work(layers, std::numeric_limits<double>::infinity());
  for (std::size_t layer = 0; layer < layers; ++layer)
    for (const LayerOption& option : needs.options[layer])
      least_work[layer] = std::min(least_work[layer], option.least_work);

  std::vector<std::vector<int>> producers(layers), readers(layers);
  std::vector<char> all_read(layers, 0);
  for (const DirectInput& input : inputs) {
    producers[input.consumer].push_back(input.producer);
    readers[input.producer].push_back(input.consumer);
    if (touched_elements(whole.layers[input.consumer], input.operand) >=
        touched_elements(whole.layers[input.producer], 0))
      all_read[input.producer] = 1;
  }
  std::vector<char> other_readers(layers, 0);  // whose shortest node would count as well
  for (const Dependency& dependency : whole.dependencies) {
    const int from = whole.nodes[dependency.from].layer, to = whole.nodes[dependency.to].layer;
    if (std::find(readers[from].begin(), readers[from].end(), to) == readers[from].end())
      other_readers[from] = 1;
  }

  LayerWaits waits{std::vector<double>(layers, 0), std::vector<double>(layers, 0)};
  const std::vector<int> order = producers_first(whole);
  for (const int layer : order) {
    end_if_interrupted();
    for (const int producer : producers[layer])
      waits.before[layer] =
          std::max(waits.before[layer], waits.before[producer] + needs.shortest_node[producer]);
    const std::map<int, double> shares = cone.shares(layer);
    for (const std::vector<int>& set : sets) {
      double work = 0;
      for (const auto& [producer, share] : shares)
        if (std::includes(set.begin(), set.end(), cores_of[producer].begin(), cores_of[producer].end()))
          work += share * least_work[producer];
      if (!set.empty())
        waits.before[layer] = std::max(waits.before[layer], work / static_cast<double>(set.size()));
    }
  }
  for (auto layer = order.rbegin(); layer != order.rend(); ++layer) {
    end_if_interrupted();
    if (!all_read[*layer] || other_readers[*layer]) continue;
    double least = std::numeric_limits<double>::infinity();
    for (const int reader : readers[*layer])
      least = std::min(least, needs.shortest_node[reader] + waits.after[reader]);
    waits.after[*layer] = least;
  }
  return waits;
}

/// `why` makes the text, which few of many figures need.
template <class Why>
void raise(LimitedFigure& figure, double value, const char* limit, const Why& why) {
  if (value > figure.value) figure = {value, limit, why()};
}

class MenuBounder {
 public:
  MenuBounder(const Workload& workload, const MultiCoreAccelerator& accelerator, const PricedMenus& menu,
              int samples, RepeatedBounds repeated)
      : accelerator_(accelerator),
        overlap_(repeated.overlap),
        whole_(uncut(workload, accelerator)),
        needs_(layer_needs(workload, whole_, accelerator, menu, samples)),
        cores_of_(cores_of_layers(needs_)) {
    const std::vector<DirectInput> inputs = direct_inputs(workload, whole_);
    waits_ = layer_waits(whole_, inputs, needs_, cores_of_);
    if (repeated.constants_stay) saved_ = needs_.saved_by_staying;
    if (overlap_) {
      std::fill(waits_.before.begin(), waits_.before.end(), 0);
      std::fill(waits_.after.begin(), waits_.after.end(), 0);
      return;
    }
    CutWaits waits(whole_, inputs, accelerator, menu, samples);
    cut_waits_ = waits.among(waits.all_rows());
    all_pairs_ = waits.complete();
  }

  MenuBounds bounds() {
    MenuBounds found;
    found.latency = latency();
    found.energy = energy();
    found.edp = product(found.latency, found.energy);
    found.latency_without_waits = found.latency.value;
    found.edp_without_waits = found.edp.value;
    raise_by_waits(found.latency);
    if (found.latency.value > found.latency_without_waits) found.edp = product(found.latency, found.energy);
    // Schedules add up the same energies in another order.
    constexpr double rounding = 1e-12;
    found.energy.value *= 1 - rounding;
    found.edp.value *= 1 - rounding;
    if (!all_pairs_)
      found.latency.why += fmt::format(
          "; waits by pairs of cuts are known of the first {} pairs, so that the bound may be lower",
          static_cast<std::int64_t>(most_pairs_of_cuts));
    return found;
  }

 private:
  LimitedFigure latency() const {
    LimitedFigure figure;
    const RelaxedNetwork relaxed = best_multipliers(needs_, saved_, false, 1);
    const auto dearest = std::max_element(relaxed.multipliers.begin(), relaxed.multipliers.end());
    if (dearest != relaxed.multipliers.end()) {
      double links = 0;
      for (std::size_t i = needs_.cores; i < relaxed.multipliers.size(); ++i)
        links += relaxed.multipliers[i];
      const auto resource = static_cast<int>(dearest - relaxed.multipliers.begin());
      const bool mixed = links > 0.05 && links < 0.95;
      if (mixed) {
        raise(figure, relaxed.cost, "work and link",
              [] { return "cuts that ask less of the cores ask more of the links"; });
      } else if (resource >= needs_.cores) {
        raise(figure, relaxed.cost, "link", [&] { return link_text(resource - needs_.cores); });
      } else {
        raise(figure, relaxed.cost, "work of the cores",
              [] { return "the least that the layers take on their cores, shared out at best"; });
      }
    }
    for (const auto& set : confined_sets()) raise_by_set(figure, set);
    if (overlap_) return figure;
    raise_by_layers(figure);
    return figure;
  }

  void raise_by_layers(LimitedFigure& figure) const {
    raise_by_memory(figure);
    for (std::size_t layer = 0; layer < needs_.options.size(); ++layer)
      raise(figure, waits_.before[layer] + needs_.shortest_node[layer] + waits_.after[layer],
            "dependencies", [&] {
              return fmt::format("nodes before and after layer {} cannot run at once",
                                 whole_.layers[layer].layer->id);
            });
  }

  /// The same once more, where layers wait for longer by pairs of cuts, and each layer with one of its
  /// cuts.
  void raise_by_waits(LimitedFigure& figure) {
    for (std::size_t layer = 0; layer < cut_waits_.size(); ++layer) {
      double before = std::numeric_limits<double>::infinity(), after = before, least = before;
      for (const CutWait& of_cut : cut_waits_[layer]) {
        before = std::min(before, of_cut.before);
        after = std::min(after, of_cut.after);
        least = std::min(least, of_cut.total());
      }
      if (cut_waits_[layer].empty()) continue;
      waits_.before[layer] = std::max(waits_.before[layer], before);
      waits_.after[layer] = std::max(waits_.after[layer], after);
      raise(figure, without_rounding(least), "waits", [&] {
        return fmt::format(
            "layer {}, after the nodes that its first one reads from, and before those that read from its "
            "last one",
            whole_.layers[layer].layer->id);
      });
    }
    if (cut_waits_.empty()) return;
    for (const auto& set : confined_sets()) raise_by_set(figure, set);
    raise_by_layers(figure);
  }

  std::string link_text(int link) const {
    const Link& entry = accelerator_.links[link];
    const int offchip = *accelerator_.offchip_core;
    const bool outside = entry.sender == offchip || entry.receiver == offchip;
    return fmt::format("{} {} of {} bits a cycle carries constants, inputs, results and streams",
                       outside ? "the off-chip link" : "link", link, entry.bandwidth);
  }

  std::set<std::vector<int>> confined_sets() const { return {cores_of_.begin(), cores_of_.end()}; }

  /// Layers that are confined to a set of cores begin and end when others let them.
  void raise_by_set(LimitedFigure& figure, const std::vector<int>& set) const {
    Confined confined{std::vector<char>(needs_.options.size(), 0), std::vector<char>(needs_.resources, 0)};
    for (const int core : set) confined.resources[core] = 1;
    double before = std::numeric_limits<double>::infinity(), after = before;
    for (std::size_t layer = 0; layer < needs_.options.size(); ++layer) {
      const std::vector<int>& cores = cores_of_[layer];
      if (!std::includes(set.begin(), set.end(), cores.begin(), cores.end())) continue;
      confined.layers[layer] = 1;
      before = std::min(before, waits_.before[layer]);
      after = std::min(after, waits_.after[layer]);
    }
    const double work = best_multipliers(needs_, {}, false, 1, confined).cost;
    raise(figure, before + work + after, "work of the cores", [&] {
      std::map<std::string, int> counts;
      for (const int core : set) ++counts[accelerator_.cores[core]->name];
      std::string names;
      for (const auto& [name, count] : counts)
        names += fmt::format("{}{}{}", names.empty() ? "" : ", ",
                             count > 1 ? fmt::format("{} ", count) : "", name);
      return fmt::format("the layers that only {} can run{}", names,
                         overlap_ ? "" : ", after what they wait for");
    });
  }

  /// Before the first element of a layer can exist, a link carries no more for it and those that wait as
  /// long than memories hold.
  void raise_by_memory(LimitedFigure& figure) const {
    const std::vector<std::vector<double>> carried = carried_anyway();
    for (std::size_t link = 0; link < carried.size(); ++link) {
      const double bandwidth = accelerator_.links[link].bandwidth;
      if (carried[link].empty() || std::isinf(bandwidth)) continue;
      for (std::size_t first = 0; first < carried[link].size(); ++first) {
        end_if_interrupted();
        double later = 0;
        for (std::size_t layer = 0; layer < carried[link].size(); ++layer)
          if (waits_.before[layer] >= waits_.before[first]) later += carried[link][layer];
        raise(figure, waits_.before[first] + later - needs_.constant_room / bandwidth, "memory", [&] {
          return fmt::format(
              "until layer {} can begin, memories hold only a part of what it and later layers read",
              whole_.layers[first].layer->id);
        });
      }
    }
  }

  /// By link and layer: cycles that all options of the layer need; none of links that none needs.
  std::vector<std::vector<double>> carried_anyway() const {
    std::vector<std::vector<double>> carried(accelerator_.links.size());
    std::vector<std::size_t> options(carried.size());
    std::vector<double> least(carried.size());
    for (std::size_t layer = 0; layer < needs_.options.size(); ++layer) {
      std::fill(options.begin(), options.end(), 0);
      for (const LayerOption& option : needs_.options[layer])
        for (const auto& [resource, cycles] : option.cycles) {
          if (resource < needs_.cores) continue;
          const int link = resource - needs_.cores;
          least[link] = options[link] == 0 ? cycles : std::min(least[link], cycles);
          ++options[link];
        }
      for (std::size_t link = 0; link < carried.size(); ++link) {
        if (options[link] < needs_.options[layer].size() || options[link] == 0) continue;
        carried[link].resize(needs_.options.size(), 0);
        carried[link][layer] = least[link];
      }
    }
    return carried;
  }

  LimitedFigure energy() const {
    LimitedFigure figure;
    raise(figure, best_multipliers(needs_, saved_, true, 0).cost, "energy of the layers",
          [] { return "each layer with its cheapest cut and core, and what it must move"; });
    return figure;
  }

  /// Each line says: energy >= cost - multiplier * latency. Between corners of the largest line the product
  /// is concave, so it is least at a corner, or at the shortest latency.
  LimitedFigure product(const LimitedFigure& latency, const LimitedFigure& energy) const {
    struct Line {
      double multiplier, cost;
    };
    std::vector<Line> lines{{0, energy.value}};
    if (latency.value > 0) {
      for (double factor = 1.0 / 64; factor <= 64; factor *= 2) {
        const double multiplier = factor * energy.value / latency.value;
        lines.push_back({multiplier, best_multipliers(needs_, saved_, true, multiplier).cost});
      }
    }
    const auto least_energy = [&](double cycles) {
      double most = 0;
      for (const Line& line : lines) most = std::max(most, line.cost - line.multiplier * cycles);
      return most;
    };
    double least = latency.value * least_energy(latency.value);
    const double alone = latency.value * energy.value;
    for (const Line& a : lines) {
      for (const Line& b : lines) {
        if (a.multiplier <= b.multiplier) continue;
        const double cycles = (a.cost - b.cost) / (a.multiplier - b.multiplier);
        if (cycles > latency.value) least = std::min(least, cycles * least_energy(cycles));
      }
    }
    LimitedFigure figure;
    raise(figure, alone, "latency and energy", [] { return "the product of both bounds"; });
    raise(figure, least, "multiplier of latency",
          [] { return "shorter schedules need cuts and cores that cost more energy"; });
    return figure;
  }

  const MultiCoreAccelerator& accelerator_;
  const bool overlap_;  ///< of repeats
  ComputationNodeGraph whole_;
  LayerNeeds needs_;
  const std::vector<std::vector<int>> cores_of_;  ///< by layer
  LayerWaits waits_;
  CutWaits::Waits cut_waits_;  ///< none where repeats overlap
  bool all_pairs_ = true;      ///< that these look at
  CommonSaving saved_;         ///< by constants that stay; nothing where none may
};

}  // namespace

const LimitedFigure& MenuBounds::of(Objective objective) const {
  switch (objective) {
    case Objective::energy:
      return energy;
    case Objective::latency:
      return latency;
    case Objective::edp:
      break;
  }
  return edp;
}

double MenuBounds::without_waits(Objective objective) const {
  if (objective == Objective::energy) return energy.value;
  return objective == Objective::latency ? latency_without_waits : edp_without_waits;
}

MenuBounds menu_bounds(const Workload& workload, const MultiCoreAccelerator& accelerator,
                       const PricedMenus& menu, int samples, RepeatedBounds repeated) {
  return MenuBounder(workload, accelerator, menu, samples, repeated).bounds();
}

}  // namespace zz::core
