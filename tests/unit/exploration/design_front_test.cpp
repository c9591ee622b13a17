#include "core/exploration/design_front.hpp"

#include <algorithm>
#include <doctest/doctest.h>

#include "core/base/unbeaten.hpp"
#include "core/search/methods/random_numbers.hpp"

TEST_CASE("design front: the points that brute force finds, equal ones included") {
  zz::core::RandomNumbers random(3, 0);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::vector<double>> all;
    zz::core::DesignFront front;
    std::vector<std::uint64_t> beaten;
    for (std::uint64_t number = 0; number < 60; ++number) {
      std::vector<double> figures;
      for (int i = 0; i < 3; ++i) figures.push_back(random.below(5));
      all.push_back(figures);
      front.add(number, figures, beaten);
    }
    std::vector<std::uint64_t> expected, found;
    for (std::uint64_t number = 0; number < all.size(); ++number) {
      const bool lost = std::any_of(all.begin(), all.end(),
                                    [&](const auto& other) { return zz::core::beats(other, all[number]); });
      if (!lost) expected.push_back(number);
    }
    for (const auto& member : front.members()) found.push_back(member.point);
    std::sort(found.begin(), found.end());
    CHECK(found == expected);
  }
}

TEST_CASE("design front: a point that comes again has its new figures") {
  zz::core::DesignFront front;
  std::vector<std::uint64_t> beaten;
  CHECK(front.add(1, {5, 5}, beaten));
  CHECK(front.add(1, {4, 5}, beaten));
  CHECK(front.members().size() == 1);
  CHECK(beaten.empty());
  CHECK(front.surely_beats({4.1, 5}) != nullptr);
  CHECK(front.surely_beats({4 + 1e-12, 5}) == nullptr);
  CHECK(front.covers({3.9, 4.9}, 1.03) != nullptr);
  CHECK(front.covers({3.9, 4.9}, 1.01) == nullptr);
}
