#include "core/answers/known_mapping.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/answers/question.hpp"
#include "core/base/diagnostics.hpp"
#include "core/cost/cost_model.hpp"
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/spatial/spatial_space.hpp"
#include "core/search/temporal/loop_allocator.hpp"
#include "core/search/temporal/mapping_check.hpp"

namespace zz::core {
namespace {

using KnownJson = nlohmann::json;

/// Numbers with the zeros at the end left out.
template <class Array>
KnownJson shortened(const Array& numbers) {
  std::size_t size = numbers.size();
  while (size > 0 && numbers[size - 1] == 0) --size;
  return KnownJson(std::vector<int>(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(size)));
}

template <class Array>
void fill(const KnownJson& list, Array& numbers) {
  if (list.size() > numbers.size()) throw InputError("a mapping of a store has too many numbers");
  for (std::size_t i = 0; i < list.size(); ++i) numbers[i] = list[i].get<typename Array::value_type>();
}

}  // namespace

namespace {

/// Counts of 0 are left out, so that rows stay small.
void add_count(KnownJson& json, const char* name, std::uint64_t count) {
  if (count != 0) json[name] = count;
}

KnownJson json_of(const JointOptimum& optimum) {
  KnownJson unrolling = KnownJson::array();
  for (const ArrayUnrolling& array : optimum.unrolling.dimensions) {
    KnownJson loops = KnownJson::array();
    for (const SpatialLoop& loop : array.loops) loops.push_back({loop.dimension, loop.factor});
    unrolling.push_back({array.array_dimension, loops});
  }
  const CompactMapping& mapping = optimum.certificate.mapping;
  KnownJson loops = KnownJson::array();
  for (int i = 0; i < mapping.loops; ++i)
    loops.push_back(
        {mapping.dimension[static_cast<std::size_t>(i)], mapping.size[static_cast<std::size_t>(i)]});
  KnownJson allocated = KnownJson::array(), stationary = KnownJson::array();
  for (const auto& cuts : mapping.allocated) allocated.push_back(shortened(cuts));
  for (const auto& cuts : mapping.stationary) stationary.push_back(shortened(cuts));
  KnownJson json{{"u", unrolling}, {"l", loops}, {"a", allocated}, {"s", stationary}};
  add_count(json, "states", optimum.certificate.states);
  json["listed"] = optimum.spatial_mappings;
  add_count(json, "searched", optimum.searched);
  add_count(json, "passed_over", optimum.passed_over);
  if (optimum.prescribed) json["prescribed"] = true;
  if (optimum.chains) json["chains"] = true;
  if (optimum.brief) json["brief"] = true;
  if (optimum.narrower)
    json["narrower"] = {{"bound", optimum.narrower->lower_bound},
                        {"even", optimum.narrower->even},
                        {"chains", optimum.narrower->chains}};
  if (optimum.certificate.second_bound != 0) json["second_bound"] = optimum.certificate.second_bound;
  return json;
}

KnownMapping mapping_of(const KnownJson& json) {
  KnownMapping known;
  for (const KnownJson& array : json.at("u")) {
    ArrayUnrolling& entry = known.unrolling.dimensions.emplace_back();
    entry.array_dimension = array.at(0);
    for (const KnownJson& loop : array.at(1)) {
      SpatialLoop& one = entry.loops.emplace_back();
      one.dimension = loop.at(0);
      one.factor = loop.at(1);
      if (!(one.factor >= 1)) throw InputError("a mapping of a store unrolls a loop less than once");
    }
  }
  CompactMapping& mapping = known.mapping;
  const KnownJson& loops = json.at("l");
  if (loops.size() > mapping.size.size()) throw InputError("a mapping of a store has too many loops");
  mapping.loops = static_cast<int>(loops.size());
  for (std::size_t i = 0; i < loops.size(); ++i) {
    mapping.dimension[i] = loops[i].at(0);
    mapping.size[i] = loops[i].at(1);
  }
  for (std::size_t operand = 0; operand < json.at("a").size() && operand < mapping.allocated.size();
       ++operand) {
    fill(json["a"][operand], mapping.allocated[operand]);
    fill(json.at("s").at(operand), mapping.stationary[operand]);
  }
  return known;
}

/// Refuses numbers that name no loop of the layer, or ends of levels that are none: they are indices, and
/// the store may be a stranger's.
void check_numbers(const CompactMapping& mapping, const MappingProblem& problem) {
  const auto refuse = [] { throw InputError("a mapping of a store is none of this layer"); };
  for (std::size_t i = 0; i < static_cast<std::size_t>(mapping.loops); ++i)
    if (mapping.dimension[i] >= problem.layer->loops.size() || mapping.size[i] < 1) refuse();
  for (std::size_t operand = 0; operand < problem.layer->operands.size(); ++operand) {
    const std::size_t levels = problem.fractional->operands[operand].levels.size() - 1;
    for (const auto* ends : {&mapping.allocated[operand], &mapping.stationary[operand]})
      for (std::size_t level = 0; level < levels; ++level) {
        if ((*ends)[level] > mapping.loops) refuse();
        if (level > 0 && (*ends)[level] < (*ends)[level - 1]) refuse();
      }
  }
}

/// The text of a store as `read` takes it.
template <class Read>
auto read_known(const std::string& text, const Read& read) {
  try {
    return read(KnownJson::parse(text));
  } catch (const KnownJson::exception& wrong) {
    throw InputError(std::string("a mapping of a store cannot be read: ") + wrong.what());
  }
}

/// The pair in such JSON as an optimum by that objective, costed anew.
JointOptimum optimum_of(const KnownJson& json, double value, double bound, Objective objective,
                        const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                        const CostModelOptions& model) {
  const TriedMapping tried(mapping_of(json), layer, accelerator, model);
  const Score score = tried.score(accelerator);
  JointOptimum optimum;
  optimum.unrolling = tried.known().unrolling;
  optimum.problem = tried.problem();
  optimum.certificate.mapping = tried.known().mapping;
  optimum.certificate.lower_bound = bound;
  optimum.certificate.states = json.value("states", std::uint64_t{0});
  optimum.certificate.second_bound = json.value("second_bound", 0.0);
  optimum.energy = score.energy_total;
  optimum.latency = score.latency_total2;
  optimum.certificate.value = value_of(objective, optimum.energy, optimum.latency);
  if (!(std::abs(optimum.certificate.value - value) <= rounding_tolerance * value))
    throw InputError("a mapping of a store does not cost what the store says");
  if (!(bound <= value * (1 + rounding_tolerance)))
    throw InputError("a bound of a store is wrong: a mapping is better than any should be");
  optimum.prescribed = json.value("prescribed", false);
  optimum.chains = json.value("chains", false);
  optimum.brief = json.value("brief", false);
  if (const auto narrower = json.find("narrower"); narrower != json.end())
    optimum.narrower = {narrower->value("bound", 0.0), narrower->value("even", false),
                        narrower->value("chains", false)};
  optimum.spatial_mappings = json.value("listed", std::uint64_t{0});
  optimum.searched = json.value("searched", std::uint64_t{0});
  optimum.passed_over = json.value("passed_over", std::uint64_t{0});
  return optimum;
}

/// The figure by which the second search goes (JointOptions::within).
Objective other_of(Objective objective) {
  return objective == Objective::energy ? Objective::latency : Objective::energy;
}

}  // namespace

bool is_finished(const JointOptimum& optimum, double gap) {
  return optimum.certificate.gap() <= gap + rounding_tolerance &&
         (!optimum.second || optimum.second->brief ||
          optimum.second->certificate.gap() <= gap + rounding_tolerance);
}

StoredAnswer stored_answer(const JointOptimum& optimum, const SearchLimits& limits) {
  KnownJson json = json_of(optimum);
  if (optimum.second) {
    json["second"] = json_of(*optimum.second);
    json["second"]["value"] = optimum.second->certificate.value;
    json["second"]["bound"] = optimum.second->certificate.lower_bound;
  }
  const bool finished = is_finished(optimum, limits.gap);
  if (!finished) json["limits"] = text_of(limits);
  if (!finished && limits.gap > 0) json["gap"] = limits.gap;
  return {optimum.certificate.value, optimum.certificate.lower_bound, finished ? limits.gap : infinite,
          json.dump()};
}

KnownMapping known_mapping(const std::string& text) { return read_known(text, mapping_of); }

std::string pair_alone(const std::string& text) {
  return read_known(text, [](const KnownJson& json) {
    return KnownJson{{"u", json.at("u")}, {"l", json.at("l")}, {"a", json.at("a")}, {"s", json.at("s")}}
        .dump();
  });
}

bool is_cut_off_by(const std::string& text, const std::string& limits, double gap) {
  const KnownJson json = KnownJson::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("limits") || json["limits"] != limits) return false;
  return !json.contains("gap") || (json["gap"].is_number() && json["gap"].get<double>() <= gap);
}

