#include "core/mapping/spatial_generator.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "core/diagnostics/diagnostics.hpp"
#include "core/mapping/set_order.hpp"
#include "core/mapping/spatial_limits.hpp"
#include "core/mapping/spatial_prescription.hpp"

namespace zz::core {
namespace {

/// Loops on one array dimension as (index into Layer::loops, factor).
using Option = std::vector<std::pair<int, std::int64_t>>;

std::vector<std::int64_t> divisors(std::int64_t number) {
  std::vector<std::int64_t> result;
  for (std::int64_t candidate = 1; candidate <= number; ++candidate) {
    if (number % candidate == 0) result.push_back(candidate);
  }
  return result;
}

/// The loops that may go onto an array dimension, in the order in which candidates are made.
std::vector<int> hinted_loops(const Layer& layer, const std::string& array_dimension,
                              std::vector<std::string>& warnings) {
  std::vector<std::string> names;
  for (const UnrollingHint& hint : layer.mapping.spatial_hints) {
    if (hint.array_dimension != array_dimension) continue;
    const bool any = std::any_of(hint.dimensions.begin(), hint.dimensions.end(),
                                 [&](const std::string& name) { return layer.loop_index(name) >= 0; });
    if (any) {
      names = hint.dimensions;
    } else {
      warnings.push_back(
          fmt::format("layer '{}': no dimension of the hint for {} is a loop of the layer; the hint is "
                      "not used",
                      layer.name, array_dimension));
    }
  }
  if (names.empty()) {
    for (const LoopDimension& loop : layer.loops) names.push_back(loop.name);
  }
  std::vector<int> loops;
  for (const std::string& name : set_order(names, NameClass::layer_dimension)) {
    if (const int index = layer.loop_index(name); index >= 0) loops.push_back(index);
  }
  return loops;
}

/// Appends the product over the chosen loops of their divisors above 1, the last loop varying fastest.
void append_mixed(const std::vector<int>& chosen, const std::vector<std::vector<std::int64_t>>& factors,
                  std::int64_t room, Option& prefix, std::vector<Option>& options) {
  if (prefix.size() == chosen.size()) {
    options.push_back(prefix);
    return;
  }
  const int loop = chosen[prefix.size()];
  for (const std::int64_t factor : factors[prefix.size()]) {
    if (factor > room) break;  // ascending
    prefix.emplace_back(loop, factor);
    append_mixed(chosen, factors, room / factor, prefix, options);
    prefix.pop_back();
  }
}

std::vector<Option> options_of(int array, const std::vector<int>& loops, const SpatialLimits& limits,
                               std::int64_t size, bool mixed) {
  std::vector<Option> options;
  for (const int loop : loops) {
    std::vector<std::int64_t> factors = divisors(limits.maximum(array, loop));
    std::for_each(factors.rbegin(), factors.rend(), [&](std::int64_t factor) {
      options.push_back({{loop, factor}});
    });
  }
  for (std::size_t count = 2; mixed && count <= loops.size(); ++count) {
    std::vector<std::size_t> positions(count);
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    for (;;) {
      std::vector<int> chosen;
      std::vector<std::vector<std::int64_t>> factors;
      for (const std::size_t position : positions) {
        chosen.push_back(loops[position]);
        factors.push_back(divisors(limits.maximum(array, loops[position])));
        std::erase(factors.back(), 1);
      }
      Option prefix;
      append_mixed(chosen, factors, size, prefix, options);
      // The next combination in lexicographic order of positions.
      std::size_t moving = count;
      while (moving > 0 && positions[moving - 1] == loops.size() - count + moving - 1) --moving;
      if (moving == 0) break;
      ++positions[moving - 1];
      for (std::size_t i = moving; i < count; ++i) positions[i] = positions[i - 1] + 1;
    }
  }
  return options;
}

/// Walks the Cartesian product of the options (the first array dimension slowest) and keeps the best.
class Ranking {
 public:
  Ranking(const Layer& layer, std::vector<std::vector<Option>> options, const Option& prescribed,
          std::size_t limit)
      : layer_(layer), options_(std::move(options)), limit_(limit), totals_(layer.loops.size(), 1) {
    chosen_.resize(options_.size());
    std::int64_t units = 1;
    contained_.assign(layer.loops.size(), 0);
    for (const auto& [loop, factor] : prescribed) {
      totals_[loop] *= factor;
      ++contained_[loop];
      units *= factor;
    }
    walk(0, units);
    std::stable_sort(kept_.begin(), kept_.end(), better);
    if (limit_ > 0 && kept_.size() > limit_) kept_.resize(limit_);
  }

  struct Kept {
    double score;
    std::vector<std::uint32_t> chosen;
  };
  const std::vector<Kept>& kept() const { return kept_; }
  const Option& option(std::size_t array, std::uint32_t choice) const { return options_[array][choice]; }

 private:
  static bool better(const Kept& a, const Kept& b) { return a.score > b.score; }

  void walk(std::size_t array, std::int64_t units) {
    if (array == options_.size()) {
      keep(units);
      return;
    }
    for (std::uint32_t choice = 0; choice < options_[array].size(); ++choice) {
      const Option& option = options_[array][choice];
      bool legal = true;
      std::int64_t product = 1;
      for (const auto& [loop, factor] : option) {
        totals_[loop] *= factor;
        ++contained_[loop];
        product *= factor;
        legal = legal && totals_[loop] <= layer_.loops[loop].size;
      }
      chosen_[array] = choice;
      if (legal) walk(array + 1, units * product);
      for (const auto& [loop, factor] : option) {
        totals_[loop] /= factor;
        --contained_[loop];
      }
    }
  }

