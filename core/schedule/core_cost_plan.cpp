#include "core/schedule/core_cost_plan.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "core/diagnostics/diagnostics.hpp"
#include "core/hardware/layer_fit.hpp"
#include "core/schedule/detail/capacity_check.hpp"
#include "core/schedule/detail/offchip_level.hpp"

namespace zz::core {
namespace {

/// Work on elements runs on lanes along any of its loops: where a core's dataflow names loops that the
/// layer does not have, it is put on the longest others. A layer that adds something up keeps the dataflow.
SpatialUnrolling on_own_loops(const Layer& layer, SpatialUnrolling unrolling) {
  std::set<std::string> free;
  for (std::size_t i = 0; i < layer.loops.size(); ++i) {
    if (layer.loops[i].size == 1) continue;
    if (layer.relevancy(0, static_cast<int>(i)) != Relevancy::relevant) return unrolling;
    free.insert(layer.loops[i].name);
  }
  for (const ArrayUnrolling& array : unrolling.dimensions)
    for (const SpatialLoop& loop : array.loops) free.erase(loop.dimension);
  for (ArrayUnrolling& array : unrolling.dimensions) {
    std::int64_t lanes = 1, used = 1;
    for (const SpatialLoop& loop : array.loops) {
      lanes *= loop.factor;
      used *= std::min(loop.factor, layer.loop_size(loop.dimension));
    }
    if (used == lanes || free.empty()) continue;
    const auto longest = std::max_element(free.begin(), free.end(), [&](const auto& a, const auto& b) {
      return layer.loop_size(a) < layer.loop_size(b);
    });
    if (layer.loop_size(*longest) <= used) continue;
    array.loops = {{*longest, lanes}};
    free.erase(longest);
  }
  return unrolling;
}

/// Index of the first entry that equals `wanted`; it is added when there is none.
template <class List, class T, class Equals>
int index_of(List& list, T&& wanted, Equals equals) {
  const auto found = std::find_if(list.begin(), list.end(), equals);
  const int index = static_cast<int>(found - list.begin());
  if (found == list.end()) list.push_back(std::forward<T>(wanted));
  return index;
}

std::string core_name(const MultiCoreAccelerator& accelerator, int core) {
  return fmt::format("core {} ('{}')", core, accelerator.cores[core]->name);
}

std::string list_of_cores(const MultiCoreAccelerator& accelerator) {
  std::string text;
  for (int core = 0; core < accelerator.core_count(); ++core)
    text += fmt::format("{}{} ('{}')", core > 0 ? ", " : "", core, accelerator.cores[core]->name);
  return text;
}

}  // namespace

Layer without_identity(Layer layer) {
  layer.id = 0;
  layer.name.clear();
  layer.source_order.clear();
  layer.mapping.name.clear();
  layer.mapping.core_allocation.clear();
  for (LayerOperand& operand : layer.operands) operand.sources.clear();
  return layer;
}

void keep_better_cost(std::shared_ptr<const Evaluation>& kept, std::shared_ptr<const Evaluation> other) {
  const auto key = [](const Evaluation& answer) {
    return std::pair(answer.latency_total2, answer.energy_total);
  };
  if (!kept || key(*other) < key(*kept)) kept = std::move(other);
}

class CoreCostPlan::Builder {
 public:
  explicit Builder(CoreCostPlan& plan)
      : plan_(plan),
        accelerator_(*plan.accelerator_),
        graph_(*plan.graph_),
        needs_(capacity_needs(graph_, plan.rules_)) {}

  void build() {
    for (int core = 0; core < accelerator_.core_count(); ++core) {
      int twin = 0;
      while (accelerator_.cores[twin]->dataflows != accelerator_.cores[core]->dataflows) ++twin;
      same_dataflow_.push_back(twin);
    }
    for (std::size_t layer = 0; layer < graph_.layers.size(); ++layer) {
      plan_.entries_.emplace_back();
      layer_numbers_.assign(accelerator_.cores.size(), -1);
      std::set<std::int64_t> known;
      for (const std::int64_t core : tile(layer).mapping.core_allocation)
        if (known.insert(core).second && usable(layer, core)) add(layer, static_cast<int>(core));
      if (plan_.entries_.back().empty() && !diagnostics_.has_errors())
        error(layer, "no core may run it", "name one in core_allocation of its mapping entry");
    }
    diagnostics_.throw_if_errors();
  }

 private:
  const Layer& tile(std::size_t layer) const { return *graph_.layers[layer].tile; }

  void error(std::size_t layer, const std::string& what, const std::string& hint = "") {
    diagnostics_.error({}, fmt::format("layer '{}': {}", tile(layer).name, what), hint);
  }

