#include "core/multicore/bound/detail/layer_needs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/interruption.hpp"
#include "core/multicore/bound/detail/move_costs.hpp"
#include "core/multicore/bound/detail/uncut_network.hpp"
#include "core/multicore/graph/cut.hpp"
#include "core/multicore/graph/samples.hpp"
#include "core/workload/tile_bits.hpp"

namespace zz::core {
namespace {

using Links = std::vector<int>;
constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr double CoreCost::*figures[] = {&CoreCost::runtime, &CoreCost::onchip_energy,
                                         &CoreCost::offchip_energy, &CoreCost::stream_read_bits,
                                         &CoreCost::stream_write_bits};

/// True if the core that is the cheapest for nodes of one shape is so for all others.
bool one_core_is_cheapest(const PricedCut& cut, bool one_core) {
  if (one_core) return true;
  for (std::size_t shape = 0; shape < cut.shapes.size(); ++shape) {
    const std::vector<CoreCost>& on = cut.costs->of(static_cast<int>(shape));
    for (const CoreCost& cost : on)
      for (double CoreCost::*figure : figures)
        if (!cost.streamed.empty() || cost.*figure != on.front().*figure) return false;
  }
  return true;
}

/// Needs of smaller nodes as a share of a largest one's, at least: the least share of any figure on any
/// core.
double least_share(const PricedCut& cut, std::size_t shape) {
  double share = 1;
  for (std::size_t i = 0; i < cut.costs->on.size(); ++i)
    for (double CoreCost::*figure : figures)
      if (const double largest = cut.costs->on[i].*figure; largest > 0)
        share = std::min(share, cut.costs->smaller[shape - 1].on[i].*figure / largest);
  return share;
}

/// Number of nodes of a cut, of all shapes.
int all_nodes(const PricedCut& cut) {
  int nodes = 0;
  for (const NodesOfShape& shape : cut.shapes) nodes += shape.nodes;
  return nodes;
}

/// Bits that an average node streams, whichever core runs which node; 0 where some core has more by the
/// shares of least_share(): with it in the mixture the sum would be too large. It holds for what all cores
/// have in common, links that none of them avoids, and for no core alone.
double streamed_anyway(const PricedCut& cut, double CoreCost::*bits) {
  double sum = 0, most = 0;
  for (std::size_t shape = 0; shape < cut.shapes.size(); ++shape) {
    double least = infinity;
    for (const CoreCost& cost : cut.costs->of(static_cast<int>(shape))) least = std::min(least, cost.*bits);
    sum += cut.shapes[shape].nodes * least;
  }
  for (const CoreCost& cost : cut.costs->on) {
    double by_shares = cut.shapes.front().nodes * cost.*bits;
    for (std::size_t shape = 1; shape < cut.shapes.size(); ++shape)
      by_shares += cut.shapes[shape].nodes * least_share(cut, shape) * cost.*bits;
    most = std::max(most, by_shares);
  }
  return sum >= most ? sum / all_nodes(cut) : 0;
}

/// A node of which all_nodes() need no more than the nodes of all shapes do, whether these run on the core
/// (an index into PricedCut::costs) or are shared among cores, of which there may be but one. Exact where
/// the same core is the cheapest for every shape.
CoreCost average_node(const PricedCut& cut, std::size_t core, bool one_core) {
  CoreCost average = cut.costs->on[core];
  const bool exact = one_core_is_cheapest(cut, one_core);
  for (double CoreCost::*figure : figures) {
    double sum = cut.shapes.front().nodes * average.*figure;
    for (std::size_t shape = 1; shape < cut.shapes.size(); ++shape)
      sum += cut.shapes[shape].nodes * (exact ? cut.costs->smaller[shape - 1].on[core].*figure
                                              : least_share(cut, shape) * average.*figure);
    average.*figure = sum / all_nodes(cut);
  }
  return average;
}

/// The bits of an operand that reach or leave cores that do not stream it, for each bit of the whole, when
/// a part of the nodes does so: the last pieces may be smaller. Of one loop that is cut once; else nothing
/// is sure.
double surest_share(const CutLayer& whole, const PricedCut& cut, int operand) {
  double share = 1;
  std::set<int> seen;
  for (const CutLoop& hint : cut.loops) {
    const int loop = whole.layer->loop_index(hint.dimension);
    if (loop < 0) continue;
    if (!seen.insert(loop).second) return 0;
    const Relevancy relevancy = whole.layer->relevancy(operand, loop);
    if (relevancy == Relevancy::partially_relevant) return 0;
    if (relevancy != Relevancy::relevant) continue;
    const std::int64_t size = whole.loop_sizes[loop], count = hint.count.value_or(size);
    const std::int64_t pieces = rounded_up(size, rounded_up(size, count)), last = last_piece(size, count);
    share *= std::min(1.0, static_cast<double>(pieces * last) / static_cast<double>(size));
  }
  return share;
}

/// An output that has to move for a reader: to its core, or off-chip to be streamed.
struct PassedOn {
  int operand = 0;
  double bits = 0;
  double cost = 0;        ///< pJ a bit, to the reader's memory
  Links read_links;       ///< that carry it there: none when it may come from another core
  double write_cost = 0;  ///< ... off-chip, for a reader that streams it; 0: it is there anyway
  Links write_links;
};

class NeedsBuilder {
 public:
  NeedsBuilder(const Workload& workload, const ComputationNodeGraph& whole,
               const MultiCoreAccelerator& accelerator, const PricedMenus& menu, int samples)
      : whole_(whole),
        accelerator_(accelerator),
        menu_(menu),
        samples_(samples),
        kinds_(core_kinds(accelerator)),
        cores_(candidates()),
        move_costs_(accelerator, whole, cores_),
        passed_on_(menu.size()) {
    for (int core = 0; core < accelerator.core_count(); ++core) {
      to_core_.push_back(sorted_once(accelerator.route(*accelerator.offchip_core, core)));
      from_core_.push_back(sorted_once(accelerator.route(core, *accelerator.offchip_core)));
    }
    for (int layer = 0; layer < static_cast<int>(menu.size()); ++layer) {
      inward_.push_back(unavoidable(cores_[layer], to_core_));
      outward_.push_back(unavoidable(senders(layer), from_core_));
      std::vector<double>& fetch_costs =
          fetch_costs_.emplace_back(whole.layers[layer].layer->operands.size());
      for (const int operand : whole.layers[layer].constants)
        fetch_costs[operand] = move_costs_.fetch(layer, operand);
    }
    is_read_.assign(menu.size(), 0);
    for (const Dependency& dependency : whole.dependencies)
      is_read_[whole.nodes[dependency.from].layer] = 1;
    choose_readers(direct_inputs(workload, whole));
  }