JointOptimum known_optimum(const StoredAnswer& answer, const Layer& layer,
                           const std::shared_ptr<const Accelerator>& accelerator,
                           const JointOptions& options) {
  return read_known(answer.mapping, [&](const KnownJson& json) {
    if (!json.contains("listed")) throw InputError("the answer of a store is to less than was asked");
    JointOptimum optimum =
        optimum_of(json, answer.value, answer.bound, options.objective, layer, accelerator, options.model);
    const SpatialSpace space(layer, *accelerator, {options.mixed, options.factors, options.model.rules});
    optimum.warnings = space.warnings();
    if (!has_second(options)) return optimum;
    const KnownJson& second = json.at("second");
    optimum.second = std::make_shared<const JointOptimum>(
        optimum_of(second, second.at("value"), second.at("bound"), other_of(options.objective), layer,
                   accelerator, options.model));
    const double chosen = value_of(options.objective, optimum.second->energy, optimum.second->latency);
    if (!(chosen <= answer.value * (1 + *options.within) * (1 + 2 * rounding_tolerance)))
      throw InputError("a mapping of a store is not within what was asked for");
    return optimum;
  });
}

TriedMapping::TriedMapping(const KnownMapping& known, const Layer& layer,
                           const std::shared_ptr<const Accelerator>& accelerator,
                           const CostModelOptions& model)
    : known_(known), problem_(unrolled_problem(layer, accelerator, known.unrolling, model)) {
  check_numbers(known_.mapping, problem_);
  const MappingCheck check(*problem_.layer, *problem_.accelerator, *problem_.fractional, model.rules);
  // With room for everything: sizes are those of the accelerators that it is tried on.
  check.check_loops(readable(known_.mapping, *problem_.layer, *problem_.fractional));
  rooms_ = check.needed_room(known_.mapping);
}

