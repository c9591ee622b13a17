#include "core/output/program/moved_words.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdlib>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace zz::core {

std::string_view name_of(MoveCause cause) {
  switch (cause) {
    case MoveCause::first_sums:
      return "first sums";
    case MoveCause::padding:
      return "padding";
    case MoveCause::halo:
      return "halo";
    case MoveCause::remainder:
      return "remainder";
    case MoveCause::none:
      break;
  }
  return "";
}

namespace {

/// A way to count data; by default as a program moves them.
struct Convention {
  bool first_sums = false;  ///< sums come back the first time, too
  bool padding = false;     ///< positions beside the tensor are elements, though no more than it has
  bool each_alone = false;  ///< instances below take their portions one by one
};

/// Elements of a portion, and the rows times blocks that they are in.
struct Amount {
  std::int64_t elements = 1, blocks = 1;

  auto operator<=>(const Amount&) const = default;
};

/// Times that a portion has so many.
using Sizes = std::map<Amount, std::int64_t>;

/// The iterations of a dimension in one portion.
struct Run {
  std::vector<std::int64_t> iterations;
  bool first = true;  ///< no loop outside of the portion has moved on
};

class PortionCount {
 public:
  PortionCount(const LayerProgram& program, const ProgramMove& move, Convention convention)
      : program_(program),
        move_(move),
        operand_(program.operands[move.operand]),
        convention_(convention),
        tile_{operand_.at[move.boundary].tile.loops,
              move.boundary + (move.below() || convention.each_alone ? 0 : 1)} {}

  std::int64_t words() const {
    if (move_.precision == 0) return 0;
    Sizes sizes{{{1, 1}, 1}};
    for (const Axis& axis : operand_.axes) sizes = product(sizes, sizes_along(axis));
    std::int64_t words = 0;
    for (const auto& [amount, portions] : sizes) {
      const std::int64_t bits = amount.elements * move_.precision + amount.blocks * move_.blocks.bits;
      words += portions * ((bits + move_.word - 1) / move_.word);
    }
    return words * visits() * program_.times;
  }

 private:
  /// So often each portion of elements passes.
  std::int64_t visits() const {
    std::int64_t all = 1, first = 1;
    for (int dimension = 0; dimension < static_cast<int>(program_.of.size()); ++dimension) {
      if (operand_.bears[dimension]) continue;
      const std::vector<Run> runs = runs_of(dimension);
      all *= static_cast<std::int64_t>(runs.size());
      first *= std::count_if(runs.begin(), runs.end(), [](const Run& run) { return run.first; });
    }
    return move_.returns(operand_) && !convention_.first_sums ? all - first : all;
  }

  Sizes sizes_along(const Axis& axis) const {
    Sizes sizes;
    const std::vector<Run> runs = runs_of(axis.loop);
    if (axis.filter < 0) {
      for (const Run& run : runs) {
        const auto iterations = static_cast<std::int64_t>(run.iterations.size());
        ++sizes[{iterations,
                 axis.loop == move_.blocks.dimension ? move_.blocks.of_row(iterations) : iterations}];
      }
      return sizes;
    }
    const std::vector<Run> filters = runs_of(axis.filter);
    for (const Run& run : runs)
      for (const Run& filter : filters) {
        const std::int64_t found = positions(axis, run, filter);
        ++sizes[{found, found}];
      }
    return sizes;
  }

  std::int64_t positions(const Axis& axis, const Run& run, const Run& filter) const {
    std::vector<std::int64_t> found;
    for (const std::int64_t a : run.iterations) {
      for (const std::int64_t b : filter.iterations) {
        const std::int64_t position = axis.stride * a + axis.dilation * b - axis.padding;
        if (convention_.padding || (position >= 0 && position < axis.elements)) found.push_back(position);
      }
    }
    std::sort(found.begin(), found.end());
    const std::int64_t distinct = std::unique(found.begin(), found.end()) - found.begin();
    return std::min(distinct, axis.elements);
  }

  /// The iterations of a dimension by the digits that are outside of a portion.
  std::vector<Run> runs_of(int dimension) const {
    std::map<std::vector<std::int64_t>, Run> runs;
    std::vector<std::int64_t> values(program_.digits.size(), 0), outside;
    const DigitsOfDimension& all = program_.of[dimension];
    do {
      if (!walked(all, values)) continue;
      const std::int64_t iteration = program_.iteration(dimension, values);
      if (iteration >= all.iterations) continue;
      outside.clear();
      bool first = true;
      for (const int digit : all.inside_out) {
        if (program_.inside(operand_, digit, tile_)) continue;
        outside.push_back(values[digit]);
        first = first && (program_.digits[digit].units || values[digit] == 0);
      }
      Run& run = runs[outside];
      run.iterations.push_back(iteration);
      run.first = first;
    } while (next(all, values));
    std::vector<Run> list;
    list.reserve(runs.size());
    for (auto& [digits, run] : runs) list.push_back(std::move(run));
    return list;
  }