  LayerNeeds build() {
    LayerNeeds needs;
    needs.cores = accelerator_.core_count();
    needs.resources = needs.cores + static_cast<int>(accelerator_.links.size());
    for (std::size_t layer = 0; layer < menu_.size(); ++layer) {
      double shortest = infinity;
      std::vector<char>& cut_loops =
          needs.cut_loops.emplace_back(whole_.layers[layer].loop_sizes.size(), 0);
      for (const PricedCut& cut : menu_[layer]) {
        end_if_interrupted();
        for (const CutLoop& hint : cut.loops)
          if (const int loop = whole_.layers[layer].layer->loop_index(hint.dimension); loop >= 0)
            cut_loops[loop] = 1;
        for (const CoreCost& cost : cut.costs->on) shortest = std::min(shortest, cost.runtime);
        for (const CoreCosts::OfShape& shape : cut.costs->smaller)
          for (const CoreCost& cost : shape.on) shortest = std::min(shortest, cost.runtime);
      }
      needs.options.push_back(options(static_cast<int>(layer)));
      needs.shortest_node.push_back(shortest);
    }
    needs.constant_room = constant_room();
    needs.saved_by_staying = saved_by_staying(needs.constant_room);
    return needs;
  }

 private:
  double constant_room() const {
    std::set<int> memories;
    for (std::size_t layer = 0; layer < menu_.size(); ++layer)
      for (const int operand : whole_.layers[layer].constants)
        for (const int core : cores_[layer])
          memories.insert(accelerator_.top(core, whole_.layers[layer].layer->memory_operand(operand)));
    double bits = 0;
    for (const int memory : memories)
      if (memory >= 0) bits += static_cast<double>(accelerator_.top_memories[memory].size);
    return bits;
  }

