#include "core/answers/changes.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <fmt/format.h>
#include <mutex>
#include <utility>

#include "core/answers/known_mapping.hpp"
#include "core/base/diagnostics.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/search/helps/helps.hpp"
#include "core/search/locality/unused_memories.hpp"
#include "core/search/optimal/joint_question.hpp"

namespace zz::core {

std::string name_of(const MachinePart& part) {
  return part.port.empty() ? part.name : part.name + " " + part.port;
}

std::string words_of(std::span<const MachinePart> parts, std::int64_t factor) {
  std::string words;
  for (const MachinePart& part : parts) {
    if (!words.empty()) words += " and ";
    switch (part.kind) {
      case MachinePart::Kind::port:
        words += fmt::format("{} {} x as wide", name_of(part), factor);
        break;
      case MachinePart::Kind::own_port:
        words += fmt::format("{}: a port of its own for written sums", part.name);
        break;
      case MachinePart::Kind::memory:
        words += fmt::format("{} {} x as large", part.name, factor);
        break;
      case MachinePart::Kind::array:
        words += fmt::format("{} {} x as long", part.name, factor);
        break;
      case MachinePart::Kind::kept:
        words += fmt::format("{} kept in {}", part.name, part.port);
        break;
      case MachinePart::Kind::precision:
        words += fmt::format("{} of half as many bits", part.name);
        break;
    }
  }
  return words;
}

namespace {

/// Indices into Accelerator::memories of those that an operand of the layer uses, lowest first.
std::vector<int> memories_of(const Accelerator& accelerator, const Layer& layer, int operand) {
  const MemoryHierarchy& hierarchy = accelerator.hierarchy();
  const int index = hierarchy.operand_index(layer.memory_operand(operand));
  return index < 0 ? std::vector<int>{} : hierarchy.levels[static_cast<std::size_t>(index)];
}

void add_parts_for_energy(std::vector<MachinePart>& parts, const Accelerator& accelerator,
                          const Layer& layer) {
  for (int operand = 0; operand < static_cast<int>(layer.operands.size()); ++operand) {
    const std::string& name = layer.operands[static_cast<std::size_t>(operand)].name;
    const std::vector<int> memories = memories_of(accelerator, layer, operand);
    if (memories.size() > 1)
      parts.push_back({MachinePart::Kind::kept, name,
                       accelerator.memories[static_cast<std::size_t>(memories[memories.size() - 2])].name});
  }
  for (const LayerOperand& operand : layer.operands)
    if (operand.precision % 2 == 0) parts.push_back({MachinePart::Kind::precision, operand.name, {}});
}

/// A port that moves all that its memory holds in one access, or to a unit of its own the whole words that
/// this takes a cycle: a wider one moves nothing sooner.
bool is_wide_enough(const Accelerator& accelerator, const Memory& memory, const Port& port,
                    const Layer& layer) {
  if (port.efficiency != 1) return false;
  if (memory.size <= port.bandwidth_max) return true;
  if (accelerator.instances(memory) != accelerator.array.unit_count()) return false;
  return std::all_of(port.allocation.begin(), port.allocation.end(), [&](const PortAllocation& service) {
    const int operand = layer.operand_assigned_to(service.operand);
    const bool to_units =
        service.direction == Direction::read_to_low || service.direction == Direction::write_from_low;
    if (!to_units || operand < 0) return false;
    const LayerOperand& tensor = layer.operands[static_cast<std::size_t>(operand)];
    return tensor.precision + tensor.scale.bits <= port.bandwidth_max;
  });
}

/// The writing of sums to the memory.
PortAllocation written_sums(const Layer& layer) {
  return {layer.memory_operand(0), Direction::write_from_low};
}

/// True if the units read and write sums through the same port of the memory that is the lowest for them.
bool shares_sums(const Accelerator& accelerator, const Memory& memory, const Port& port,
                 const Layer& layer) {
  const std::vector<int> memories = memories_of(accelerator, layer, 0);
  if (memories.empty() || &accelerator.memories[static_cast<std::size_t>(memories.front())] != &memory)
    return false;
  const auto serves = [&](const PortAllocation& use) {
    return std::find(port.allocation.begin(), port.allocation.end(), use) != port.allocation.end();
  };
  return serves(written_sums(layer)) && serves({layer.memory_operand(0), Direction::read_to_low});
}

}  // namespace

std::vector<MachinePart> parts_of(const Accelerator& accelerator, const Layer& layer, Objective objective) {
  const auto serves = [&](const Memory& memory, const Port* port) {
    return std::any_of(layer.mapping.memory_operands.begin(), layer.mapping.memory_operands.end(),
                       [&](const OperandAssignment& one) {
                         if (port == nullptr) return memory.holds(one.memory_operand);
                         return std::any_of(port->allocation.begin(), port->allocation.end(),
                                            [&](const PortAllocation& service) {
                                              return service.operand == one.memory_operand;
                                            });
                       });
  };
  const bool timed = objective == Objective::latency;
  std::vector<MachinePart> parts;
  for (const Memory& memory : accelerator.memories) {
    if (timed)
      for (const Port& port : memory.ports) {
        if (serves(memory, &port) && !is_wide_enough(accelerator, memory, port, layer))
          parts.push_back({MachinePart::Kind::port, memory.name, port.name});
        if (shares_sums(accelerator, memory, port, layer))
          parts.push_back({MachinePart::Kind::own_port, memory.name, port.name});
      }
    if (serves(memory, nullptr)) parts.push_back({MachinePart::Kind::memory, memory.name, {}});
  }
  if (timed)
    for (const ArrayDimension& dimension : accelerator.array.dimensions)
      parts.push_back({MachinePart::Kind::array, dimension.name, {}});
  else
    add_parts_for_energy(parts, accelerator, layer);
  return parts;
}

namespace {

/// The prescription along an array dimension grows with it where it fills it: an architect who builds more
/// columns spreads more over them.
void lengthen(Accelerator& accelerator, Layer& layer, const std::string& name, std::int64_t factor) {
  for (ArrayDimension& dimension : accelerator.array.dimensions) {
    if (dimension.name != name) continue;
    for (ArrayUnrolling& prescribed : layer.mapping.spatial_mapping.dimensions) {
      if (prescribed.array_dimension != name || prescribed.loops.empty()) continue;
      std::int64_t units = 1;
      for (const SpatialLoop& loop : prescribed.loops) units *= loop.factor;
      if (2 * units > dimension.size) prescribed.loops.back().factor *= factor;
    }
    dimension.size *= factor;
  }
}

void halve(Layer& layer, const std::string& operand) {
  for (LayerOperand& one : layer.operands)
    if (one.name == operand) one.precision /= 2;
  if (layer.operands.front().name == operand) layer.final_output_precision /= 2;
}

std::shared_ptr<const Accelerator> kept_below(const Accelerator& accelerator, const Layer& layer,
                                              const std::string& operand, const std::string& memory) {
  const std::int64_t most = static_cast<std::int64_t>(accelerator.memories.size()) - 1;
  const std::int64_t level = accelerator.memory_index(memory);
  const OperandRoles roles = operand_roles(layer);
  const int index = layer.operand_index(operand);
  LayerDataLevels levels{layer.id, layer.name, most, most};
  std::int64_t weights = most;
  (index == 0 ? levels.output : index == roles.activation ? levels.activation : weights) = level;
  return std::make_shared<const Accelerator>(
      without_unused_memories(accelerator, layer, levels, weights, Rules{}));
}

}  // namespace

MachineChange changed(const Accelerator& accelerator, const Layer& layer,
                      std::span<const MachinePart> parts, std::int64_t factor) {
  MachineChange machine{nullptr, layer};
  Accelerator made = accelerator;
  for (const MachinePart& part : parts) {
    switch (part.kind) {
      case MachinePart::Kind::port:
        widen(made, part.name, part.port, factor);
        break;
      case MachinePart::Kind::own_port:
        give_own_port(made, part.name, part.port, written_sums(machine.layer));
        break;
      case MachinePart::Kind::memory:
        enlarge(made, part.name, factor);
        break;
      case MachinePart::Kind::array:
        lengthen(made, machine.layer, part.name, factor);
        break;
      case MachinePart::Kind::kept:
        made = Accelerator(*kept_below(made, machine.layer, part.name, part.port));
        break;
      case MachinePart::Kind::precision:
        halve(machine.layer, part.name);
        break;
    }
  }
  machine.accelerator = std::make_shared<const Accelerator>(std::move(made));
  return machine;
}

namespace {

/// A question that one or several of the layers ask.
struct Asked {
  std::shared_ptr<const Accelerator> accelerator;
  Layer layer;
  JointOptions options;
  std::vector<std::size_t> askers;  ///< of the layers as given
  std::string not_known;
  double kept = infinite;  ///< of the mapping that the layer has
  bool searched = false;   ///< it is the answer to this question
  MappedFigure now;
  std::shared_ptr<const JointOptimum> optimum;
};

double value_of_layer(const Evaluation& evaluation, Objective objective) {
  return value_of(objective, evaluation.energy_total, evaluation.latency_total2);
}

Asked asked_by(const Evaluation& given, Objective objective) {
  const Evaluation& evaluation = asked_of(given);
  Asked asked;
  asked.not_known = why_not_repeatable(evaluation);
  if (!asked.not_known.empty()) return asked;
  asked.accelerator = evaluation.accelerator;
  JointQuestion question = question_of(evaluation);
  asked.layer = std::move(question.layer);
  asked.options = std::move(question.options);
  asked.kept = value_of_layer(evaluation, objective) / evaluation.times;
  asked.searched = evaluation.question != nullptr && asked.options.objective == objective;
  if (asked.options.objective == objective) return asked;
  asked.options.objective = objective;
  asked.options.within.reset();
  return asked;
}

class ChangeSearch {
 public:
  ChangeSearch(std::span<const Evaluation* const> layers, Optima& optima, const ChangeOptions& options)
      : layers_(layers), optima_(optima), options_(options) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      Asked asked = asked_by(*layers[i], options.objective);
      Asked* same = same_as(asked);
      if (same == nullptr) same = &asked_.emplace_back(std::move(asked));
      same->askers.push_back(i);
    }
  }