  /// Rounds beyond those of a ragged dimension do not exist.
  bool walked(const DigitsOfDimension& all, const std::vector<std::int64_t>& values) const {
    std::int64_t round = 0, below = 1;
    for (const int digit : all.inside_out) {
      if (program_.digits[digit].units) continue;
      round += values[digit] * below;
      below *= program_.digits[digit].size;
    }
    return round < all.rounds;
  }

  bool next(const DigitsOfDimension& all, std::vector<std::int64_t>& values) const {
    for (const int digit : all.inside_out) {
      if (++values[digit] < program_.digits[digit].size) return true;
      values[digit] = 0;
    }
    return false;
  }

  static Sizes product(const Sizes& a, const Sizes& b) {
    Sizes sizes;
    for (const auto& [of_a, times_a] : a)
      for (const auto& [of_b, times_b] : b)
        if (of_a.elements * of_b.elements > 0)
          sizes[{of_a.elements * of_b.elements, of_a.blocks * of_b.blocks}] += times_a * times_b;
    return sizes;
  }

  const LayerProgram& program_;
  const ProgramMove& move_;
  const ProgramOperand& operand_;
  const Convention convention_;
  const Tile tile_;
};

constexpr std::int64_t least_of_fewer = std::numeric_limits<std::int64_t>::max() / 2;

std::int64_t accesses_of(const ProgramMove& move, std::int64_t words) {
  return static_cast<std::int64_t>(std::floor(static_cast<double>(words) / move.words_by));
}

bool operand_fans_out(const LayerProgram& program, const ProgramOperand& operand, int level) {
  for (std::size_t digit = 0; digit < program.digits.size(); ++digit)
    if (operand.level[digit] == level && operand.bears[program.digits[digit].dimension]) return true;
  return false;
}

bool has_padding(const LayerProgram& program, const ProgramOperand& operand) {
  return std::any_of(operand.axes.begin(), operand.axes.end(), [&](const Axis& axis) {
    if (axis.filter < 0) return false;
    const std::int64_t reach = axis.stride * (program.of[axis.loop].iterations - 1) +
                               axis.dilation * (program.of[axis.filter].iterations - 1);
    return axis.padding > 0 || reach - axis.padding >= axis.elements;
  });
}

/// The cause by whose convention there are as many accesses as the cost model has, or the fewest more;
/// where each has fewer, the most. A remainder has no convention: it is more than the words that are
/// executed.
MoveCause cause_of(const LayerProgram& program, const ProgramMove& move) {
  const ProgramOperand& operand = program.operands[move.operand];
  std::vector<std::pair<MoveCause, Convention>> candidates;
  if (move.returns(operand)) candidates.push_back({MoveCause::first_sums, {.first_sums = true}});
  const bool padded = has_padding(program, operand);
  if (padded) candidates.push_back({MoveCause::padding, {.padding = true}});
  if (operand.slides() && !move.below() && operand_fans_out(program, operand, move.boundary)) {
    candidates.push_back({MoveCause::halo, {.each_alone = true}});
    if (padded) candidates.push_back({MoveCause::halo, {.padding = true, .each_alone = true}});
  }
  if (candidates.empty() || std::any_of(program.of.begin(), program.of.end(),
                                        [](const DigitsOfDimension& one) { return one.uneven; }))
    candidates.push_back({MoveCause::remainder, {}});
  MoveCause nearest = MoveCause::none;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const auto& [cause, convention] : candidates) {
    const std::int64_t counted = accesses_of(move, PortionCount(program, move, convention).words());
    const bool enough = counted >= move.accesses;
    // Those that are not enough come behind all that are.
    const std::int64_t distance =
        enough ? counted - move.accesses : least_of_fewer + move.accesses - counted;
    if (distance >= least) continue;
    nearest = cause;
    least = distance;
  }
  return nearest;
}

}  // namespace

MovedWords moved_words(const LayerProgram& program, const ProgramMove& move) {
  MovedWords moved;
  moved.executed = PortionCount(program, move, {}).words();
  moved.unexecuted = move.accesses - accesses_of(move, moved.executed);
  if (moved.unexecuted != 0) moved.because = cause_of(program, move);
  return moved;
}

}  // namespace zz::core