std::shared_ptr<const TriedMapping> cut_anew(const KnownMapping& known, const Layer& layer,
                                             const std::shared_ptr<const Accelerator>& accelerator,
                                             const CostModelOptions& model) {
  try {
    const MappingProblem problem = unrolled_problem(layer, accelerator, known.unrolling, model);
    KnownMapping anew{known.unrolling, {}};
    anew.mapping.loops = known.mapping.loops;
    anew.mapping.dimension = known.mapping.dimension;
    anew.mapping.size = known.mapping.size;
    LoopAllocator allocator(*problem.layer, *accelerator, *problem.fractional, MappingType::uneven,
                            model.rules);
    if (!allocator.allocate(anew.mapping)) return nullptr;
    return std::make_shared<const TriedMapping>(anew, layer, accelerator, model);
  } catch (const NoResult&) {
    return nullptr;
  } catch (const InputError&) {
    return nullptr;
  }
}

Score TriedMapping::score(const std::shared_ptr<const Accelerator>& accelerator) const {
  for (const MappingCheck::Room& room : rooms_)
    if (!room.fits(static_cast<double>(accelerator->memories[static_cast<std::size_t>(room.memory)].size)))
      throw NoResult("the mapping does not fit");
  const CostModel costs(accelerator, problem_.layer, problem_.fractional, problem_.integral,
                        problem_.options);
  return costs.score(known_.mapping);
}

double TriedMapping::value(const std::shared_ptr<const Accelerator>& accelerator,
                           Objective objective) const {
  try {
    const Score found = score(accelerator);
    if (std::isnan(found.energy_total)) return infinite;
    return value_of(objective, found.energy_total, found.latency_total2);
  } catch (const NoResult&) {
    return infinite;
  } catch (const InputError&) {
    return infinite;
  }
}

}  // namespace zz::core