  void keep(std::int64_t units) {
    std::int64_t largest = 1;
    for (std::size_t loop = 0; loop < totals_.size(); ++loop) {
      if (contained_[loop] > 0) largest = std::max(largest, totals_[loop]);
    }
    const double used = static_cast<double>(units);
    const double score = used + used / static_cast<double>(largest) - 1;
    // Only the best are wanted: what cannot be among them need not be stored. Later equals lose.
    if (limit_ > 0 && kept_.size() >= 4 * limit_ + 64) {
      std::stable_sort(kept_.begin(), kept_.end(), better);
      kept_.resize(limit_);
      threshold_ = kept_.back().score;
    }
    if (limit_ > 0 && score <= threshold_) return;
    kept_.push_back({score, chosen_});
  }

  const Layer& layer_;
  std::vector<std::vector<Option>> options_;
  std::size_t limit_;
  std::vector<std::int64_t> totals_;  ///< unroll of each loop over all array dimensions
  std::vector<int> contained_;
  std::vector<std::uint32_t> chosen_;
  std::vector<Kept> kept_;
  double threshold_ = -1;
};

/// What the prescription leaves open, filled in the best ways.
std::vector<RankedUnrolling> fill(const SpatialUnrolling& prescribed, const Layer& layer,
                                  const Accelerator& accelerator, const SpatialLimits& limits, bool mixed,
                                  std::size_t limit, std::vector<std::string>& warnings) {
  Option fixed;
  for (const ArrayUnrolling& entry : prescribed.dimensions) {
    for (const SpatialLoop& loop : entry.loops)
      fixed.emplace_back(layer.loop_index(loop.dimension), loop.factor);
  }
  std::vector<std::string> open;
  std::vector<std::vector<Option>> options;
  for (std::size_t array = 0; array < accelerator.array.dimensions.size(); ++array) {
    const ArrayDimension& dimension = accelerator.array.dimensions[array];
    if (prescribed.find(dimension.name) != nullptr) continue;
    open.push_back(dimension.name);
    options.push_back(options_of(static_cast<int>(array), hinted_loops(layer, dimension.name, warnings),
                                 limits, dimension.size, mixed));
  }
  const Ranking ranking(layer, std::move(options), fixed, limit);
  std::vector<RankedUnrolling> ranked;
  for (const Ranking::Kept& kept : ranking.kept()) {
    RankedUnrolling candidate{prescribed, kept.score};
    for (std::size_t array = 0; array < open.size(); ++array) {
      ArrayUnrolling entry{open[array], {}};
      for (const auto& [loop, factor] : ranking.option(array, kept.chosen[array])) {
        entry.loops.push_back({layer.loops[loop].name, factor});
      }
      candidate.unrolling.dimensions.push_back(std::move(entry));
    }
    ranked.push_back(std::move(candidate));
  }
  return ranked;
}

[[noreturn]] void nothing_legal(const Layer& layer, const Accelerator& accelerator) {
  throw NoResult(fmt::format(
      "layer '{}': no legal spatial mapping on the array of '{}'; a memory next to the array may "
      "be too narrow for one word per cycle, or the mapping's hints leave no loop to unroll",
      layer.name, accelerator.name));
}

}  // namespace

SpatialCandidates generate_spatial_mappings(const Layer& layer, const Accelerator& accelerator,
                                            const SpatialGeneratorOptions& options) {
  const SpatialLimits limits(layer, accelerator, options.zigzag_compat);
  SpatialCandidates result;
  const SpatialUnrolling prescribed =
      reduce_prescription(layer.mapping.spatial_mapping, layer, accelerator, limits, result.warnings);
  if (prescribed.dimensions.size() == accelerator.array.dimensions.size()) {
    for (const ArrayUnrolling& entry : prescribed.dimensions) {
      for (const SpatialLoop& loop : entry.loops) {
        if (loop.factor < 1) nothing_legal(layer, accelerator);
      }
    }
    result.mappings.push_back(prescribed);
  } else {
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(1, options.count));
    for (RankedUnrolling& candidate :
         fill(prescribed, layer, accelerator, limits, options.mixed, count, result.warnings)) {
      result.mappings.push_back(std::move(candidate.unrolling));
    }
    if (result.mappings.empty()) nothing_legal(layer, accelerator);
  }
  for (SpatialUnrolling& mapping : result.mappings) limits.fit_capacity(mapping);
  return result;
}

std::vector<RankedUnrolling> rank_spatial_mappings(const Layer& layer, const Accelerator& accelerator,
                                                   const SpatialGeneratorOptions& options,
                                                   std::size_t limit) {
  const SpatialLimits limits(layer, accelerator, options.zigzag_compat);
  std::vector<std::string> warnings;
  const SpatialUnrolling prescribed =
      reduce_prescription(layer.mapping.spatial_mapping, layer, accelerator, limits, warnings);
  return fill(prescribed, layer, accelerator, limits, options.mixed, limit, warnings);
}

}  // namespace zz::core
