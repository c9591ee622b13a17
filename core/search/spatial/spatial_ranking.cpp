#include "core/search/spatial/spatial_ranking.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>

namespace zz::core {
namespace {

constexpr double lowest = -std::numeric_limits<double>::infinity();

/// Grows with `units` and falls with `largest`, also after rounding: so it bounds what a branch can reach.
double score_of(std::int64_t units, std::int64_t largest) {
  const auto used = static_cast<double>(units);
  return used + used / static_cast<double>(largest) - 1;
}

/// Two passes over the tree of choices. The first takes large options first, which soon gives a high score
/// to beat, and finds the score of the last choice that is wanted. The second goes in the order of the
/// product and collects what reaches that score.
class Ranking {
 public:
  Ranking(const std::vector<SpatialOptions>& dimensions, const std::vector<std::int64_t>& loop_sizes,
          const std::vector<UnrolledIndex>& prescribed, std::size_t limit)
      : dimensions_(dimensions),
        loop_sizes_(loop_sizes),
        limit_(limit),
        totals_(loop_sizes.size(), 1),
        chosen_(dimensions.size()),
        most_units_above_(dimensions.size() + 1, 1) {
    for (std::size_t i = dimensions.size(); i-- > 0;) {
      std::int64_t most = 1;
      for (std::size_t option = 0; option < dimensions[i].size(); ++option)
        most = std::max(most, dimensions[i].units(option));
      most_units_above_[i] = most_units_above_[i + 1] * most;
    }
    for (const UnrolledIndex& unrolled : prescribed) {
      totals_[unrolled.loop] *= unrolled.factor;
      units_ *= unrolled.factor;
    }
    largest_ = *std::max_element(totals_.begin(), totals_.end());
  }

  std::vector<RankedChoice> run() {
    if (limit_ > 0) {
      sort_options();
      find_threshold(0, units_, largest_);
      if (best_.size() == limit_) threshold_ = best_.top();
      count_wanted();
    }
    collect(0, units_, largest_);
    std::stable_sort(collected_.begin(), collected_.end(),
                     [](const RankedChoice& a, const RankedChoice& b) { return a.score > b.score; });
    return std::move(collected_);
  }

 private:
  void sort_options() {
    for (const SpatialOptions& options : dimensions_) {
      std::vector<std::uint32_t>& order = by_units_.emplace_back(options.size());
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return options.units(a) > options.units(b);
      });
    }
  }

  void find_threshold(std::size_t depth, std::int64_t units, std::int64_t largest) {
    if (depth == dimensions_.size()) {
      best_.push(score_of(units, largest));
      if (best_.size() > limit_) best_.pop();
      return;
    }
    const SpatialOptions& options = dimensions_[depth];
    for (const std::uint32_t option : by_units_[depth]) {
      const std::int64_t used = units * options.units(option);
      const std::int64_t reachable = used * most_units_above_[depth + 1];
      const double to_beat = best_.size() == limit_ ? best_.top() : lowest;
      if (score_of(reachable, largest) <= to_beat) break;  // the others are no larger
      if (score_of(reachable, std::max(largest, options.largest(option))) <= to_beat) continue;
      if (const std::int64_t most = unroll(options, option, largest); most > 0)
        find_threshold(depth + 1, used, most);
      roll_up(options, option);
    }
  }

  /// How many choices of exactly the threshold's score are still wanted, and how many there are in all.
  void count_wanted() {
    wanted_ = best_.size() == limit_ ? limit_ : std::numeric_limits<std::size_t>::max();
    std::size_t equal = 0;
    for (; !best_.empty() && best_.top() == threshold_; best_.pop()) ++equal;
    equal_wanted_ = equal;
  }

  void collect(std::size_t depth, std::int64_t units, std::int64_t largest) {
    if (depth == dimensions_.size()) {
      const double score = score_of(units, largest);
      if (score < threshold_) return;
      if (score == threshold_) {
        if (equal_wanted_ == 0) return;
        --equal_wanted_;
      }
      collected_.push_back({score, chosen_});
      return;
    }
    const SpatialOptions& options = dimensions_[depth];
    for (std::uint32_t option = 0; option < options.size() && collected_.size() < wanted_; ++option) {
      const std::int64_t used = units * options.units(option);
      const double bound =
          score_of(used * most_units_above_[depth + 1], std::max(largest, options.largest(option)));
      if (bound < threshold_ || (bound == threshold_ && equal_wanted_ == 0)) continue;
      chosen_[depth] = option;
      if (const std::int64_t most = unroll(options, option, largest); most > 0)
        collect(depth + 1, used, most);
      roll_up(options, option);
    }
  }

  /// Unrolls the option; the largest total then, or 0 when some loop has too few iterations for it.
  std::int64_t unroll(const SpatialOptions& options, std::uint32_t option, std::int64_t largest) {
    bool legal = true;
    for (const UnrolledIndex& unrolled : options.loops(option)) {
      std::int64_t& total = totals_[unrolled.loop];
      total *= unrolled.factor;
      legal = legal && total <= loop_sizes_[unrolled.loop];
      largest = std::max(largest, total);
    }
    return legal ? largest : 0;
  }

  void roll_up(const SpatialOptions& options, std::uint32_t option) {
    for (const UnrolledIndex& unrolled : options.loops(option)) totals_[unrolled.loop] /= unrolled.factor;
  }

  const std::vector<SpatialOptions>& dimensions_;
  const std::vector<std::int64_t>& loop_sizes_;
  const std::size_t limit_;
  std::vector<std::int64_t> totals_;  ///< unroll of each loop over all array dimensions
  std::vector<std::uint32_t> chosen_;
  std::vector<std::int64_t> most_units_above_;  ///< that the dimensions from this one on can use
  std::vector<std::vector<std::uint32_t>> by_units_;
  std::priority_queue<double, std::vector<double>, std::greater<>> best_;
  std::int64_t units_ = 1;
  std::int64_t largest_ = 1;
  double threshold_ = lowest;
  std::size_t wanted_ = std::numeric_limits<std::size_t>::max();
  std::size_t equal_wanted_ = std::numeric_limits<std::size_t>::max();
  std::vector<RankedChoice> collected_;
};

}  // namespace

std::vector<RankedChoice> rank_choices(const std::vector<SpatialOptions>& dimensions,
                                       const std::vector<std::int64_t>& loop_sizes,
                                       const std::vector<UnrolledIndex>& prescribed, std::size_t limit) {
  return Ranking(dimensions, loop_sizes, prescribed, limit).run();
}

}  // namespace zz::core
