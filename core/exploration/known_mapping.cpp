#include "core/exploration/known_mapping.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/diagnostics.hpp"
#include "core/cost/cost_model.hpp"
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
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

std::string text_of(const JointOptimum& optimum) {
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
  return KnownJson{{"u", unrolling}, {"l", loops}, {"a", allocated}, {"s", stationary}}.dump();
}

KnownMapping known_mapping(const std::string& text) {
  try {
    const KnownJson json = KnownJson::parse(text);
    KnownMapping known;
    for (const KnownJson& array : json.at("u")) {
      ArrayUnrolling& entry = known.unrolling.dimensions.emplace_back();
      entry.array_dimension = array.at(0);
      for (const KnownJson& loop : array.at(1)) {
        SpatialLoop& one = entry.loops.emplace_back();
        one.dimension = loop.at(0);
        one.factor = loop.at(1);
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
  } catch (const KnownJson::exception& wrong) {
    throw InputError(std::string("a mapping of a store cannot be read: ") + wrong.what());
  }
}

TriedMapping::TriedMapping(const KnownMapping& known, const Layer& layer,
                           const std::shared_ptr<const Accelerator>& accelerator,
                           const CostModelOptions& model)
    : known_(known), problem_(unrolled_problem(layer, accelerator, known.unrolling, model)) {
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

double TriedMapping::value(const std::shared_ptr<const Accelerator>& accelerator,
                           Objective objective) const {
  for (const MappingCheck::Room& room : rooms_)
    if (!room.fits(static_cast<double>(accelerator->memories[static_cast<std::size_t>(room.memory)].size)))
      return infinite;
  try {
    const CostModel costs(accelerator, problem_.layer, problem_.fractional, problem_.integral,
                          problem_.options);
    const Score score = costs.score(known_.mapping);
    if (std::isnan(score.energy_total)) return infinite;
    return value_of(objective, score.energy_total, score.latency_total2);
  } catch (const NoResult&) {
    return infinite;
  } catch (const InputError&) {
    return infinite;
  }
}

}  // namespace zz::core