  /// Constants that all samples share and that do not stream are in the needs of each option once at most.
  CommonSaving saved_by_staying(double room) const {
    std::vector<double> bits(accelerator_.links.size(), 0);
    double energy = 0, dearest = 0;
    for (std::size_t layer = 0; layer < menu_.size(); ++layer) {
      for (const int operand : whole_.layers[layer].constants) {
        if (!shared_by_samples(*whole_.layers[layer].layer, operand)) continue;
        const double constants = constant_bits(static_cast<int>(layer), operand, 0);
        const double of_bit = fetch_costs_[layer][operand];
        for (const int link : inward_[layer]) bits[link] += constants;
        energy += constants * of_bit;
        dearest = std::max(dearest, of_bit);
      }
    }
    CommonSaving saved;
    saved.energy = std::min(energy, room * dearest);
    for (std::size_t link = 0; link < bits.size(); ++link)
      if (const double busy = std::min(bits[link], room) / accelerator_.links[link].bandwidth; busy > 0)
        saved.cycles.emplace_back(accelerator_.core_count() + static_cast<int>(link), busy);
    return saved;
  }

  /// An option with its place among those of its layer: the cut, and the core in the order of the mapping.
  struct Placed {
    std::pair<std::size_t, std::size_t> place;
    LayerOption option;
  };

  /// Cores of one kind have equal options, but for those that stream: these pass other links.
  std::vector<LayerOption> options(int layer) const {
    const Layer& whole = *whole_.layers[layer].layer;
    const auto& mapping = whole.mapping.core_allocation;
    const auto place_of = [&](int core) {
      return static_cast<std::size_t>(std::find(mapping.begin(), mapping.end(), core) - mapping.begin());
    };
    struct OfCore {
      int told_by = 0;  ///< the core whose entries it has
      std::vector<Placed> options;
    };
    std::map<int, std::vector<Placed>> of_kind;  // those that do not stream, by the core that tells them
    std::map<int, OfCore> of_core;
    for (std::size_t i = 0; i < menu_[layer].size(); ++i) {
      end_if_interrupted();
      const PricedCut& cut = menu_[layer][i];
      const auto cores = cores_with_costs(whole, kinds_, *cut.costs);
      const bool one_core = cores.size() == 1;
      std::vector<char> told(cut.costs->on.size(), 0);
      std::vector<std::optional<OnAnyCore>> on_any(cut.costs->on.size());
      for (const auto& [core, entry] : cores) {
        const CoreCost& cost = cut.costs->on[entry];
        OfCore& own = of_core[core];
        own.told_by = cost.core;
        const bool streams = !cost.streamed.empty();
        if (!streams && std::exchange(told[entry], 1)) continue;
        if (!on_any[entry]) on_any[entry] = on_any_core(layer, cut, entry, one_core);
        (streams ? own.options : of_kind[cost.core])
            .push_back({{i, place_of(core)}, option(layer, cut, entry, core, one_core, *on_any[entry])});
      }
    }
    for (auto& [core, options] : of_kind) options = undominated(std::move(options));
    std::vector<Placed> all;
    for (auto& [core, own] : of_core) {
      for (const Placed& shared : of_kind[own.told_by]) {
        Placed& copy = own.options.emplace_back(shared);
        copy.place.second = place_of(core);
        copy.option.core = core;
        copy.option.cycles.front().first = core;
      }
      for (Placed& option : undominated(std::move(own.options))) all.push_back(std::move(option));
    }
    sort(all);
    std::vector<LayerOption> sorted;
    for (Placed& option : all) sorted.push_back(std::move(option.option));
    return sorted;
  }

