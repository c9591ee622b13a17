#include "core/cost/work_left.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/hardware/layer_sparsity.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/workload/expected_zeros.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {
namespace {

/// Where everything is zero: keeps quotients by cycles finite.
constexpr double least_share = 1e-9;

/// A window both of whose loops may be unrolled.
struct UnrolledWindow {
  std::int64_t stride, dilation;
  int output_loop, filter_loop;
};

/// Rounds in which some unit has something to do, for one number of units along each loop.
class RoundsMade {
 public:
  using Units = std::array<double, max_loop_dimensions>;

  RoundsMade(const Layer& layer, std::optional<double> w, std::optional<double> i)
      : layer_(layer), w_(w), i_(i) {
    const auto kinds = [&](const char* operand) {
      const int index = layer.operand_index(operand);
      return index < 0 ? std::vector<Relevancy>(layer.loops.size(), Relevancy::irrelevant)
                       : relevancies(layer, index);
    };
    of_w_ = kinds("W");
    of_i_ = kinds("I");
    for (const DimensionRelation& one : layer.relations)
      windows_.push_back(
          {one.stride, one.dilation, layer.loop_index(one.output_loop), layer.loop_index(one.filter_loop)});
  }

  double with(const Units& units) const {
    double alone_w = 1, alone_i = 1, both = 1;
    bool slides = false;
    for (std::size_t loop = 0; loop < layer_.loops.size(); ++loop) {
      if (i_ && of_i_[loop] == Relevancy::partially_relevant) {
        slides = true;
        continue;
      }
      const bool w = w_ && of_w_[loop] == Relevancy::relevant, i = i_ && of_i_[loop] == Relevancy::relevant;
      if (w || i) (w && i ? both : w ? alone_w : alone_i) *= units[loop];
    }
    const double of_w = w_ ? some_nonzero(*w_, alone_w) : 1;
    const double one =
        slides ? with_windows(units, of_w, alone_i) : of_w * (i_ ? some_nonzero(*i_, alone_i) : 1);
    return some_nonzero(one, both);
  }

 private:
  /// Some unit has something to do, with each position of a filter not zero with the probability `of_w`
  /// where W is skipped.
  double with_windows(const Units& units, double of_w, double alone_i) const {
    const auto of = [&](int loop) {
      return loop < 0 ? std::int64_t{1} : std::llround(units[static_cast<std::size_t>(loop)]);
    };
    std::int64_t filters = 1, together = 1;
    for (const UnrolledWindow& one : windows_) {
      filters *= of(one.filter_loop);
      together *=
          distinct_positions(one.stride, of(one.output_loop), one.dilation, of(one.filter_loop), false);
    }
    if (!w_ || filters == 1) return of_w * some_nonzero(*i_, alone_i * static_cast<double>(together));
    if (filters > most_filter_units) return 1;
    double made = 0;
    for (std::uint64_t set = 1; set < std::uint64_t{1} << filters; ++set) {
      double likely = 1;
      std::set<std::vector<std::int64_t>> seen;
      for (std::int64_t filter = 0; filter < filters; ++filter) {
        const bool in = (set >> filter & 1) != 0;
        likely *= in ? of_w : 1 - of_w;
        if (in) add_positions(units, filter, seen);
      }
      made += likely * some_nonzero(*i_, alone_i * static_cast<double>(seen.size()));
    }
    return made;
  }

  /// The positions of I that units at one position of the filter take.
  void add_positions(const Units& units, std::int64_t filter,
                     std::set<std::vector<std::int64_t>>& seen) const {
    std::vector<std::vector<std::int64_t>> found{{}};
    for (const UnrolledWindow& one : windows_) {
      const auto of = [&](int loop) {
        return loop < 0 ? std::int64_t{1} : std::llround(units[static_cast<std::size_t>(loop)]);
      };
      const std::int64_t at = filter % of(one.filter_loop);
      filter /= of(one.filter_loop);
      std::vector<std::vector<std::int64_t>> longer;
      for (const auto& begun : found)
        for (std::int64_t output = 0; output < of(one.output_loop); ++output) {
          longer.push_back(begun);
          longer.back().push_back(one.stride * output + one.dilation * at);
        }
      found = std::move(longer);
    }
    seen.insert(found.begin(), found.end());
  }

