#include "core/base/unbeaten.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include "core/base/interruption.hpp"

namespace zz::core {
namespace {

using Figures = std::vector<double>;
using Numbers = std::vector<std::size_t>;

/// So few pairs are compared one by one.
constexpr std::size_t few_pairs = 1024;

/// Works on distinct vectors in lexicographical order: none beats an earlier one, and an earlier one beats
/// a later one when it is no worse in all figures but the first.
class Sieve {
 public:
  explicit Sieve(const std::vector<const Figures*>& distinct)
      : all_(distinct), beaten_(distinct.size(), false) {}

  const std::vector<bool>& run() {
    if (const std::size_t figures = all_.front()->size(); figures > 3) {
      mark(0, all_.size());
    } else {
      sweep(figures > 1 ? 1 : 0, figures > 2 ? 2 : 0);
    }
    return beaten_;
  }

 private:
  double figure(std::size_t place, std::size_t which) const { return (*all_[place])[which]; }

  /// Marks by two figures at most: of those before, no worse in one, only the least in the other counts.
  void sweep(std::size_t first, std::size_t second) {
    std::map<double, double> stairs;  // by the first, ascending; the second descends
    for (std::size_t place = 0; place < all_.size(); ++place) {
      const double x = figure(place, first), y = figure(place, second);
      const auto after = stairs.upper_bound(x);
      if (after != stairs.begin() && std::prev(after)->second <= y) {
        beaten_[place] = true;
        continue;
      }
      auto worse = stairs.lower_bound(x);
      while (worse != stairs.end() && worse->second >= y) worse = stairs.erase(worse);
      stairs.emplace_hint(worse, x, y);
    }
  }

  Numbers left(std::size_t begin, std::size_t end) const {
    Numbers numbers;
    for (std::size_t place = begin; place < end; ++place)
      if (!beaten_[place]) numbers.push_back(place);
    return numbers;
  }

  void mark(std::size_t begin, std::size_t end) {
    end_if_interrupted();
    if (end - begin < 2) return;
    const std::size_t middle = begin + (end - begin) / 2;
    mark(begin, middle);
    mark(middle, end);
    mark_beaten(left(begin, middle), left(middle, end), 1);
  }

  /// Marks those of `later` that one of `earlier` beats, where only figures from `which` on are left to be
  /// compared.
  void mark_beaten(Numbers earlier, Numbers later, std::size_t which) {
    std::erase_if(later, [&](std::size_t place) { return beaten_[place]; });
    if (earlier.empty() || later.empty()) return;
    const std::size_t figures = all_.front()->size();
    if (earlier.size() * later.size() <= few_pairs) return compare(earlier, later, which);
    if (which + 2 == figures) return sweep_beaten(earlier, later, which);
    Figures values;
    for (const Numbers* numbers : {&earlier, &later})
      for (const std::size_t place : *numbers) values.push_back(figure(place, which));
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    double bar = *middle;
    if (const double least = *std::min_element(values.begin(), values.end()); bar == least) {
      const auto above = std::remove(values.begin(), values.end(), least);
      if (above == values.begin()) return mark_beaten(std::move(earlier), std::move(later), which + 1);
      bar = *std::min_element(values.begin(), above);
    }
    const auto split = [&](Numbers& numbers) {
      const auto from = std::stable_partition(
          numbers.begin(), numbers.end(), [&](std::size_t place) { return figure(place, which) < bar; });
      Numbers high(from, numbers.end());
      numbers.erase(from, numbers.end());
      return high;
    };
    Numbers earlier_high = split(earlier), later_high = split(later);
    mark_beaten(earlier, std::move(later), which);
    mark_beaten(std::move(earlier), later_high, which + 1);
    mark_beaten(std::move(earlier_high), std::move(later_high), which);
  }

  void compare(const Numbers& earlier, const Numbers& later, std::size_t which) {
    for (const std::size_t place : later)
      beaten_[place] = std::any_of(earlier.begin(), earlier.end(), [&](std::size_t other) {
        for (std::size_t i = which; i < all_.front()->size(); ++i)
          if (figure(other, i) > figure(place, i)) return false;
        return true;
      });
  }

  /// Two figures are left.
  void sweep_beaten(Numbers& earlier, Numbers& later, std::size_t which) {
    const auto by_figure = [&](std::size_t a, std::size_t b) {
      return figure(a, which) < figure(b, which);
    };
    std::sort(earlier.begin(), earlier.end(), by_figure);
    std::sort(later.begin(), later.end(), by_figure);
    double least = std::numeric_limits<double>::infinity();
    bool any = false;
    auto next = earlier.begin();
    for (const std::size_t place : later) {
      for (; next != earlier.end() && figure(*next, which) <= figure(place, which); ++next, any = true)
        least = std::min(least, figure(*next, which + 1));
      if (any && least <= figure(place, which + 1)) beaten_[place] = true;
    }
  }

  const std::vector<const Figures*>& all_;
  std::vector<bool> beaten_;
};

bool has_no_number(const Figures& figures) {
  return std::any_of(figures.begin(), figures.end(), [](double figure) { return std::isnan(figure); });
}

}  // namespace

bool beats(const Figures& a, const Figures& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(a[i] <= b[i])) return false;
    better = better || a[i] < b[i];
  }
  return better;
}

std::vector<std::size_t> unbeaten(const std::vector<Figures>& all) {
  Numbers result, order;
  for (std::size_t place = 0; place < all.size(); ++place)
    (has_no_number(all[place]) ? result : order).push_back(place);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return all[a] < all[b]; });
  std::vector<const Figures*> distinct;
  for (const std::size_t place : order)
    if (distinct.empty() || *distinct.back() != all[place]) distinct.push_back(&all[place]);
  if (!distinct.empty() && !distinct.front()->empty()) {
    Sieve sieve(distinct);
    const std::vector<bool>& beaten = sieve.run();
    std::size_t at = 0;
    for (const std::size_t place : order) {
      if (*distinct[at] != all[place]) ++at;
      if (!beaten[at]) result.push_back(place);
    }
  } else {
    result.insert(result.end(), order.begin(), order.end());
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace zz::core
