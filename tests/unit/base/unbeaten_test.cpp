#include "core/base/unbeaten.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>

#include "core/search/methods/random_numbers.hpp"

using zz::core::unbeaten;

TEST_CASE("unbeaten: those that comparing all pairs leaves, in any number of figures") {
  zz::core::RandomNumbers random(11, 0);
  for (std::size_t figures = 1; figures <= 6; ++figures) {
    for (const std::uint64_t steps : {2, 4, 1000}) {
      for (const std::size_t count : {0, 1, 2, 7, 400}) {
        std::vector<std::vector<double>> all(count, std::vector<double>(figures));
        for (std::vector<double>& one : all)
          for (double& figure : one) {
            const std::uint64_t drawn = random.below(steps + 2);
            figure = drawn == steps       ? std::numeric_limits<double>::infinity()
                     : drawn == steps + 1 ? std::nan("")
                                          : static_cast<double>(drawn);
            // Where most have none, few are compared.
            if (std::isnan(figure) && random.below(10) > 0) figure = 0;
          }
        std::vector<std::size_t> expected;
        for (std::size_t i = 0; i < count; ++i)
          if (std::none_of(all.begin(), all.end(),
                           [&](const auto& other) { return zz::core::beats(other, all[i]); }))
            expected.push_back(i);
        CAPTURE(figures);
        CAPTURE(steps);
        CAPTURE(count);
        CHECK(unbeaten(all) == expected);
      }
    }
  }
}

TEST_CASE("unbeaten: without a figure none beats another") {
  CHECK(unbeaten({{}, {}}) == std::vector<std::size_t>{0, 1});
}

TEST_CASE("unbeaten: what is no number beats nothing and is never beaten") {
  const double none = std::nan("");
  CHECK(unbeaten({{none, 0}, {1, 1}, {2, none}, {3, 3}}) == std::vector<std::size_t>{0, 1, 2});
}
