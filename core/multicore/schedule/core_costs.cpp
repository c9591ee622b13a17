#include "core/multicore/schedule/core_costs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/hardware/layer_dataflow.hpp"
#include "core/hardware/layer_fit.hpp"
#include "core/multicore/schedule/capacity_check.hpp"
#include "core/multicore/schedule/detail/offchip_level.hpp"

namespace zz::core {
/// The cost questions of all layers; equal questions appear once.
class CoreCostQuestions {
 public:
  CoreCostQuestions(std::shared_ptr<const MultiCoreAccelerator> accelerator, const Rules& rules);

  struct Entry {
    int core = 0, question = 0;
  };

  /// The candidate cores of a layer, in their order, with the question for each. Why a layer cannot run
  /// goes to `problems`.
  std::vector<Entry> ask(const Layer& piece, const OperandBits& needs, Diagnostics& problems);

  const std::vector<CoreCostQuestion>& all() const { return questions_; }
  /// Operands in equation order.
  const std::vector<int>& streamed(std::size_t question) const {
    return cores_[core_of_[question]].streamed;
  }

 private:
  bool can_stream(const Layer& piece, int core, const std::vector<int>& too_large, const OperandBits& needs,
                  Diagnostics& problems) const;
  int question(const Layer& piece, int core, const std::vector<int>& too_large);
  Layer prescribed(const Layer& piece, int core) const;
  int shape_number(const Layer& piece, int core);
  int number_of_core(const Layer& piece, int core, const std::vector<int>& too_large);

  /// A core with what streams to it.
  struct StreamingCore {
    std::shared_ptr<const Accelerator> accelerator;
    std::vector<int> streamed;  ///< operands in equation order
  };

