#include "core/calibration/detail/pattern_search.hpp"

#include <algorithm>
#include <limits>

namespace zz::core {
namespace {

/// Moves along each axis, and along the diagonals of each two.
std::vector<std::vector<double>> moves_of(std::size_t axes) {
  std::vector<std::vector<double>> moves;
  for (std::size_t a = 0; a < axes; ++a) {
    for (const double sign : {1.0, -1.0}) {
      moves.emplace_back(axes, 0.0)[a] = sign;
      for (std::size_t b = 0; b < a; ++b) {
        for (const double other : {1.0, -1.0}) {
          std::vector<double>& diagonal = moves.emplace_back(axes, 0.0);
          diagonal[a] = sign;
          diagonal[b] = other;
        }
      }
    }
  }
  return moves;
}

}  // namespace

std::vector<double> pattern_search(const std::vector<std::vector<double>>& starts,
                                   const std::function<double(const std::vector<double>&)>& function) {
  constexpr double first_step = 0.16, last_step = 5e-4;
  double least = std::numeric_limits<double>::infinity();
  std::vector<double> best = starts.front();
  const std::vector<std::vector<double>> moves = moves_of(best.size());
  for (std::vector<double> here : starts) {
    double value = function(here);
    for (double step = first_step; step > last_step;) {
      bool moved = false;
      for (const std::vector<double>& move : moves) {
        std::vector<double> next = here;
        for (std::size_t axis = 0; axis < next.size(); ++axis)
          next[axis] = std::clamp(next[axis] + step * move[axis], 0.0, 1.0);
        if (next == here) continue;
        const double there = function(next);
        if (!(there < value)) continue;
        here = next;
        value = there;
        moved = true;
      }
      if (!moved) step /= 2;
    }
    if (value < least) {
      least = value;
      best = here;
    }
  }
  return best;
}

}  // namespace zz::core