  bool usable(std::size_t layer, std::int64_t core) {
    if (core < 0 || core >= accelerator_.core_count()) {
      error(layer,
            fmt::format("core_allocation names core {}, which '{}' does not have", core, accelerator_.name),
            "its cores are " + list_of_cores(accelerator_));
      return false;
    }
    const int index = static_cast<int>(core);
    if (accelerator_.cores[index]->array.unit_count() > 0) return true;
    if (!plan_.rules_.unitless_cores_left_out) {
      error(layer, fmt::format("core_allocation names {}, which has no units to compute with",
                               core_name(accelerator_, index)));
    }
    return false;
  }

  bool fits(std::size_t layer, const Accelerator& accelerator) {
    try {
      check_layer_fits(tile(layer), accelerator);
      return true;
    } catch (const InputError& problem) {
      for (const Diagnostic& found : problem.diagnostics())
        diagnostics_.error(found.mark, found.message, found.hint);
      return false;
    }
  }

  void add(std::size_t layer, int core) {
    const Accelerator& base = *accelerator_.cores[core];
    if (!fits(layer, base)) return;
    std::vector<int> too_large = too_large_operands(tile(layer), base, needs_[layer]);
    if (!too_large.empty() && !can_stream(layer, core, too_large)) return;
    Entry entry;
    entry.core = core;
    entry.question = question(layer, core, too_large);
    if (!too_large.empty() && !fits(layer, *plan_.questions_[entry.question].accelerator)) return;
    std::sort(too_large.begin(), too_large.end());
    entry.streamed = std::move(too_large);
    plan_.entries_[layer].push_back(std::move(entry));
  }

  /// Whether there is an off-chip memory that holds all that does not fit.
  bool can_stream(std::size_t layer, int core, const std::vector<int>& too_large) {
    std::int64_t bits = 0;
    std::string names;
    for (const int operand : too_large) {
      bits += needs_[layer][operand];
      names += (names.empty() ? "" : ", ") + tile(layer).operands[operand].name;
    }
    const std::string does_not_fit =
        fmt::format("{} of one node ({} bits) does not fit into the memories of {}", names, bits,
                    core_name(accelerator_, core));
    if (!accelerator_.offchip_core) {
      error(layer,
            fmt::format("{}, and '{}' has no off-chip core to stream it from", does_not_fit,
                        accelerator_.name),
            "cut the layer into smaller nodes, or give the accelerator an off-chip core");
      return false;
    }
    const Accelerator& offchip = *accelerator_.cores[*accelerator_.offchip_core];
    std::int64_t room = 0;
    for (const Memory& memory : offchip.memories) room = std::max(room, memory.size);
    if (bits > room) {
      error(layer, fmt::format("{}, nor into the off-chip memory ({} bits)", does_not_fit, room),
            "cut the layer into smaller nodes, or enlarge the memory");
      return false;
    }
    return true;
  }

  int question(std::size_t layer, int core, const std::vector<int>& too_large) {
    const std::pair key(layer_number(layer, core), accelerator_number(layer, core, too_large));
    const auto [known, is_new] = numbers_.try_emplace(key, static_cast<int>(plan_.questions_.size()));
    if (!is_new) return known->second;
    const auto mapped = std::make_shared<Layer>(prescribed(layer, core));
    plan_.questions_.push_back(
        {mapped, accelerators_[key.second],
         fmt::format("layer '{}' on {}", mapped->name, core_name(accelerator_, core))});
    return known->second;
  }

  /// The node with the dataflow of the core. Stream knows no other prescription.
  Layer prescribed(std::size_t layer, int core) const {
    Layer mapped = tile(layer);
    const SpatialUnrolling& dataflows = accelerator_.cores[core]->dataflows;
    if (plan_.rules_.core_dataflow_only)
      mapped.mapping.spatial_mapping = dataflows;
    else if (!dataflows.dimensions.empty())
      mapped.mapping.spatial_mapping = on_own_loops(mapped, dataflows);
    return mapped;
  }

  /// Number of the node's shape: the same for layers that differ in name and position only.
  int layer_number(std::size_t layer, int core) {
    int& number = layer_numbers_[same_dataflow_[core]];
    if (number < 0) {
      Layer shape = without_identity(prescribed(layer, core));
      const auto equals = [&](const Layer& other) { return other == shape; };
      number = index_of(shapes_, std::move(shape), equals);
    }
    return number;
  }

  /// Number of the core with what streams to it: the same for identical cores.
  int accelerator_number(std::size_t layer, int core, const std::vector<int>& too_large) {
    std::vector<std::string> operands;
    for (const int operand : too_large) operands.push_back(tile(layer).memory_operand(operand));
    const auto [known, is_new] = accelerator_numbers_.try_emplace({core, operands}, 0);
    if (!is_new) return known->second;
    std::shared_ptr<const Accelerator> extended = accelerator_.cores[core];
    if (!operands.empty()) {
      extended = std::make_shared<Accelerator>(with_offchip_level(
          *extended, *accelerator_.cores[*accelerator_.offchip_core], operands, plan_.rules_));
    }
    const auto equals = [&](const auto& other) { return *other == *extended; };
    return known->second = index_of(accelerators_, extended, equals);
  }