  static void sort(std::vector<Placed>& options) {
    std::sort(options.begin(), options.end(), [](const Placed& a, const Placed& b) {
      return std::tie(a.option.energy, a.place) < std::tie(b.option.energy, b.place);
    });
  }

  std::vector<std::vector<int>> candidates() const {
    std::vector<std::vector<int>> cores;
    for (std::size_t layer = 0; layer < menu_.size(); ++layer) {
      std::vector<char> may_run(kinds_.size(), 0);
      for (const PricedCut& cut : menu_[layer])
        for (const auto& [core, entry] : cores_with_costs(*whole_.layers[layer].layer, kinds_, *cut.costs))
          may_run[core] = 1;
      std::vector<int>& of_layer = cores.emplace_back();
      for (int core = 0; core < static_cast<int>(may_run.size()); ++core)
        if (may_run[core]) of_layer.push_back(core);
    }
    return cores;
  }

  static Links sorted_once(Links links) {
    std::sort(links.begin(), links.end());
    links.erase(std::unique(links.begin(), links.end()), links.end());
    return links;
  }

  /// The cores of a layer, and those whose links carry what it writes: of cores that share a memory the
  /// first.
  std::vector<int> senders(int layer) const {
    std::vector<int> found = cores_[layer];
    const std::string& output = whole_.layers[layer].layer->memory_operand(0);
    for (const int core : cores_[layer])
      for (const int top : accelerator_.cores_tops[core]) {
        const TopMemory& memory = accelerator_.top_memories[top];
        if (std::count(memory.operands.begin(), memory.operands.end(), output) > 0)
          found.push_back(memory.cores.front());
      }
    return found;
  }

  static Links unavoidable(const std::vector<int>& cores, const std::vector<Links>& of_core) {
    Links common;
    for (std::size_t i = 0; i < cores.size(); ++i) {
      const Links& links = of_core[cores[i]];
      if (i == 0) {
        common = links;
        continue;
      }
      Links both;
      std::set_intersection(common.begin(), common.end(), links.begin(), links.end(),
                            std::back_inserter(both));
      common = both;
    }
    return common;
  }

  static bool streams(const CoreCost& cost, int operand) {
    return std::find(cost.streamed.begin(), cost.streamed.end(), operand) != cost.streamed.end();
  }

  bool may_stream(int layer, int operand) const {
    for (const PricedCut& cut : menu_[layer])
      for (const CoreCost& cost : cut.costs->on)
        if (streams(cost, operand)) return true;
    return false;
  }

  bool always_streams(int layer, int operand) const {
    for (const PricedCut& cut : menu_[layer])
      for (const CoreCost& cost : cut.costs->on)
        if (!streams(cost, operand)) return false;
    return true;
  }

  /// At least.
  double bits_per_output(int layer) const {
    const Layer& entry = *whole_.layers[layer].layer;
    return TileBits(entry, 0, entry.final_output_precision > 0).least();
  }

  /// One reader of each output pays for its move, the one that pays most: others may use the same copy.
  void choose_readers(const std::vector<DirectInput>& inputs) {
    std::vector<const DirectInput*> payer(menu_.size(), nullptr);
    std::vector<double> most(menu_.size(), 0);
    const auto passed_on = [&](const DirectInput& input) {
      PassedOn entry;
      entry.operand = input.operand;
      entry.bits =
          touched_elements(whole_.layers[input.consumer], input.operand) * bits_per_output(input.producer);
      if (always_streams(input.producer, 0)) {
        entry.cost = move_costs_.fetch(input.consumer, input.operand);
        entry.read_links = inward_[input.consumer];
      } else {
        entry.cost = move_costs_.pass_on(input);
      }
      if (is_read_[input.producer] && !may_stream(input.producer, 0)) {
        entry.write_cost = move_costs_.write(input.producer);
        entry.write_links = outward_[input.producer];
      }
      return entry;
    };
    for (const DirectInput& input : inputs) {
      const PassedOn entry = passed_on(input);
      double least = infinity;
      for (const PricedCut& cut : menu_[input.consumer])
        for (const CoreCost& cost : cut.costs->on)
          least = std::min(least, streams(cost, input.operand) ? entry.write_cost : entry.cost);
      if (payer[input.producer] && least * entry.bits <= most[input.producer]) continue;
      payer[input.producer] = &input;
      most[input.producer] = least * entry.bits;
    }
    for (const DirectInput* input : payer)
      if (input) passed_on_[input->consumer].push_back(passed_on(*input));
  }