  Changes find() {
    for_each(asked_.size(), [&](std::uint32_t i) { map_as_it_is(asked_[i]); });
    for (const Asked& asked : asked_) {
      if (!asked.not_known.empty()) continue;
      const std::vector<MachinePart> parts =
          options_.only.empty() ? parts_of(*asked.accelerator, asked.layer, options_.objective)
                                : options_.only;
      for (const MachinePart& part : parts)
        if (std::none_of(tried_.begin(), tried_.end(),
                         [&](const Tried& one) { return one.parts[0] == part; }))
          tried_.push_back({{part}, std::vector<MappedFigure>(asked_.size())});
    }
    const std::size_t singles = tried_.size(), questions = asked_.size();
    for_each(singles * questions, [&](std::uint32_t i) {
      Tried& tried = tried_[i / questions];
      tried.found[i % questions] = mapped(asked_[i % questions], tried.parts).figure;
    });
    if (options_.only.empty() && options_.objective == Objective::latency) try_pairs();
    return result();
  }

 private:
  struct Tried {
    std::vector<MachinePart> parts;
    std::vector<MappedFigure> found;  ///< by question
  };
  struct Mapped {
    MappedFigure figure;
    std::shared_ptr<const JointOptimum> optimum = nullptr;  ///< null: the one of now
  };