  CoreCostPlan& plan_;
  const MultiCoreAccelerator& accelerator_;
  const ComputationNodeGraph& graph_;
  std::vector<OperandBits> needs_;
  Diagnostics diagnostics_;
  std::vector<int> same_dataflow_;  ///< [core] -> first core with its dataflows
  std::vector<int> layer_numbers_;  ///< of the layer at hand, by that core; -1: not known yet
  std::vector<Layer> shapes_;       ///< without names, each once
  std::vector<std::shared_ptr<const Accelerator>> accelerators_;                 ///< each once
  std::map<std::pair<int, std::vector<std::string>>, int> accelerator_numbers_;  ///< by core and operands
  std::map<std::pair<int, int>, int> numbers_;                                   ///< of questions
};

CoreCostPlan::CoreCostPlan(std::shared_ptr<const MultiCoreAccelerator> accelerator,
                           std::shared_ptr<const ComputationNodeGraph> graph, const Rules& rules)
    : accelerator_(std::move(accelerator)), graph_(std::move(graph)), rules_(rules) {
  Builder(*this).build();
}

std::vector<int> CoreCostPlan::moved_operands(const Entry& entry) const {
  if (!rules_.offchip_known_by_figures || !accelerator_->offchip_core) return entry.streamed;
  // Stream recognises the off-chip memory by its figures, so that a core's own may pass for it.
  const Memory& offchip = accelerator_->cores[*accelerator_->offchip_core]->memories.front();
  const std::vector<Memory>& own = accelerator_->cores[entry.core]->memories;
  const Layer& layer = *questions_[entry.question].layer;
  std::vector<int> moved;
  for (int operand = 0; operand < static_cast<int>(layer.operands.size()); ++operand) {
    const bool streamed =
        std::find(entry.streamed.begin(), entry.streamed.end(), operand) != entry.streamed.end();
    const auto top = std::find_if(own.rbegin(), own.rend(), [&](const Memory& memory) {
      return memory.holds(layer.memory_operand(operand));
    });
    if (streamed || (top != own.rend() && same_instance(*top, offchip))) moved.push_back(operand);
  }
  return moved;
}

CoreCost CoreCostPlan::cost(const Entry& entry, const TiledLayer& layer,
                            const std::shared_ptr<const Evaluation>& answer) const {
  const CoreCostQuestion& question = questions_[entry.question];
  CoreCost cost;
  cost.core = entry.core;
  cost.streamed = entry.streamed;
  cost.runtime = answer->latency_total1;
  for (const int operand : entry.streamed) {
    if (static_cast<std::size_t>(operand) >= answer->operands.size()) continue;
    const std::vector<LevelCost>& levels = answer->operands[operand].levels;
    if (!levels.empty()) cost.offchip_energy += levels.back().energy;
  }
  cost.onchip_energy = answer->energy_total - cost.offchip_energy;
  const OffchipDemand demand =
      offchip_demand(*answer, *question.layer, *question.accelerator, moved_operands(entry), rules_);
  cost.stream_read_elements = demand.read_elements;
  cost.stream_write_elements = demand.write_elements;
  cost.stream_read_bits = demand.read_bits;
  cost.stream_write_bits = demand.write_bits;
  cost.evaluation = answer;
  const Layer* answered = answer->layer.get();
  if (answered != nullptr && (answered->id != layer.tile->id || answered->name != layer.tile->name)) {
    // The cost of a twin, told of this layer.
    auto own_layer = std::make_shared<Layer>(*layer.tile);
    own_layer->mapping.spatial_mapping = answered->mapping.spatial_mapping;
    auto own = std::make_shared<Evaluation>(*answer);
    own->layer = std::move(own_layer);
    cost.evaluation = std::move(own);
  }
  return cost;
}

CoreCosts CoreCostPlan::costs(const std::vector<std::shared_ptr<const Evaluation>>& answers,
                              const std::vector<std::string>& reasons) const {
  CoreCosts costs;
  for (std::size_t layer = 0; layer < entries_.size(); ++layer) {
    CoreCosts::OfLayer& row = costs.layers.emplace_back();
    for (const Entry& entry : entries_[layer]) {
      if (answers[entry.question])
        row.on.push_back(cost(entry, graph_->layers[layer], answers[entry.question]));
    }
    if (!row.on.empty()) continue;
    const Entry& first = entries_[layer].front();
    const std::string name = core_name(*accelerator_, first.core);
    std::string text =
        fmt::format("layer '{}': its nodes cannot be mapped on {}{}", graph_->layers[layer].tile->name,
                    name, entries_[layer].size() > 1 ? ", nor on any other candidate" : "");
    if (static_cast<std::size_t>(first.question) < reasons.size()) text += ": " + reasons[first.question];
    throw NoResult(text);
  }
  return costs;
}

}  // namespace zz::core
