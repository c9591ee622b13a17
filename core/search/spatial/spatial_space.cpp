#include "core/search/spatial/spatial_space.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/search/spatial/spatial_hints.hpp"
#include "core/search/spatial/spatial_prescription.hpp"

namespace zz::core {
namespace {

/// The array dimension whose factor takes up the remainder of a loop, as in convert_spatial_mapping().
std::size_t adjusting(const std::vector<std::int64_t>& factors) {
  return static_cast<std::size_t>(std::max_element(factors.begin(), factors.end()) - factors.begin());
}

}  // namespace

SpatialSpace::SpatialSpace(const Layer& layer, const Accelerator& accelerator,
                           const SpatialSpaceOptions& options)
    : layer_(layer),
      accelerator_(accelerator),
      options_(options),
      limits_(layer, accelerator, options.rules) {
  std::vector<std::string> warnings;
  prescribed_ = reduce_prescription(layer.mapping.spatial_mapping, layer, accelerator, limits_, warnings);
  limits_.fit_capacity(prescribed_);
  const auto& arrays = accelerator.array.dimensions;
  fixed_.resize(arrays.size());
  for (const ArrayUnrolling& entry : prescribed_.dimensions) {
    const auto array =
        static_cast<std::size_t>(std::find_if(arrays.begin(), arrays.end(),
                                              [&](const ArrayDimension& dimension) {
                                                return dimension.name == entry.array_dimension;
                                              }) -
                                 arrays.begin());
    order_.push_back(static_cast<int>(array));
    for (const SpatialLoop& loop : entry.loops) {
      fixed_[array].push_back({layer.loop_index(loop.dimension), loop.factor});
      fixed_units_ *= static_cast<double>(loop.factor);
    }
  }
  for (std::size_t array = 0; array < arrays.size(); ++array) {
    if (prescribed_.find(arrays[array].name) != nullptr) continue;
    order_.push_back(static_cast<int>(array));
    Dimension& dimension = dimensions_.emplace_back();
    dimension.array = static_cast<int>(array);
    list_options(dimension, hinted_loops(layer, arrays[array].name, warnings));
    if (dimension.options.empty()) return;  // nothing is legal
  }
  find_twins();
  most_units_above_.assign(dimensions_.size() + 1, 1);
  for (std::size_t i = dimensions_.size(); i-- > 0;)
    most_units_above_[i] = most_units_above_[i + 1] * dimensions_[i].units.front();
  if (!dimensions_.empty()) push({0});
}

void SpatialSpace::list_options(Dimension& dimension, const std::vector<int>& loops) {
  const std::int64_t size = accelerator_.array.dimensions[dimension.array].size;
  Option option;
  const std::function<void(std::size_t, std::int64_t)> add = [&](std::size_t first, std::int64_t room) {
    dimension.options.push_back(option);
    if (!option.empty() && !options_.mixed) return;
    for (std::size_t i = first; i < loops.size(); ++i) {
      const std::int64_t maximum = limits_.maximum(dimension.array, loops[i]);
      for (std::int64_t factor = 2; factor <= std::min(room, maximum); ++factor) {
        if (options_.factors == UnrollingFactors::even && factor != maximum &&
            layer_.loops[loops[i]].size % factor != 0)
          continue;
        option.push_back({loops[i], factor});
        add(i + 1, room / factor);
        option.pop_back();
      }
    }
  };
  // A memory that cannot deliver one word per cycle to any loop rules the dimension out.
  const bool any = std::any_of(loops.begin(), loops.end(),
                               [&](int loop) { return limits_.maximum(dimension.array, loop) >= 1; });
  if (any) add(0, size);
  const auto units = [](const Option& unrolled) {
    return std::accumulate(unrolled.begin(), unrolled.end(), 1.0, [](double product, const auto& loop) {
      return product * static_cast<double>(loop.factor);
    });
  };
  std::stable_sort(dimension.options.begin(), dimension.options.end(),
                   [&](const Option& a, const Option& b) { return units(a) > units(b); });
  for (const Option& sorted : dimension.options) dimension.units.push_back(units(sorted));
}

void SpatialSpace::find_twins() {
  if (accelerator_.array.imc) return;  // wordlines and bitlines differ
  const auto same = [&](const Dimension& a, const Dimension& b) {
    const std::string& first = accelerator_.array.dimensions[a.array].name;
    const std::string& second = accelerator_.array.dimensions[b.array].name;
    return std::all_of(
               accelerator_.memories.begin(), accelerator_.memories.end(),
               [&](const Memory& memory) { return memory.serves(first) == memory.serves(second); }) &&
           std::equal(a.options.begin(), a.options.end(), b.options.begin(), b.options.end(),
                      [](const Option& x, const Option& y) {
                        return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                                          [](const UnrolledIndex& m, const UnrolledIndex& n) {
                                            return m.loop == n.loop && m.factor == n.factor;
                                          });
                      });
  };
  for (std::size_t later = 0; later < dimensions_.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      if (same(dimensions_[earlier], dimensions_[later]))
        dimensions_[later].twin = static_cast<int>(earlier);
    }
  }
}