  const Layer& layer_;
  std::optional<double> w_, i_;
  std::vector<Relevancy> of_w_, of_i_;
  std::vector<UnrolledWindow> windows_;
};

/// The average over rounds with as many units along each loop as there are in one of its rounds.
double over_rounds(const RoundsMade& made, RoundsMade::Units units, std::size_t loop, std::size_t loops) {
  for (; loop < loops; ++loop) {
    units[loop] = snapped(units[loop]);
    const double low = std::floor(units[loop]);
    if (low == units[loop]) continue;
    const double share = units[loop] - low;
    RoundsMade::Units fewer = units, more = units;
    fewer[loop] = low;
    more[loop] = low + 1;
    return (1 - share) * over_rounds(made, fewer, loop + 1, loops) +
           share * over_rounds(made, more, loop + 1, loops);
  }
  return made.with(units);
}

/// The probability that so many elements of one block are all zero: of C(M, N) places of the nonzeros those
/// that leave them out.
double none_in_block(const ZeroPattern& pattern, std::int64_t elements) {
  double none = 1;
  for (std::int64_t i = 0; i < pattern.kept; ++i)
    none *=
        std::max(0.0, static_cast<double>(pattern.of - elements - i)) / static_cast<double>(pattern.of - i);
  return none;
}

/// Rounds that a skipped pattern leaves.
double rounds_of_pattern(const Layer& layer, const OperandSparsity& sparsity,
                         const RoundsMade::Units& units) {
  const ZeroPattern pattern = pattern_of(sparsity.pattern);
  const auto along = static_cast<std::size_t>(layer.loop_index(sparsity.along));
  if (snapped(units[along]) == 1) return density_of(sparsity);
  const std::vector<Relevancy> relevancy = relevancies(layer, layer.operand_index(sparsity.operand));
  double rows = 1;
  for (std::size_t loop = 0; loop < layer.loops.size(); ++loop)
    if (loop != along && relevancy[loop] == Relevancy::relevant) rows *= units[loop];
  const std::int64_t size = layer.loops[along].size;
  const auto rounds =
      static_cast<std::int64_t>(std::llround(std::ceil(snapped(static_cast<double>(size) / units[along]))));
  double made = 0;
  for (std::int64_t round = 0; round < rounds; ++round) {
    double none = 1;  // in a row
    for (std::int64_t at = round * size / rounds, end = (round + 1) * size / rounds; at < end;) {
      const std::int64_t next = std::min(end, (at / pattern.of + 1) * pattern.of);
      none *= none_in_block(pattern, next - at);
      at = next;
    }
    made += none <= 0 ? 1 : some_nonzero(1 - none, rows);
  }
  return made / static_cast<double>(rounds);
}

/// The zeros of the layer that units of the array look for.
template <class Visit>
void for_each_seen(const OperationalArray& array, const Layer& layer, const Visit& visit) {
  for (const OperandOnZero& one : array.on_zero) {
    const OperandSparsity* const sparsity = sparsity_of(layer, one.operand);
    if (sparsity != nullptr && layer.operand_index(one.operand) >= 0 && density_of(*sparsity) < 1)
      visit(one, *sparsity);
  }
}

/// Units by loop of the layer; all operands list the same.
RoundsMade::Units units_of(const Layer& layer, const SpatialMapping& fractional) {
  RoundsMade::Units units;
  units.fill(1);
  if (fractional.operands.empty()) return units;
  for (const std::vector<UnrolledLoop>& level : fractional.operands.front().levels)
    for (const UnrolledLoop& loop : level)
      if (const int index = layer.loop_index(loop.dimension); index >= 0)
        units[static_cast<std::size_t>(index)] *= loop.factor;
  return units;
}

}  // namespace

WorkLeft least_work_left(const Accelerator& accelerator, const Layer& layer) {
  WorkLeft left;
  for_each_seen(accelerator.array, layer, [&](const OperandOnZero& one, const OperandSparsity& sparsity) {
    left.operations *= density_of(sparsity);
    if (one.does == OnZero::skip) left.useful *= density_of(sparsity);
  });
  left.rounds = left.useful = std::max(left.useful, least_share);
  return left;
}

WorkLeft work_left(const Accelerator& accelerator, const Layer& layer, const SpatialMapping& fractional) {
  WorkLeft left = least_work_left(accelerator, layer);
  if (left.useful == 1 || !accelerator.array.skip_together) return left;
  const RoundsMade::Units units = units_of(layer, fractional);
  std::optional<double> w, i;
  double of_patterns = 1;
  int patterns = 0;
  for_each_seen(accelerator.array, layer, [&](const OperandOnZero& one, const OperandSparsity& sparsity) {
    if (one.does != OnZero::skip) return;
    if (sparsity.pattern.empty()) {
      (one.operand == "W" ? w : i) = sparsity.density;
    } else {
      ++patterns;
      of_patterns = std::min(of_patterns, rounds_of_pattern(layer, sparsity, units));
    }
  });
  if (patterns > 0 && (w || i || patterns > 1))
    throw InputError(fmt::format(
        "layer '{}': a pattern of one operand and zeros of another are skipped together, which is not "
        "counted: say skip_together: false, or gate one of both",
        layer.name));
  const double made =
      patterns > 0 ? of_patterns : over_rounds(RoundsMade(layer, w, i), units, 0, layer.loops.size());
  left.rounds = std::clamp(made, left.useful, 1.0);
  return left;
}

}  // namespace zz::core
