#include "core/search/spatial/unrolling_options.hpp"

#include <doctest/doctest.h>
#include <set>

#include "core/base/diagnostics.hpp"

using namespace zz::core;

namespace {

std::set<std::int64_t> factors(std::int64_t size, std::int64_t maximum, UnrollingFactors allowed) {
  const UnrollingOptions options({{0, size, maximum}}, maximum, false, allowed, UnrollingList::distinct);
  std::set<std::int64_t> found;
  for (std::size_t option = 0; option < options.size(); ++option)
    found.insert(options.loops(option).empty() ? 1 : options.loops(option)[0].factor);
  return found;
}

}  // namespace

TEST_CASE("a loop is unrolled as often as its kind of factors says") {
  CHECK(factors(56, 12, UnrollingFactors::divisors) == std::set<std::int64_t>{1, 2, 3, 4, 6, 12});
  CHECK(factors(56, 12, UnrollingFactors::even) == std::set<std::int64_t>{1, 2, 4, 7, 8, 12});
  CHECK(factors(5, 4, UnrollingFactors::any) == std::set<std::int64_t>{1, 2, 3, 4});
  CHECK(factors(7, 1, UnrollingFactors::even) == std::set<std::int64_t>{1});
}

TEST_CASE("an array of a thousand million units is no loop of the program") {
  const std::int64_t many = 1'000'000'000;
  CHECK(factors(many, many, UnrollingFactors::even).size() == 100);
  CHECK_THROWS_WITH_AS(
      factors(many, many, UnrollingFactors::any),
      doctest::Contains(
          "more than 4000000 ways to unroll the layer along an array dimension of 1000000000"),
      InputError);
  // Five loops side by side.
  const std::vector<UnrollableLoop> loops(5, {0, 4096, 4096});
  CHECK_THROWS_AS(UnrollingOptions(loops, 1 << 20, true, UnrollingFactors::any, UnrollingList::distinct),
                  InputError);
}
