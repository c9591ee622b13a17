#include "core/search/fused/detail/axis_matches.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace zz::core {
namespace {

/// All ways in which each dimension of the coarse side is a product of dimensions of the fine one, in their
/// order; at most two.
std::vector<std::vector<AxisMatch>> splits(const std::vector<std::int64_t>& coarse,
                                           const std::vector<std::int64_t>& fine) {
  std::vector<std::vector<AxisMatch>> found;
  std::vector<int> owner(fine.size(), -1);
  std::vector<std::int64_t> left = coarse;
  const std::function<void(std::size_t)> place = [&](std::size_t index) {
    if (found.size() > 1) return;
    if (index == fine.size()) {
      if (std::any_of(left.begin(), left.end(), [](std::int64_t size) { return size != 1; })) return;
      std::vector<AxisMatch>& matches = found.emplace_back();
      std::vector<std::int64_t> inside(coarse.size(), 1);
      for (std::size_t i = fine.size(); i-- > 0;) {
        const auto of = static_cast<std::size_t>(owner[i]);
        matches.push_back({owner[i], static_cast<int>(i), inside[of], 1, fine[i]});
        inside[of] *= fine[i];
      }
      return;
    }
    for (std::size_t of = 0; of < coarse.size(); ++of) {
      if (fine[index] == 1 || left[of] % fine[index] != 0) continue;
      left[of] /= fine[index];
      owner[index] = static_cast<int>(of);
      place(index + 1);
      left[of] *= fine[index];
    }
  };
  place(0);
  return found;
}

/// Rows and columns as heads, rows of several queries, and elements.
std::vector<AxisMatch> grouped_rows(const std::vector<std::int64_t>& coarse,
                                    const std::vector<std::int64_t>& fine) {
  if (coarse.size() != 2 || fine.size() != 3) return {};
  const std::int64_t rows = coarse[0], queries = fine[1] / rows;
  if (fine[1] % rows != 0 || queries < 2 || fine[0] * queries * fine[2] != coarse[1]) return {};
  return {{0, 1, 1, 1, rows},
          {1, 2, 1, 1, fine[2]},
          {1, 1, fine[2], rows, queries},
          {1, 0, fine[2] * queries, 1, fine[0]}};
}

std::vector<AxisMatch> turned(std::vector<AxisMatch> matches) {
  for (AxisMatch& match : matches) {
    std::swap(match.from, match.to);
    std::swap(match.from_inside, match.to_inside);
  }
  return matches;
}

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

std::vector<AxisMatch> match_axes(const std::vector<std::int64_t>& from,
                                  const std::vector<std::int64_t>& to) {
  // Axes of one element say nothing.
  std::vector<int> of_from, of_to;
  std::vector<std::int64_t> a, b;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] > 1) of_from.push_back(static_cast<int>(i)), a.push_back(from[i]);
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i] > 1) of_to.push_back(static_cast<int>(i)), b.push_back(to[i]);
  if (product(a) != product(b)) return {};
  std::vector<AxisMatch> matches;
  if (a == b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      matches.push_back({static_cast<int>(i), static_cast<int>(i), 1, 1, a[i]});
  } else {
    const bool finer = b.size() >= a.size();
    const auto ways = finer ? splits(a, b) : splits(b, a);
    if (ways.size() > 1) return {};
    if (!ways.empty())
      matches = finer ? ways.front() : turned(ways.front());
    else
      matches = finer ? grouped_rows(a, b) : turned(grouped_rows(b, a));
  }
  for (AxisMatch& match : matches) {
    match.from = of_from[match.from];
    match.to = of_to[match.to];
  }
  return matches;
}

}  // namespace zz::core