  Asked* same_as(const Asked& asked) {
    for (Asked& other : asked_)
      if (asked.not_known.empty() && other.not_known.empty() && other.accelerator == asked.accelerator &&
          same_work(other.layer, asked.layer))
        return &other;
    return nullptr;
  }

  /// Throws the first exception when all calls have ended.
  void for_each(std::size_t count, const std::function<void(std::uint32_t)>& body) {
    std::exception_ptr failure;
    std::atomic<std::size_t> done{0};
    const auto tell = [&](std::size_t ended) {
      if (options_.progress && count > 0) options_.progress(ended, count);
    };
    const auto guarded = [&](std::uint32_t i) {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (failure == nullptr) failure = std::current_exception();
      }
      tell(++done);
    };
    tell(0);
    if (options_.parallel)
      options_.parallel(static_cast<std::uint32_t>(count), guarded);
    else
      for (std::uint32_t i = 0; i < count; ++i) guarded(i);
    if (failure != nullptr) std::rethrow_exception(failure);
  }

  bool is_cancelled() const { return options_.cancelled && options_.cancelled(); }

  void map_as_it_is(Asked& asked) {
    if (!asked.not_known.empty()) return;
    try {
      JointOptions options = asked.options;
      options.limits.cancelled = options_.cancelled;
      constexpr double changes = 4;  // the machine as it is bears on the answers to all of them
      if (!asked.searched)
        options.limits.seconds = std::min(options.limits.seconds, changes * options_.seconds);
      asked.optimum = optima_.of(asked.layer, asked.accelerator, options).optimum;
      asked.now = {asked.optimum->certificate.value, asked.optimum->certificate.lower_bound};
      // A search that time ended may have less than the run.
      asked.now.value = std::min(asked.now.value, asked.kept);
      if (!asked.optimum->certificate.found()) asked.not_known = "no mapping of it was found in time";
    } catch (const NoResult&) {
      asked.not_known = "no search finds a mapping of it";
    } catch (const InputError& problem) {
      asked.not_known = fmt::format("it cannot be mapped anew: {}", problem.what());
    }
  }

  bool bears_on(std::span<const MachinePart> parts, const Asked& asked) const {
    const std::vector<MachinePart> own = parts_of(*asked.accelerator, asked.layer, options_.objective);
    return std::any_of(parts.begin(), parts.end(), [&](const MachinePart& part) {
      return std::find(own.begin(), own.end(), part) != own.end();
    });
  }

  /// The layer on a machine with the change; as now where that does not help, or there is no such machine.
  Mapped mapped(const Asked& asked, std::span<const MachinePart> parts) {
    if (!asked.not_known.empty() || !bears_on(parts, asked) || is_cancelled()) return {asked.now};
    try {
      const MachineChange machine = changed(*asked.accelerator, asked.layer, parts, options_.factor);
      JointOptions options = asked.options;
      options.within.reset();
      options.limits.cancelled = options_.cancelled;
      options.limits.gap = std::max(options.limits.gap, options_.least);
      options.limits.seconds = options_.seconds;
      // A kept operand has other levels, and a start has what is prescribed.
      if (parts.front().kind != MachinePart::Kind::kept && machine.layer.mapping == asked.layer.mapping)
        options.start = std::make_shared<const JointOptions::Start>(
            JointOptions::Start{asked.optimum->unrolling, asked.optimum->certificate.mapping});
      const auto optimum = optima_.of(machine.layer, machine.accelerator, options).optimum;
      const MappedFigure anew{optimum->certificate.value, optimum->certificate.lower_bound};
      if (anew.value < asked.now.value * (1 - rounding_tolerance)) return {anew, optimum};
      return {{asked.now.value, std::min(asked.now.value, anew.bound)}};
    } catch (const NoResult&) {
      return {asked.now};
    } catch (const InputError& problem) {
      const std::lock_guard lock(mutex_);
      const std::string told = fmt::format("{}: {}", words_of(parts, options_.factor), problem.what());
      if (std::find(not_costed_.begin(), not_costed_.end(), told) == not_costed_.end())
        not_costed_.push_back(told);
      return {asked.now};
    }
  }

  /// Two parts together, of those without which the machine that has all of them larger loses most.
  void try_pairs() {
    const std::size_t singles = tried_.size(), questions = asked_.size();
    std::vector<std::vector<std::size_t>> parts(questions);
    for_each(questions, [&](std::uint32_t question) {
      const Asked& asked = asked_[question];
      const double enough = asked.now.value * (1 - options_.pairs_below);
      const bool gains = std::any_of(tried_.begin(), tried_.end(), [&](const Tried& tried) {
        return tried.found[question].value <= enough;
      });
      if (asked.not_known.empty() && !gains) parts[question] = most_needed(asked, singles, enough);
    });
    std::vector<std::pair<std::size_t, std::uint32_t>> searches;  // of what, for which question
    for (std::uint32_t question = 0; question < questions; ++question) {
      for (std::size_t a = 0; a < parts[question].size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
          searches.emplace_back(pair_of(parts[question][b], parts[question][a]), question);
    }
    for_each(searches.size(), [&](std::uint32_t i) {
      const auto [pair, question] = searches[i];
      MappedFigure& found = tried_[pair].found[question];
      const Mapped both = mapped(asked_[question], tried_[pair].parts);
      if (both.figure.value < found.value) found = both.figure;
    });
  }

  /// The place in tried_ of two singles, which begins with the better of both for each question.
  std::size_t pair_of(std::size_t a, std::size_t b) {
    const std::vector<MachinePart> parts = {tried_[a].parts[0], tried_[b].parts[0]};
    for (std::size_t i = 0; i < tried_.size(); ++i)
      if (tried_[i].parts == parts) return i;
    Tried pair{parts, tried_[a].found};
    for (std::size_t i = 0; i < pair.found.size(); ++i)
      if (tried_[b].found[i].value < pair.found[i].value) pair.found[i] = tried_[b].found[i];
    tried_.push_back(std::move(pair));
    return tried_.size() - 1;
  }

  std::vector<std::size_t> most_needed(const Asked& asked, std::size_t singles, double enough) {
    constexpr std::size_t most = 4;
    std::vector<MachinePart> all;
    for (std::size_t i = 0; i < singles; ++i) all.push_back(tried_[i].parts[0]);
    const Mapped with_all = mapped(asked, all);
    if (with_all.optimum == nullptr || with_all.figure.value > enough) return {};
    const KnownMapping known{with_all.optimum->unrolling, with_all.optimum->certificate.mapping};
    const MachineChange larger = changed(*asked.accelerator, asked.layer, all, options_.factor);
    const TriedMapping tried(known, larger.layer, larger.accelerator, asked.options.model);
    std::vector<std::pair<double, std::size_t>> loss;
    for (std::size_t i = 0; i < singles; ++i) {
      std::vector<MachinePart> others = all;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      double value = infinite;
      if (all[i].kind != MachinePart::Kind::array)
        value = tried.value(changed(*asked.accelerator, asked.layer, others, options_.factor).accelerator,
                            options_.objective);
      else if (fits_along(known.unrolling, *asked.accelerator->array.find(all[i].name)))
        value = with_all.figure.value;
      if (value > with_all.figure.value) loss.emplace_back(-value, i);
    }
    std::stable_sort(loss.begin(), loss.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::size_t> needed;
    for (const auto& [value, i] : loss)
      if (needed.size() < most) needed.push_back(i);
    std::sort(needed.begin(), needed.end());
    return needed;
  }

  static bool fits_along(const SpatialUnrolling& unrolling, const ArrayDimension& dimension) {
    std::int64_t units = 1;
    if (const ArrayUnrolling* along = unrolling.find(dimension.name))
      for (const SpatialLoop& loop : along->loops) units *= loop.factor;
    return units <= dimension.size;
  }

  /// So often the figure of what was asked for is in that of the row.
  double times_of(const Evaluation& evaluation, double kept) const {
    if (!evaluation.typical) return evaluation.times;
    const Evaluation& one = *evaluation.typical;
    return one.times * kept / value_of_layer(one, options_.objective);
  }

  Changes result() const {
    Changes changes;
    const std::size_t layers = layers_.size();
    changes.now.resize(layers);
    changes.not_known.resize(layers);
    changes.not_costed = not_costed_;
    for (const Tried& tried : tried_)
      changes.changes.push_back({tried.parts, std::vector<MappedFigure>(layers)});
    for (std::size_t question = 0; question < asked_.size(); ++question) {
      const Asked& asked = asked_[question];
      for (const std::size_t layer : asked.askers) {
        const double kept = value_of_layer(*layers_[layer], options_.objective);
        const double times = times_of(*layers_[layer], kept);
        const auto counted = [&](const MappedFigure& one) {
          return MappedFigure{one.value * times, one.bound * times};
        };
        const bool known = asked.not_known.empty();
        changes.not_known[layer] = asked.not_known;
        changes.now[layer] = known ? counted(asked.now) : MappedFigure{kept, kept};
        for (std::size_t i = 0; i < tried_.size(); ++i)
          changes.changes[i].by_layer[layer] =
              known ? counted(tried_[i].found[question]) : changes.now[layer];
      }
    }
    return changes;
  }

  std::span<const Evaluation* const> layers_;
  Optima& optima_;
  const ChangeOptions& options_;
  std::vector<Asked> asked_;
  std::vector<Tried> tried_;
  std::mutex mutex_;
  std::vector<std::string> not_costed_;
};

}  // namespace

