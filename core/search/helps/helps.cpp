#include "core/search/helps/helps.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/quantities.hpp"
#include "core/cost/part_words.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/search/optimal/searched_space.hpp"
#include "core/search/temporal/loop_allocator.hpp"

namespace zz::core {
namespace {

constexpr double rounding = 1e-9;

bool equal(double a, double b) { return std::abs(a - b) <= rounding * std::max(std::abs(a), std::abs(b)); }

/// The score of an evaluation that has a cost model.
Score score_of(const Evaluation& evaluation, std::shared_ptr<const Accelerator> accelerator,
               const TemporalMapping& mapping) {
  const CostModel model(std::move(accelerator), evaluation.layer, evaluation.spatial_mapping,
                        evaluation.spatial_mapping_int, *evaluation.cost_model);
  return model.score(model.compact(mapping));
}

}  // namespace

std::string why_not_repeatable(const Evaluation& evaluation) {
  if (!evaluation.cost_model || !evaluation.accelerator || !evaluation.layer ||
      !evaluation.spatial_mapping || !evaluation.spatial_mapping_int || !evaluation.temporal_mapping)
    return "its evaluation does not say by which cost model and from which mapping it was made";
  try {
    const Score score = score_of(evaluation, evaluation.accelerator, *evaluation.temporal_mapping);
    if (equal(evaluation.times * score.latency_total2, evaluation.latency_total2) &&
        equal(evaluation.times * score.energy_total, evaluation.energy_total))
      return "";
  } catch (const InputError& problem) {
    return fmt::format("its mapping cannot be evaluated again: {}", problem.what());
  }
  return "a stage changed its figures after the cost model";
}

namespace {

Memory* find_memory(Accelerator& accelerator, const std::string& name) {
  const int index = accelerator.memory_index(name);
  return index < 0 ? nullptr : &accelerator.memories[static_cast<std::size_t>(index)];
}

}  // namespace

void widen(Accelerator& accelerator, const std::string& memory, const std::string& port,
           std::int64_t factor) {
  Memory* const found = find_memory(accelerator, memory);
  if (found == nullptr) return;
  for (Port& one : found->ports)
    if (one.name == port) one.bandwidth_max *= factor;
}

void enlarge(Accelerator& accelerator, const std::string& memory, std::int64_t factor) {
  if (Memory* const found = find_memory(accelerator, memory)) found->size *= factor;
}

void give_own_port(Accelerator& accelerator, const std::string& memory, const std::string& port,
                   const PortAllocation& use) {
  Memory* const found = find_memory(accelerator, memory);
  if (found == nullptr) return;
  for (Port& shared : found->ports) {
    if (shared.name != port || std::erase(shared.allocation, use) == 0) continue;
    Port own = shared;
    own.name += " of " + use.operand;
    own.allocation = {use};
    found->ports.push_back(std::move(own));
    return;
  }
}

namespace {

/// A port, an operand's use of it, or a memory, by names that different accelerators may share.
struct Part {
  std::string memory, port;
  std::string memory_operand;  ///< of a use
  Direction direction = Direction::read_to_low;

  bool operator==(const Part&) const = default;
  std::string name() const { return memory + "." + port; }
};

/// Latency and energy of all layers.
struct Totals {
  double latency = 0, energy = 0;
};

class HelpSearch {
 public:
  HelpSearch(std::span<const Evaluation* const> layers, const HelpOptions& options) : options_(options) {
    std::map<std::string, int> stay;
    for (const Evaluation* layer : layers) {
      const std::string reason = why_not_repeatable(*layer);
      layers_.push_back({layer, reason.empty()});
      now_.latency += layer->latency_total2;
      now_.energy += layer->energy_total;
      if (!reason.empty()) {
        ++stay[reason];
        continue;
      }
      ++helps_.repeatable;
      list_parts(*layer);
      for (const LatencyPart& part : layer->latency_parts) {
        if (!part.behind.empty()) behind_[part.behind] += part.cycles;
        limits_[part.limiter()] += part.cycles;
      }
    }
    for (const auto& [reason, count] : stay)
      helps_.not_known.push_back(layers.size() == 1 ? reason
                                                    : fmt::format("{} of {} layers stay as they are: {}",
                                                                  count, layers.size(), reason));
  }