  /// Bits of the part that lies off-chip; pieces of it are rounded.
  double constant_bits(int layer, int operand, int nodes) const {
    const Layer& entry = *whole_.layers[layer].layer;
    const double bits =
        touched_elements(whole_.layers[layer], operand) * TileBits(entry, operand, false).least();
    if (entry.operands[operand].offchip_elements == 0) return bits;
    const double share = static_cast<double>(entry.operands[operand].offchip_elements) /
                         static_cast<double>(entry.operand_elements(operand, Rules{}));
    return std::max(0.0, bits * std::min(1.0, share) - 0.5 * nodes);
  }

  /// Amounts by link; the few that are not zero.
  class OfLinks {
   public:
    void add(int link, double amount) {
      const auto known = std::find_if(amounts_.begin(), amounts_.end(),
                                      [&](const auto& entry) { return entry.first == link; });
      if (known == amounts_.end())
        amounts_.emplace_back(link, amount);
      else
        known->second += amount;
    }
    void add(const Links& links, double amount) {
      for (const int link : links) add(link, amount);
    }
    const std::vector<std::pair<int, double>>& all() const { return amounts_; }

   private:
    std::vector<std::pair<int, double>> amounts_;
  };

  /// The bits that one node streams.
  OfLinks streamed_bits(const CoreCost& cost) const {
    OfLinks bits;
    if (cost.streamed.size() > 1 || (cost.streamed.size() == 1 && cost.streamed.front() != 0))
      bits.add(to_core_[cost.core], cost.stream_read_bits);
    if (streams(cost, 0)) bits.add(from_core_[cost.core], cost.stream_write_bits);
    return bits;
  }

  /// Cycles of one node, which lasts as long as its streams.
  double runtime(const CoreCost& cost) const {
    double cycles = cost.runtime;
    const OfLinks streamed = streamed_bits(cost);
    for (const auto& [link, bits] : streamed.all())
      cycles = std::max(cycles, bits / accelerator_.links[link].bandwidth);
    return cycles;
  }

  /// Needs of a cut on any core that has the costs of an entry, but for the links of streams.
  struct OnAnyCore {
    CoreCost node;  ///< average_node()
    double nodes = 0;
    double energy = 0;
    OfLinks bits;
  };

  OnAnyCore on_any_core(int layer, const PricedCut& cut, std::size_t entry, bool one_core) const {
    const CutLayer& whole = whole_.layers[layer];
    OnAnyCore made;
    made.node = average_node(cut, entry, one_core);
    const CoreCost& cost = made.node;
    made.nodes = std::max(1.0, samples_ / cut.samples) * all_nodes(cut);
    const bool alike = std::all_of(cut.costs->on.begin(), cut.costs->on.end(),
                                   [&](const CoreCost& other) { return other.streamed == cost.streamed; });
    const auto share = [&](int operand) { return alike ? 1.0 : surest_share(whole, cut, operand); };
    made.energy = made.nodes * (cost.onchip_energy + cost.offchip_energy);
    for (const int operand : whole.constants) {
      if (streams(cost, operand)) continue;
      const double times = shared_by_samples(*whole.layer, operand) ? 1 : samples_;
      const double fetched = times * share(operand) * constant_bits(layer, operand, all_nodes(cut));
      made.bits.add(inward_[layer], fetched);
      made.energy += fetched * fetch_costs_[layer][operand];
    }
    if (!is_read_[layer] && !streams(cost, 0)) {
      const double written = samples_ * share(0) * touched_elements(whole, 0) * bits_per_output(layer);
      made.bits.add(outward_[layer], written);
      made.energy += written * move_costs_.write(layer);
    }
    for (const PassedOn& input : passed_on_[layer]) {
      const double moved = samples_ * share(input.operand) * input.bits;
      const bool streamed = streams(cost, input.operand);
      made.energy += moved * (streamed ? input.write_cost : input.cost);
      made.bits.add(streamed ? input.write_links : input.read_links, moved);
    }
    return made;
  }