  std::shared_ptr<const MultiCoreAccelerator> accelerator_;
  Rules rules_;
  std::vector<CoreCostQuestion> questions_;
  std::vector<int> core_of_;        ///< by question: in cores_
  std::vector<int> same_core_;      ///< [core] -> first core that is equal to it
  std::vector<int> same_dataflow_;  ///< [core] -> first core with its dataflows
  std::vector<int> shape_numbers_;  ///< of the layer at hand, by that core; -1: not known yet
  /// Each shape once, as the layer that had it first: mostly that of a question, so that it is there once.
  std::vector<std::shared_ptr<const Layer>> shapes_;
  std::unordered_multimap<std::size_t, int> shapes_by_size_;  ///< by a hash of the sizes of the loops
  std::vector<StreamingCore> cores_;                          ///< each once
  /// By core and operands: of the layer, and of its memories.
  std::map<std::tuple<int, std::vector<int>, std::vector<std::string>>, int> numbers_of_cores_;
  std::map<std::pair<int, int>, int> numbers_;  ///< of questions
};

namespace {

std::string list_of_cores(const MultiCoreAccelerator& accelerator) {
  std::string text;
  for (int core = 0; core < accelerator.core_count(); ++core)
    text += fmt::format("{}{} ('{}')", core > 0 ? ", " : "", core, accelerator.cores[core]->name);
  return text;
}

void refuse(const Layer& piece, const std::string& what, Diagnostics& problems,
            const std::string& hint = "") {
  problems.error({}, fmt::format("layer '{}': {}", piece.name, what), hint);
}

bool fits(const Layer& piece, const Accelerator& accelerator, Diagnostics& problems) {
  try {
    check_layer_fits(piece, accelerator);
    return true;
  } catch (const InputError& problem) {
    for (const Diagnostic& found : problem.diagnostics())
      problems.error(found.mark, found.message, found.hint);
    return false;
  }
}

std::size_t hash_of_sizes(const Layer& layer) {
  std::size_t hash = layer.loops.size();
  for (const LoopDimension& loop : layer.loops) hash = hash * 1000003 + static_cast<std::size_t>(loop.size);
  return hash;
}

/// "core 2 ('tpu_like')", for messages.
std::string core_name(const MultiCoreAccelerator& accelerator, int core) {
  return fmt::format("core {} ('{}')", core, accelerator.cores[core]->name);
}

/// True if the mapping of a layer may name the core.
bool usable(const Layer& layer, std::int64_t core, const MultiCoreAccelerator& accelerator,
            const Rules& rules, Diagnostics& problems) {
  const auto wrong = [&](const std::string& what, const std::string& hint) {
    problems.error(layer.mapping.places.mark("core_allocation"),
                   fmt::format("layer '{}': core_allocation names {}", layer.name, what), hint);
    return false;
  };
  if (core < 0 || core >= accelerator.core_count())
    return wrong(fmt::format("core {}, which '{}' does not have", core, accelerator.name),
                 "its cores are " + list_of_cores(accelerator));
  const int index = static_cast<int>(core);
  if (accelerator.cores[index]->array.unit_count() > 0) return true;
  return rules.unitless_cores_left_out
             ? false
             : wrong(core_name(accelerator, index) + ", which has no units to compute with", "");
}

}  // namespace

CoreCostQuestions::CoreCostQuestions(std::shared_ptr<const MultiCoreAccelerator> accelerator,
                                     const Rules& rules)
    : accelerator_(std::move(accelerator)), rules_(rules) {
  for (int core = 0; core < accelerator_->core_count(); ++core) {
    int twin = 0;
    while (accelerator_->cores[twin]->dataflows != accelerator_->cores[core]->dataflows) ++twin;
    same_dataflow_.push_back(twin);
    int equal = 0;
    while (!(*accelerator_->cores[equal] == *accelerator_->cores[core])) ++equal;
    same_core_.push_back(equal);
  }
}

std::vector<CoreCostQuestions::Entry> CoreCostQuestions::ask(const Layer& piece, const OperandBits& needs,
                                                             Diagnostics& problems) {
  std::vector<Entry> entries;
  shape_numbers_.assign(accelerator_->cores.size(), -1);
  std::set<std::int64_t> known;
  // By the first of cores that are equal: a chip may have dozens of one kind.
  std::map<int, std::vector<int>> too_large_on;
  for (const std::int64_t candidate : piece.mapping.core_allocation) {
    if (!known.insert(candidate).second || !usable(piece, candidate, *accelerator_, rules_, problems))
      continue;
    const int core = static_cast<int>(candidate);
    const Accelerator& base = *accelerator_->cores[core];
    auto alike = too_large_on.find(same_core_[core]);
    if (alike == too_large_on.end()) {
      if (!fits(piece, base, problems)) continue;
      alike = too_large_on.emplace(same_core_[core], too_large_operands(piece, base, needs)).first;
    }
    const std::vector<int>& too_large = alike->second;
    if (!too_large.empty() && !can_stream(piece, core, too_large, needs, problems)) continue;
    Entry entry;
    entry.core = core;
    entry.question = question(piece, core, too_large);
    if (!too_large.empty() && !fits(piece, *questions_[entry.question].accelerator, problems)) continue;
    entries.push_back(entry);
  }
  if (entries.empty() && !problems.has_errors())
    refuse(piece, "no core may run it", problems, "name one in core_allocation of its mapping entry");
  return entries;
}

/// True if there is an off-chip memory that holds all that does not fit.
bool CoreCostQuestions::can_stream(const Layer& piece, int core, const std::vector<int>& too_large,
                                   const OperandBits& needs, Diagnostics& problems) const {
  std::int64_t bits = 0;
  std::string names;
  for (const int operand : too_large) {
    bits += needs[operand];
    names += (names.empty() ? "" : ", ") + piece.operands[operand].name;
  }
  const std::string does_not_fit =
      fmt::format("{} of one node ({} bits) does not fit into the memories of {}", names, bits,
                  core_name(*accelerator_, core));
  if (!accelerator_->offchip_core) {
    refuse(piece,
           fmt::format("{}, and '{}' has no off-chip core to stream it from", does_not_fit,
                       accelerator_->name),
           problems, "cut the layer into smaller nodes, or give the accelerator an off-chip core");
    return false;
  }
  const Accelerator& offchip = *accelerator_->cores[*accelerator_->offchip_core];
  std::int64_t room = 0;
  for (const Memory& memory : offchip.memories) room = std::max(room, memory.size);
  if (bits > room) {
    refuse(piece, fmt::format("{}, nor into the off-chip memory ({} bits)", does_not_fit, room), problems,
           "cut the layer into smaller nodes, or enlarge the memory");
    return false;
  }
  return true;
}

int CoreCostQuestions::question(const Layer& piece, int core, const std::vector<int>& too_large) {
  const std::pair key(shape_number(piece, core), number_of_core(piece, core, too_large));
  const auto [known, is_new] = numbers_.try_emplace(key, static_cast<int>(questions_.size()));
  if (!is_new) return known->second;
  std::shared_ptr<const Layer> mapped = shapes_[key.first];
  if (mapped->id != piece.id || mapped->name != piece.name)
    mapped = std::make_shared<Layer>(prescribed(piece, core));
  questions_.push_back({mapped, cores_[key.second].accelerator,
                        fmt::format("layer '{}' on {}", mapped->name, core_name(*accelerator_, core))});
  core_of_.push_back(key.second);
  return known->second;
}

/// The node with the dataflow of the core. Stream knows no other prescription.
Layer CoreCostQuestions::prescribed(const Layer& piece, int core) const {
  Layer mapped = piece;
  const SpatialUnrolling& dataflows = accelerator_->cores[core]->dataflows;
  if (rules_.core_dataflow_only)
    mapped.mapping.spatial_mapping = dataflows;
  else if (!dataflows.dimensions.empty())
    mapped.mapping.spatial_mapping = dataflow_of_layer(mapped, *accelerator_->cores[core]);
  return mapped;
}

/// Number of the node's shape: the same for layers that differ in name and position only.
int CoreCostQuestions::shape_number(const Layer& piece, int core) {
  int& number = shape_numbers_[same_dataflow_[core]];
  if (number >= 0) return number;
  const Layer shape = without_identity(prescribed(piece, core));
  const std::size_t hash = hash_of_sizes(shape);
  const auto [first, last] = shapes_by_size_.equal_range(hash);
  const auto known = std::find_if(
      first, last, [&](const auto& entry) { return without_identity(*shapes_[entry.second]) == shape; });
  if (known != last) return number = known->second;
  number = static_cast<int>(shapes_.size());
  shapes_.push_back(std::make_shared<const Layer>(prescribed(piece, core)));
  shapes_by_size_.emplace(hash, number);
  return number;
}

/// Number of the core with what streams to it: the same for identical cores.
int CoreCostQuestions::number_of_core(const Layer& piece, int core, const std::vector<int>& too_large) {
  std::vector<std::string> operands;
  for (const int operand : too_large) operands.push_back(piece.memory_operand(operand));
  const auto [known, is_new] = numbers_of_cores_.try_emplace({core, too_large, operands}, 0);
  if (!is_new) return known->second;
  StreamingCore extended{accelerator_->cores[core], too_large};
  std::sort(extended.streamed.begin(), extended.streamed.end());
  if (!operands.empty()) {
    extended.accelerator = std::make_shared<Accelerator>(with_offchip_level(
        *extended.accelerator, *accelerator_->cores[*accelerator_->offchip_core], operands, rules_));
  }
  const auto equal = std::find_if(cores_.begin(), cores_.end(), [&](const StreamingCore& other) {
    return other.streamed == extended.streamed && *other.accelerator == *extended.accelerator;
  });
  known->second = static_cast<int>(equal - cores_.begin());
  if (equal == cores_.end()) cores_.push_back(std::move(extended));
  return known->second;
}

void keep_better_cost(std::shared_ptr<const Evaluation>& kept, std::shared_ptr<const Evaluation> other) {
  const auto key = [](const Evaluation& answer) {
    return std::pair(answer.latency_total2, answer.energy_total);
  };
  if (!kept || key(*other) < key(*kept)) kept = std::move(other);
}

const CoreCost* CoreCosts::find_exchanging(const ComputationNode& node, int core, int exchange_memory,
                                           const std::vector<int>& exchanged) const {
  const auto key_of = [](const ExchangingCost& entry) {
    return std::tie(entry.layer, entry.shape, entry.cost.core, entry.memory, entry.exchanged);
  };
  const auto wanted = std::tie(node.layer, node.shape, core, exchange_memory, exchanged);
  const auto found =
      std::lower_bound(exchanging.begin(), exchanging.end(), wanted,
                       [&](const ExchangingCost& entry, const auto& key) { return key_of(entry) < key; });
  return found != exchanging.end() && key_of(*found) == wanted ? &found->cost : nullptr;
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

  /// True if nodes of every shape have a mapping on a core.
  template <class Answer>
  bool runs(const std::vector<Answer>& answers, int layer, int core) const;
  /// The costs of a layer, each made of a piece, its entry and the answer.
  template <class Answer, class Made>
  CoreCosts::OfLayer row(int layer, const std::vector<Answer>& answers,
                         const std::vector<std::string>& reasons, const Made& made) const;

  const Entry* find(int layer, int shape, int core) const {
    for (const Entry& entry : layers[layer].shapes[shape].entries)
      if (entry.core == core) return &entry;
    return nullptr;
  }

  /// Operands (in equation order) whose accesses at the off-chip memory are asked of it.
  std::vector<int> moved_operands(const Entry& entry) const;
  CoreCost figures(const Entry& entry, const Evaluation& answer) const;
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

void check_core_allocation(const Workload& workload, const MultiCoreAccelerator& accelerator,
                           const Rules& rules) {
  Diagnostics problems;
  std::set<std::pair<std::string, std::int64_t>> known;  // of an entry of the mapping one layer is told
  for (const auto& layer : workload.layers)
    for (const std::int64_t core : layer->mapping.core_allocation)
      if (known.emplace(layer->mapping.name, core).second)
        usable(*layer, core, accelerator, rules, problems);
  problems.throw_if_errors();
}

std::vector<std::string> unrollings_passed_over(const Workload& workload,
                                                const MultiCoreAccelerator& accelerator) {
  std::vector<std::string> sentences;
  std::set<std::string> known;
  for (const auto& layer : workload.layers) {
    const LayerMapping& entry = layer->mapping;
    const bool prescribes = !entry.spatial_mapping.dimensions.empty();
    if ((!prescribes && entry.spatial_hints.empty()) || !known.insert(entry.name).second) continue;
    std::vector<std::string> cores;
    for (const std::int64_t core : entry.core_allocation) {
      if (core < 0 || core >= accelerator.core_count()) continue;
      const SpatialUnrolling& dataflows = accelerator.cores[static_cast<std::size_t>(core)]->dataflows;
      if (!dataflows.dimensions.empty() && dataflows != entry.spatial_mapping)
        cores.push_back(core_name(accelerator, static_cast<int>(core)));
    }
    if (cores.empty()) continue;
    const std::string key = prescribes ? "spatial_mapping" : "spatial_mapping_hint";
    const std::string place = entry.places.place(
        prescribes ? key + "." + entry.spatial_mapping.dimensions.front().array_dimension : key);
    sentences.push_back(
        fmt::format("{}{}{} of mapping entry '{}' is not used on cores that have dataflows: {}", place,
                    place.empty() ? "" : ": ", key, entry.name, fmt::join(cores, ", ")));
  }
  return sentences;
}

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

int CoreCostPlan::question_of(int layer, int shape, int core) const {
  const Parts::Entry* entry = parts_->find(layer, shape, core);
  return entry != nullptr ? entry->question : -1;
}

CoreCost CoreCostPlan::cost_of(int layer, int shape, int core,
                               const std::shared_ptr<const Evaluation>& answer) const {
  return parts_->cost(*parts_->find(layer, shape, core), *parts_->layers[layer].shapes[shape].piece,
                      answer);
}

std::vector<int> CoreCostPlan::Parts::moved_operands(const Entry& entry) const {
  const std::vector<int>& streamed = questions.streamed(entry.question);
  if (!rules.offchip_known_by_figures || !accelerator->offchip_core) return streamed;
  // Stream recognises the off-chip memory by its figures, so that a core's own may pass for it.
  const Memory& offchip = accelerator->cores[*accelerator->offchip_core]->memories.front();
  const std::vector<Memory>& own = accelerator->cores[entry.core]->memories;
  const Layer& layer = *questions.all()[entry.question].layer;
  std::vector<int> moved;
  for (int operand = 0; operand < static_cast<int>(layer.operands.size()); ++operand) {
    const bool streams = std::find(streamed.begin(), streamed.end(), operand) != streamed.end();
    const auto top = std::find_if(own.rbegin(), own.rend(), [&](const Memory& memory) {
      return memory.holds(layer.memory_operand(operand));
    });
    if (streams || (top != own.rend() && same_instance(*top, offchip))) moved.push_back(operand);
  }
  return moved;
}

CoreCost CoreCostPlan::Parts::figures(const Entry& entry, const Evaluation& answer) const {
  const CoreCostQuestion& question = questions.all()[entry.question];
  CoreCost cost;
  cost.core = entry.core;
  cost.streamed = questions.streamed(entry.question);
  cost.runtime = answer.latency_total1;
  for (const int operand : cost.streamed) {
    if (static_cast<std::size_t>(operand) >= answer.operands.size()) continue;
    const std::vector<LevelCost>& levels = answer.operands[operand].levels;
    if (!levels.empty()) cost.offchip_energy += levels.back().energy;
  }
  cost.onchip_energy = answer.energy_total - cost.offchip_energy;
  const OffchipDemand demand =
      offchip_demand(answer, *question.layer, *question.accelerator, moved_operands(entry), rules);
  cost.stream_read_elements = demand.read_elements;
  cost.stream_write_elements = demand.write_elements;
  cost.stream_read_bits = demand.read_bits;
  cost.stream_write_bits = demand.write_bits;
  return cost;
}

CoreCost CoreCostPlan::Parts::cost(const Entry& entry, const Layer& piece,
                                   const std::shared_ptr<const Evaluation>& answer) const {
  CoreCost cost = figures(entry, *answer);
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

CoreCost CoreCostPlan::cost_of(std::size_t question, const Evaluation& answer) const {
  return parts_->figures({0, static_cast<int>(question)}, answer);
}

template <class Answer>
bool CoreCostPlan::Parts::runs(const std::vector<Answer>& answers, int layer, int core) const {
  return std::all_of(layers[layer].shapes.begin(), layers[layer].shapes.end(), [&](const OfShape& shape) {
    return std::any_of(shape.entries.begin(), shape.entries.end(), [&](const Entry& entry) {
      return entry.core == core && answers[entry.question] != nullptr;
    });
  });
}

template <class Answer, class Made>
CoreCosts::OfLayer CoreCostPlan::Parts::row(int layer, const std::vector<Answer>& answers,
                                            const std::vector<std::string>& reasons,
                                            const Made& made) const {
  const OfLayer& asked = layers[layer];
  CoreCosts::OfLayer row;
  row.smaller.resize(asked.shapes.size() - 1);
  for (std::size_t shape = 0; shape < asked.shapes.size(); ++shape) {
    std::vector<CoreCost>& on = shape == 0 ? row.on : row.smaller[shape - 1].on;
    for (const Entry& entry : asked.shapes[shape].entries)
      if (runs(answers, layer, entry.core))
        on.push_back(made(entry, *asked.shapes[shape].piece, answers[entry.question]));
  }
  if (!row.on.empty()) return row;
  const auto& [piece, entries] = asked.shapes.front();
  const int core = entries.front().core;
  int question = entries.front().question;
  for (const OfShape& shape : asked.shapes)
    for (const Entry& entry : shape.entries)
      if (entry.core == core && !answers[entry.question]) question = entry.question;
  const std::string name = core_name(*accelerator, core);
  std::string text = fmt::format("layer '{}': its nodes cannot be mapped on {}{}", piece->name, name,
                                 entries.size() > 1 ? ", nor on any other candidate" : "");
  if (static_cast<std::size_t>(question) < reasons.size()) text += ": " + reasons[question];
  throw NoResult(text);
}

CoreCosts::OfLayer CoreCostPlan::costs(int layer,
                                       const std::vector<std::shared_ptr<const Evaluation>>& answers,
                                       const std::vector<std::string>& reasons) const {
  return parts_->row(layer, answers, reasons,
                     [&](const Parts::Entry& entry, const Layer& piece, const auto& answer) {
                       return parts_->cost(entry, piece, answer);
                     });
}

CoreCosts::OfLayer CoreCostPlan::costs(int layer,
                                       const std::vector<std::shared_ptr<const CoreCost>>& answers,
                                       const std::vector<std::string>& reasons) const {
  return parts_->row(layer, answers, reasons,
                     [](const Parts::Entry& entry, const Layer&, const auto& answer) {
                       CoreCost cost = *answer;
                       cost.core = entry.core;
                       return cost;
                     });
}

CoreCosts CoreCostPlan::costs(const std::vector<std::shared_ptr<const Evaluation>>& answers,
                              const std::vector<std::string>& reasons) const {
  CoreCosts costs;
  for (std::size_t layer = 0; layer < parts_->layers.size(); ++layer)
    costs.layers.push_back(this->costs(static_cast<int>(layer), answers, reasons));
  return costs;
}

}  // namespace zz::core