  Helps find() {
    std::vector<double> saved;  // by port
    for (const Part& port : ports_) {
      saved.push_back(offer_same("wider", wider_words({port}), [&](Accelerator& chip) {
        widen(chip, port.memory, port.port, options_.factor);
      }));
      for (const auto& [use, words] : uses_)
        if (use.memory == port.memory && use.port == port.port)
          offer_same("split", fmt::format("{}: {} through a port of its own", use.memory, words),
                     [&, &use = use](Accelerator& chip) {
                       give_own_port(chip, use.memory, use.port, {use.memory_operand, use.direction});
                     });
    }
    for (const Part& memory : memories_) offer_memory(memory);
    offer_together(saved.empty() ? 0 : *std::max_element(saved.begin(), saved.end()));
    if (options_.search) offer_unrollings();
    std::erase_if(helps_.found,
                  [&](const Help& help) { return help.saved < options_.least * now_.latency; });
    std::stable_sort(helps_.found.begin(), helps_.found.end(), [](const Help& a, const Help& b) {
      return a.saved != b.saved ? a.saved > b.saved : a.changes < b.changes;
    });
    return std::move(helps_);
  }

 private:
  struct LayerAtHand {
    const Evaluation* evaluation;
    bool repeatable;
  };
  using Change = std::function<void(Accelerator&)>;

  template <class List, class One>
  static void add_once(List& list, const One& one) {
    if (std::find(list.begin(), list.end(), one) == list.end()) list.push_back(one);
  }

  void list_parts(const Evaluation& evaluation) {
    for (const PortFigures& port : evaluation.ports) {
      add_once(ports_, Part{port.memory, port.port, {}, {}});
      add_once(memories_, Part{port.memory, {}, {}, {}});
      if (port.uses.size() < 2) continue;
      for (const PortUseFigures& use : port.uses) {
        const auto direction = std::find(direction_names.begin(), direction_names.end(), use.direction) -
                               direction_names.begin();
        const Part part{port.memory, port.port,
                        evaluation.layer->memory_operand(evaluation.layer->operand_index(use.operand)),
                        static_cast<Direction>(direction)};
        if (std::none_of(uses_.begin(), uses_.end(), [&](const auto& one) { return one.first == part; }))
          uses_.emplace_back(part, words_of_use(use.operand, use.direction));
      }
    }
  }

  std::string wider_words(std::span<const Part> ports) const {
    std::string words;
    for (std::size_t i = 0; i < ports.size(); ++i)
      words += fmt::format("{}{} {}",
                           i == 0                  ? ""
                           : i + 1 == ports.size() ? " and "
                                                   : ", ",
                           ports[i].memory, ports[i].port);
    return fmt::format("{} {} x as wide", words, options_.factor);
  }
  std::string wider_words(std::initializer_list<Part> ports) const {
    return wider_words(std::span<const Part>(ports.begin(), ports.size()));
  }

  /// All layers on changed accelerators; `value` gives a layer's figures there, once.
  template <class Value>
  Totals changed(const Change& change, const Value& value) {
    std::map<const Accelerator*, std::shared_ptr<const Accelerator>> chips;
    Totals totals;
    for (const LayerAtHand& layer : layers_) {
      const Evaluation& before = *layer.evaluation;
      if (!layer.repeatable) {
        totals.latency += before.latency_total2;
        totals.energy += before.energy_total;
        continue;
      }
      std::shared_ptr<const Accelerator>& chip = chips[before.accelerator.get()];
      if (chip == nullptr) {
        auto made = std::make_shared<Accelerator>(*before.accelerator);
        change(*made);
        chip = std::move(made);
      }
      const Totals now = value(layer, chip);
      totals.latency += before.times * now.latency;
      totals.energy += before.times * now.energy;
    }
    return totals;
  }