  /// The needs on a core that has the costs of an entry of the cut.
  LayerOption option(int layer, const PricedCut& cut, std::size_t entry, int core, bool one_core,
                     const OnAnyCore& on_any) const {
    CoreCost cost = on_any.node;
    cost.core = core;
    OfLinks bits = on_any.bits;
    const OfLinks streamed = streamed_bits(cost);
    for (const auto& [link, amount] : streamed.all()) bits.add(link, on_any.nodes * amount);
    if (!one_core && !cost.streamed.empty()) {
      const auto add_rest = [&](const Links& links, double CoreCost::*of) {
        bits.add(links, on_any.nodes * std::max(0.0, streamed_anyway(cut, of) - cost.*of));
      };
      add_rest(inward_[layer], &CoreCost::stream_read_bits);
      add_rest(outward_[layer], &CoreCost::stream_write_bits);
    }
    LayerOption made;
    made.core = core;
    made.energy = on_any.energy;
    made.cycles.emplace_back(core, on_any.nodes * runtime(cost));
    made.least_work = infinity;
    for (std::size_t shape = 0; shape < cut.shapes.size(); ++shape) {
      CoreCost node = cut.costs->of(static_cast<int>(shape))[entry];
      node.core = core;
      const double parts = static_cast<double>(whole_.layers[layer].layer->mac_count()) /
                           static_cast<double>(cut.shapes[shape].iterations);
      made.least_work = std::min(made.least_work, parts * runtime(node) / cut.samples);
    }
    for (const auto& [link, amount] : bits.all())
      if (const double busy = amount / accelerator_.links[link].bandwidth; busy > 0)
        made.cycles.emplace_back(accelerator_.core_count() + link, busy);
    std::sort(made.cycles.begin() + 1, made.cycles.end());
    return made;
  }

  /// True if `a` needs no more of anything than `b`.
  static bool undercuts(const LayerOption& a, const LayerOption& b) {
    if (a.core != b.core || a.energy > b.energy || a.least_work > b.least_work) return false;
    auto other = b.cycles.begin();
    for (const auto& [resource, cycles] : a.cycles) {
      while (other != b.cycles.end() && other->first < resource) ++other;
      if (other == b.cycles.end() || other->first != resource || other->second < cycles) return false;
    }
    return true;
  }

  /// Those of one core that no other one undercuts.
  static std::vector<Placed> undominated(std::vector<Placed> options) {
    std::vector<Placed> kept;
    sort(options);
    for (Placed& option : options) {
      if (std::none_of(kept.begin(), kept.end(),
                       [&](const Placed& other) { return undercuts(other.option, option.option); }))
        kept.push_back(std::move(option));
    }
    return kept;
  }

  const ComputationNodeGraph& whole_;
  const MultiCoreAccelerator& accelerator_;
  const PricedMenus& menu_;
  double samples_;
  std::vector<int> kinds_;
  std::vector<std::vector<int>> cores_;  ///< candidates by layer
  MoveCosts move_costs_;
  std::vector<Links> to_core_, from_core_;        ///< by core: links on the way from and to off-chip
  std::vector<Links> inward_, outward_;           ///< by layer: links that no candidate avoids
  std::vector<std::vector<double>> fetch_costs_;  ///< by layer and operand: pJ a bit, of constants
  std::vector<char> is_read_;                     ///< by layer
  std::vector<std::vector<PassedOn>> passed_on_;  ///< by reader
};

}  // namespace

LayerNeeds layer_needs(const Workload& workload, const ComputationNodeGraph& whole,
                       const MultiCoreAccelerator& accelerator, const PricedMenus& menu, int samples) {
  return NeedsBuilder(workload, whole, accelerator, menu, samples).build();
}

}  // namespace zz::core