Changes changes_of(std::span<const Evaluation* const> layers, Optima& optima,
                   const ChangeOptions& options) {
  return ChangeSearch(layers, optima, options).find();
}

namespace {

MappedFigure sum_over(std::span<const std::size_t> layers, const std::vector<MappedFigure>& by_layer) {
  MappedFigure all;
  for (const std::size_t layer : layers) {
    all.value += by_layer[layer].value;
    all.bound += by_layer[layer].bound;
  }
  return all;
}

}  // namespace

std::vector<Saving> savings_of(const Changes& changes, std::span<const std::size_t> layers,
                               const ChangeOptions& options) {
  const double now = sum_over(layers, changes.now).value;
  std::vector<Saving> found;
  double by_one = 0;
  for (const Change& change : changes.changes) {
    const MappedFigure anew = sum_over(layers, change.by_layer);
    const double saved = now - anew.value;
    const bool pair = change.parts.size() > 1;
    if (!pair) by_one = std::max(by_one, saved);
    if (pair && by_one >= options.pairs_below * now) continue;
    if (saved < options.least * now || (pair && saved < by_one + options.least * now)) continue;
    found.push_back({change.parts, words_of(change.parts, options.factor), anew.value, saved, anew.bound});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Saving& a, const Saving& b) { return a.saved > b.saved; });
  return found;
}

std::size_t open_changes(const Changes& changes, std::span<const std::size_t> layers,
                         const ChangeOptions& options) {
  const double now = sum_over(layers, changes.now).value;
  std::size_t open = 0;
  for (const Change& change : changes.changes) {
    const MappedFigure anew = sum_over(layers, change.by_layer);
    const bool told = now - anew.value >= options.least * now;
    const bool proven = anew.bound * (1 + options.least) >= now * (1 - rounding_tolerance);
    if (change.parts.size() == 1 && !told && !proven) ++open;
  }
  return open;
}

}  // namespace zz::core