  Totals same_mapping(const Change& change) {
    return changed(change, [](const LayerAtHand& layer, const std::shared_ptr<const Accelerator>& chip) {
      const Score score = score_of(*layer.evaluation, chip, *layer.evaluation->temporal_mapping);
      return Totals{score.latency_total2, score.energy_total};
    });
  }

  /// Adds what `cost` gives for a change, or why it cannot be told. What it saves.
  template <class Cost>
  double offer(const std::string& words, const Cost& cost) {
    try {
      helps_.found.push_back(cost());
      return helps_.found.back().saved;
    } catch (const InputError& problem) {
      helps_.not_known.push_back(fmt::format("{}: {}", words, problem.what()));
      return 0;
    }
  }

  double offer_same(const char* kind, const std::string& words, const Change& change, int changes = 1) {
    return offer(words, [&] {
      const double latency = same_mapping(change).latency;
      return Help{kind, words, "same, exact", latency, now_.latency - latency, {}, changes};
    });
  }

  /// With the same cuts, which may get second buffers, or the same order shared out anew, which may lose
  /// some.
  void offer_memory(const Part& memory) {
    const std::string words = fmt::format("{} {} x as large", memory.memory, options_.factor);
    offer(words, [&] {
      bool anew = false;
      const Totals totals =
          changed([&](Accelerator& chip) { enlarge(chip, memory.memory, options_.factor); },
                  [&](const LayerAtHand& layer, const std::shared_ptr<const Accelerator>& chip) {
                    const Evaluation& before = *layer.evaluation;
                    const Score same = score_of(before, chip, *before.temporal_mapping);
                    const Score shared = shared_out_anew(layer, chip);
                    const bool better = shared.latency_total2 < same.latency_total2;
                    anew = anew || better;
                    return better ? Totals{shared.latency_total2, shared.energy_total}
                                  : Totals{same.latency_total2, same.energy_total};
                  });
      return Help{"memory",
                  words,
                  anew ? "same order, shared out anew" : "same, exact",
                  totals.latency,
                  now_.latency - totals.latency,
                  totals.energy,
                  1};
    });
  }

  static Score shared_out_anew(const LayerAtHand& layer, const std::shared_ptr<const Accelerator>& chip) {
    const Evaluation& before = *layer.evaluation;
    try {
      const TemporalMapping mapping =
          allocate_loop_order(*before.layer, *chip, *before.spatial_mapping, before.temporal_mapping->loops,
                              before.temporal_mapping->type, before.cost_model->rules);
      return score_of(before, chip, mapping);
    } catch (const NoResult&) {
      return {infinite, infinite, infinite};
    }
  }

  void widen_all(Accelerator& chip, std::span<const Part> ports) const {
    for (const Part& port : ports) widen(chip, port.memory, port.port, options_.factor);
  }

  /// The ports that limit, wider one after the other until that saves most of what all of them would.
  void offer_together(double saved_by_one) {
    constexpr double most = 0.9;
    const auto limit = [&](const Part& port) {
      const auto found = limits_.find(port.name());
      return found == limits_.end() ? 0.0 : found->second;
    };
    std::vector<Part> ports;
    std::copy_if(ports_.begin(), ports_.end(), std::back_inserter(ports),
                 [&](const Part& port) { return limit(port) > 0; });
    std::stable_sort(ports.begin(), ports.end(),
                     [&](const Part& a, const Part& b) { return limit(a) > limit(b); });
    const auto saved = [&](std::size_t count) {
      return now_.latency - same_mapping([&](Accelerator& chip) {
                              widen_all(chip, std::span(ports).first(count));
                            }).latency;
    };
    const double by_all = saved(ports.size());
    if (ports.size() < 2 || saved_by_one >= most * by_all) return;
    std::size_t count = 2;
    while (count < ports.size() && saved(count) < most * by_all) ++count;
    ports.resize(count);
    offer_same(
        "together", wider_words(ports), [&](Accelerator& chip) { widen_all(chip, ports); },
        static_cast<int>(count));
  }

