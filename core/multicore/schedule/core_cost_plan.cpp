#include "core/multicore/schedule/core_cost_plan.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/multicore/schedule/detail/core_cost_questions.hpp"
#include "core/multicore/schedule/detail/offchip_level.hpp"

namespace zz::core {

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

struct CoreCostPlan::Parts {
  using Entry = CoreCostQuestions::Entry;

  Parts(std::shared_ptr<const MultiCoreAccelerator> of, const Rules& by)
      : accelerator(std::move(of)), rules(by), questions(accelerator, rules) {}

  void add(const std::vector<std::shared_ptr<const Layer>>& pieces, const OperandBits& needs,
           Diagnostics& problems) {
    OfLayer& layer = layers.emplace_back();
    for (const auto& piece : pieces) {
      if (problems.has_errors() && piece != pieces.front()) break;  // the same for smaller nodes
      layer.shapes.push_back({piece, questions.ask(*piece, needs, problems)});
    }
  }

  /// Whether nodes of every shape have a mapping on a core.
  bool runs(const std::vector<std::shared_ptr<const Evaluation>>& answers, int layer, int core) const;

  /// Operands (in equation order) whose accesses at the off-chip memory are asked of it.
  std::vector<int> moved_operands(const Entry& entry) const;
  CoreCost cost(const Entry& entry, const Layer& piece,
                const std::shared_ptr<const Evaluation>& answer) const;

  struct OfShape {
    std::shared_ptr<const Layer> piece;
    std::vector<Entry> entries;  ///< in the order of the candidates
  };
  struct OfLayer {
    std::vector<OfShape> shapes;  ///< the largest first
  };
  std::shared_ptr<const MultiCoreAccelerator> accelerator;
  Rules rules;
  CoreCostQuestions questions;
  std::vector<OfLayer> layers;
};

CoreCostPlan::CoreCostPlan(std::shared_ptr<const MultiCoreAccelerator> accelerator, const Rules& rules)
    : parts_(std::make_unique<Parts>(std::move(accelerator), rules)) {}

CoreCostPlan::CoreCostPlan(std::shared_ptr<const MultiCoreAccelerator> accelerator,
                           std::shared_ptr<const ComputationNodeGraph> graph, const Rules& rules)
    : CoreCostPlan(std::move(accelerator), rules) {
  const std::vector<OperandBits> needs = capacity_needs(*graph, rules);
  Diagnostics problems;
  for (std::size_t layer = 0; layer < needs.size(); ++layer)
    parts_->add(node_pieces(graph->layers[layer]), needs[layer], problems);
  problems.throw_if_errors();
}

CoreCostPlan::~CoreCostPlan() = default;

CoreCostPlan::CoreCostPlan(CoreCostPlan&&) noexcept = default;

int CoreCostPlan::add(const std::vector<std::shared_ptr<const Layer>>& pieces, const OperandBits& needs) {
  Diagnostics problems;
  parts_->add(pieces, needs, problems);
  if (problems.has_errors()) parts_->layers.pop_back();
  problems.throw_if_errors();
  return static_cast<int>(parts_->layers.size()) - 1;
}

void CoreCostPlan::forget_layers() { parts_->layers.clear(); }

const std::vector<CoreCostQuestion>& CoreCostPlan::questions() const { return parts_->questions.all(); }

std::vector<int> CoreCostPlan::Parts::moved_operands(const Entry& entry) const {
  if (!rules.offchip_known_by_figures || !accelerator->offchip_core) return entry.streamed;
  // Stream recognises the off-chip memory by its figures, so that a core's own may pass for it.
  const Memory& offchip = accelerator->cores[*accelerator->offchip_core]->memories.front();
  const std::vector<Memory>& own = accelerator->cores[entry.core]->memories;
  const Layer& layer = *questions.all()[entry.question].layer;
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

CoreCost CoreCostPlan::Parts::cost(const Entry& entry, const Layer& piece,
                                   const std::shared_ptr<const Evaluation>& answer) const {
  const CoreCostQuestion& question = questions.all()[entry.question];
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
      offchip_demand(*answer, *question.layer, *question.accelerator, moved_operands(entry), rules);
  cost.stream_read_elements = demand.read_elements;
  cost.stream_write_elements = demand.write_elements;
  cost.stream_read_bits = demand.read_bits;
  cost.stream_write_bits = demand.write_bits;
  cost.evaluation = answer;
  const Layer* answered = answer->layer.get();
  if (answered != nullptr && (answered->id != piece.id || answered->name != piece.name)) {
    // The cost of a twin, told of this layer.
    auto own_layer = std::make_shared<Layer>(piece);
    own_layer->mapping.spatial_mapping = answered->mapping.spatial_mapping;
    auto own = std::make_shared<Evaluation>(*answer);
    own->layer = std::move(own_layer);
    cost.evaluation = std::move(own);
  }
  return cost;
}

bool CoreCostPlan::Parts::runs(const std::vector<std::shared_ptr<const Evaluation>>& answers, int layer,
                               int core) const {
  return std::all_of(layers[layer].shapes.begin(), layers[layer].shapes.end(), [&](const OfShape& shape) {
    return std::any_of(shape.entries.begin(), shape.entries.end(), [&](const Entry& entry) {
      return entry.core == core && answers[entry.question] != nullptr;
    });
  });
}

CoreCosts::OfLayer CoreCostPlan::costs(int layer,
                                       const std::vector<std::shared_ptr<const Evaluation>>& answers,
                                       const std::vector<std::string>& reasons) const {
  const Parts::OfLayer& asked = parts_->layers[layer];
  CoreCosts::OfLayer row;
  row.smaller.resize(asked.shapes.size() - 1);
  for (std::size_t shape = 0; shape < asked.shapes.size(); ++shape) {
    std::vector<CoreCost>& on = shape == 0 ? row.on : row.smaller[shape - 1].on;
    for (const Parts::Entry& entry : asked.shapes[shape].entries)
      if (parts_->runs(answers, layer, entry.core))
        on.push_back(parts_->cost(entry, *asked.shapes[shape].piece, answers[entry.question]));
  }
  if (!row.on.empty()) return row;
  const auto& [piece, entries] = asked.shapes.front();
  const int core = entries.front().core;
  int question = entries.front().question;
  for (const Parts::OfShape& shape : asked.shapes)
    for (const Parts::Entry& entry : shape.entries)
      if (entry.core == core && !answers[entry.question]) question = entry.question;
  const std::string name = core_name(*parts_->accelerator, core);
  std::string text = fmt::format("layer '{}': its nodes cannot be mapped on {}{}", piece->name, name,
                                 entries.size() > 1 ? ", nor on any other candidate" : "");
  if (static_cast<std::size_t>(question) < reasons.size()) text += ": " + reasons[question];
  throw NoResult(text);
}

CoreCosts CoreCostPlan::costs(const std::vector<std::shared_ptr<const Evaluation>>& answers,
                              const std::vector<std::string>& reasons) const {
  CoreCosts costs;
  for (std::size_t layer = 0; layer < parts_->layers.size(); ++layer)
    costs.layers.push_back(this->costs(static_cast<int>(layer), answers, reasons));
  return costs;
}

}  // namespace zz::core