std::optional<SpatialSpace::Choice> SpatialSpace::next() {
  while (!open_.empty()) {
    Choice chosen = open_.top().chosen;
    open_.pop();
    const std::size_t depth = chosen.size() - 1;
    if (chosen.back() + 1 < dimensions_[depth].options.size()) {
      Choice sibling = chosen;
      ++sibling.back();
      push(std::move(sibling));
    }
    const auto unrolled = by_array(chosen);
    if (!within_loops(unrolled)) continue;
    if (depth + 1 < dimensions_.size()) {
      const int twin = dimensions_[depth + 1].twin;
      chosen.push_back(twin < 0 ? 0 : chosen[static_cast<std::size_t>(twin)]);
      push(std::move(chosen));
    } else if (limits_.admit(unrolled) && even(unrolled) && !repeats_another(unrolled)) {
      return chosen;
    }
  }
  return std::nullopt;
}

SpatialUnrolling SpatialSpace::unrolling(const Choice& choice) const {
  const auto unrolled = by_array(choice);
  SpatialUnrolling mapping;
  for (const int array : order_) {
    ArrayUnrolling entry{accelerator_.array.dimensions[array].name, {}};
    for (const UnrolledIndex& loop : unrolled[array])
      entry.loops.push_back({layer_.loops[loop.loop].name, loop.factor});
    mapping.dimensions.push_back(std::move(entry));
  }
  return mapping;
}

double SpatialSpace::units(const Choice& choice) const {
  double units = fixed_units_;
  for (std::size_t i = 0; i < choice.size(); ++i) units *= dimensions_[i].units[choice[i]];
  return units;
}

void SpatialSpace::push(Choice chosen) {
  const double reached = units(chosen) * most_units_above_[chosen.size()];
  open_.push({reached, std::move(chosen)});
}

bool SpatialSpace::within_loops(const Unrolled& unrolled) const {
  for (std::size_t loop = 0; loop < layer_.loops.size(); ++loop) {
    std::int64_t total = 1;
    for (const auto& along : unrolled) {
      for (const UnrolledIndex& entry : along)
        if (entry.loop == static_cast<int>(loop)) total *= entry.factor;
    }
    if (total > layer_.loops[loop].size) return false;
  }
  return true;
}

SpatialSpace::Unrolled SpatialSpace::by_array(const Choice& choice) const {
  Unrolled unrolled = fixed_;
  for (std::size_t i = 0; i < choice.size(); ++i)
    unrolled[dimensions_[i].array] = dimensions_[i].options[choice[i]];
  return unrolled;
}

/// A factor could be smaller by one, and nothing would differ.
bool SpatialSpace::repeats_another(const Unrolled& unrolled) const {
  if (accelerator_.array.imc || options_.factors == UnrollingFactors::even) return false;
  for (int loop = 0; loop < static_cast<int>(layer_.loops.size()); ++loop) {
    const Factors all = factors(unrolled, loop);
    const std::size_t position = adjusting(all);
    if (position < prescribed_.dimensions.size() || all[position] <= 1) continue;
    Factors fewer = all;
    --fewer[position];
    if (adjusting(fewer) == position && rounds(fewer, position, loop) == rounds(all, position, loop))
      return true;
  }
  return false;
}

std::vector<SpatialSpace::Rest> SpatialSpace::rests(const Choice& choice) const {
  const auto unrolled = by_array(choice);
  std::vector<Rest> rests;
  for (int loop = 0; loop < static_cast<int>(layer_.loops.size()); ++loop)
    rests.push_back(rest(factors(unrolled, loop), loop));
  return rests;
}

SpatialSpace::Rest SpatialSpace::rest(const Factors& factors, int loop) const {
  std::int64_t covered = 1;
  for (const std::int64_t factor : factors) covered *= std::max<std::int64_t>(1, factor);
  const std::int64_t size = layer_.loops[loop].size;
  Rest rest;
  const std::int64_t rounds = (size + covered - 1) / covered;
  rest.rounds = static_cast<double>(rounds);
  const std::int64_t elsewhere = covered / std::max<std::int64_t>(1, factors[adjusting(factors)]);
  const double factor = static_cast<double>(size) / rest.rounds / static_cast<double>(elsewhere);
  rest.whole_share = std::floor(factor) / factor;
  return rest;
}

bool SpatialSpace::even(const Unrolled& unrolled) const {
  if (options_.factors == UnrollingFactors::any) return true;
  for (int loop = 0; loop < static_cast<int>(layer_.loops.size()); ++loop) {
    const Factors all = factors(unrolled, loop);
    const std::size_t position = adjusting(all);
    if (position < prescribed_.dimensions.size() || all[position] <= 1) continue;
    if (rest(all, loop).whole_share < 1 && all[position] != limits_.maximum(order_[position], loop))
      return false;
  }
  return true;
}

SpatialSpace::Factors SpatialSpace::factors(const Unrolled& unrolled, int loop) const {
  Factors factors(order_.size(), 0);
  for (std::size_t position = 0; position < order_.size(); ++position) {
    for (const UnrolledIndex& entry : unrolled[order_[position]])
      if (entry.loop == loop) factors[position] = entry.factor;
  }
  return factors;
}

/// How often the array takes its turn, by the rules of convert_spatial_mapping().
std::int64_t SpatialSpace::rounds(const Factors& factors, std::size_t adjusting, int loop) const {
  std::int64_t covered = 1;
  const std::size_t end = options_.rules.unrolling_beyond_loop ? adjusting + 1 : factors.size();
  for (std::size_t position = 0; position < end; ++position)
    covered *= std::max<std::int64_t>(1, factors[position]);
  return (layer_.loops[loop].size + covered - 1) / covered;
}

}  // namespace zz::core