  void offer_unrollings() {
    offer_search("unrolling", "another unrolling", {});
    double behind = 0;
    std::vector<Part> ports;
    for (const Part& port : ports_) {
      const auto found = behind_.find(port.name());
      if (found == behind_.end()) continue;
      behind += found->second;
      ports.push_back(port);
    }
    constexpr double much = 0.2;
    if (behind > much * now_.latency)
      offer_search("unrolling and ports", fmt::format("another unrolling, {}", wider_words(ports)), ports);
  }

  void offer_search(const char* kind, const std::string& words, const std::vector<Part>& ports) {
    offer(words, [&] {
      double bound = 0;
      const Totals totals =
          changed([&](Accelerator& chip) { widen_all(chip, ports); },
                  [&](const LayerAtHand& layer, const std::shared_ptr<const Accelerator>& chip) {
                    const Evaluation& before = *layer.evaluation;
                    Totals best{before.latency_total2 / before.times, before.energy_total / before.times};
                    double layer_bound = 0;
                    search(layer, chip, best, layer_bound);
                    bound += before.times * std::min(layer_bound, best.latency);
                    return best;
                  });
      const double gap = bound > 0 ? totals.latency / bound - 1 : infinite;
      const std::string mapping =
          gap <= rounding   ? "searched, proven best"
          : gap == infinite ? "searched, nothing proven"
                            : fmt::format("searched, at most {} above the best", percent_text(gap));
      return Help{kind,
                  words,
                  mapping,
                  totals.latency,
                  now_.latency - totals.latency,
                  ports.empty() ? std::optional(totals.energy) : std::nullopt,
                  static_cast<int>(ports.size()) + 1};
    });
  }

  void search(const LayerAtHand& layer, const std::shared_ptr<const Accelerator>& chip, Totals& best,
              double& bound) {
    Layer free = *layer.evaluation->layer;
    free.mapping.spatial_mapping = {};
    JointOptions options;
    options.objective = Objective::latency;
    options.mixed = true;
    options.model = *layer.evaluation->cost_model;
    options.factors = usual_factors(options.model.rules);
    options.limits.seconds = options_.seconds;
    options.limits.cancelled = options_.cancelled;
    const double space = figure_of(space_of(options, free, *chip));
    searched_ = searched_ ? figure_of_both(*searched_, space) : space;
    helps_.among = words_of(space_of_figure(*searched_));
    try {
      const JointOptimum optimum = find_joint_optimum(free, chip, options);
      bound = optimum.certificate.lower_bound;
      if (!optimum.certificate.found()) return;
      const MappingProblem& problem = optimum.problem;
      const CostModel model(problem.accelerator, problem.layer, problem.fractional, problem.integral,
                            options.model);
      const Score score = model.score(optimum.certificate.mapping);
      if (score.latency_total2 < best.latency) best = {score.latency_total2, score.energy_total};
    } catch (const NoResult&) {
      bound = 0;
    }
  }

  const HelpOptions& options_;
  std::vector<LayerAtHand> layers_;
  Totals now_;
  std::vector<Part> ports_, memories_;              ///< in the order of the file
  std::vector<std::pair<Part, std::string>> uses_;  ///< of ports that several share, with words
  std::map<std::string, double> behind_, limits_;   ///< cycles by port
  std::optional<double> searched_;                  ///< space of all searches, as its figure
  Helps helps_;
};

}  // namespace

Helps helps_for(std::span<const Evaluation* const> layers, const HelpOptions& options) {
  return HelpSearch(layers, options).find();
}

}  // namespace zz::core
