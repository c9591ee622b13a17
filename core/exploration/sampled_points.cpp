#include "core/exploration/sampled_points.hpp"

#include <algorithm>
#include <boost/random/sobol.hpp>
#include <numeric>
#include <unordered_set>

#include "core/base/interruption.hpp"
#include "core/search/methods/random_numbers.hpp"

namespace zz::core {

std::vector<std::uint64_t> random_points(const DesignSpace& space, std::uint64_t count,
                                         std::uint64_t seed) {
  RandomNumbers random(seed, 0);
  std::vector<std::uint64_t> chosen;
  if (count >= space.size()) {
    chosen.resize(space.size());
    std::iota(chosen.begin(), chosen.end(), std::uint64_t{0});
    return chosen;
  }
  // R. W. Floyd's selection: each set of `count` numbers is as likely as any other.
  std::unordered_set<std::uint64_t> taken;
  for (std::uint64_t last = space.size() - count; last < space.size(); ++last) {
    end_if_interrupted();
    const auto drawn = static_cast<std::uint64_t>(random.fraction() * static_cast<double>(last + 1));
    const std::uint64_t number = taken.insert(drawn).second ? drawn : last;
    taken.insert(number);
    chosen.push_back(number);
  }
  return chosen;
}

std::vector<std::uint64_t> sobol_points(const DesignSpace& space, std::uint64_t count) {
  const std::size_t axes = space.axes().size();
  boost::random::sobol sequence(axes);
  std::vector<std::uint64_t> chosen;
  std::unordered_set<std::uint64_t> taken;
  // Far along the sequence new points of a small space become rare.
  constexpr std::uint64_t draws_a_point = 64;
  for (std::uint64_t draw = 0;
       draw < draws_a_point * count && chosen.size() < std::min(count, space.size()); ++draw) {
    end_if_interrupted();
    DesignSpace::Steps steps(axes);
    for (std::size_t i = 0; i < axes; ++i) {
      const double fraction = static_cast<double>(sequence()) / (static_cast<double>(sequence.max()) + 1);
      const double steps_of_axis = static_cast<double>(space.axes()[i].steps.size());
      steps[i] = static_cast<std::uint32_t>(std::min(fraction * steps_of_axis, steps_of_axis - 1));
    }
    const std::uint64_t number = space.number_of(steps);
    if (taken.insert(number).second) chosen.push_back(number);
  }
  return chosen;
}

}  // namespace zz::core
