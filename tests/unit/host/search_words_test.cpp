#include "host/report/search_words.hpp"

#include <doctest/doctest.h>
#include <limits>

using namespace zz;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

host::ResultRow row(double gap, std::vector<std::pair<std::string, double>> metrics) {
  host::ResultRow row;
  row.gap = gap;
  row.metrics = std::move(metrics);
  return row;
}

host::ResultRow proven(double gap, bool mixed = true) {
  return row(
      gap, {{"optimum_spatial_mappings", 9}, {"optimum_mixed", mixed ? 1 : 0}, {"optimum_any_factor", 0}});
}

host::ResultRow tried(double unrollings, double of_unrollings, double orders, double of_orders) {
  return row(none, {{"unrollings_tried", unrollings},
                    {"unrollings_possible", of_unrollings},
                    {"orders_tried", orders},
                    {"orders_possible", of_orders}});
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("search words: a proof names what competed and what did not") {
  CHECK(
      host::search_words({proven(0), proven(0)}) ==
      Lines{"proven best among all even unrollings (also of several loops along an array dimension), loop "
            "orders and cuts between memories",
            "not compared: what a mapping file rules out, unrollings that leave rounds partly empty, tiles "
            "that do not divide their loop"});
  CHECK(
      host::search_words({proven(0, false)}).front() ==
      "proven best among all even unrollings (of one loop along an array dimension), loop orders and cuts "
      "between memories");
  CHECK(host::search_words({}).empty());
}

TEST_CASE("search words: one unrolling that was listed is not one that was given") {
  const auto listed = [](double number, bool prescribed, bool any) {
    return row(0, {{"optimum_spatial_mappings", number},
                   {"optimum_spatial_prescribed", prescribed ? 1 : 0},
                   {"optimum_mixed", 1},
                   {"optimum_any_factor", any ? 1 : 0}});
  };
  CHECK(
      host::search_words({listed(1, false, true)}) ==
      Lines{
          "proven best among all unrollings (also of several loops along an array dimension), loop orders "
          "and cuts between memories",
          "not compared: what a mapping file rules out, tiles that do not divide their loop"});
  CHECK(host::search_words({listed(1, true, true)}) ==
        Lines{"proven best among all loop orders and cuts between memories",
              "not compared: other unrollings, tiles that do not divide their loop"});
}

TEST_CASE("search words: layers whose proof was cut off are counted, with the greatest gap") {
  CHECK(host::search_words({proven(0), proven(0.5), proven(0.014), tried(1, 1, 2, 2)}).back() ==
        "not proven: 2 of 3 layers, at most 50 % above the best; a limit of the search cut the proof off");
  CHECK(host::search_words({proven(std::numeric_limits<double>::infinity())}).back() ==
        "not proven: 1 of 1 layers, without a bound; a limit of the search cut the proof off");
}

TEST_CASE("search words: nothing is called proven best where no layer is") {
  const Lines cut = host::search_words({proven(0.5), proven(0.2)});
  CHECK(cut.front() ==
        "searched: even unrollings (also of several loops along an array dimension), loop orders and cuts "
        "between memories");
  CHECK(host::search_words({proven(0.5), proven(0)}).front() ==
        "proven best: 1 of 2 layers, among all even unrollings (also of several loops along an array "
        "dimension), loop orders and cuts between memories");
  const host::ResultRow unbounded =
      row(std::numeric_limits<double>::infinity(), {{"optimum_unbounded", 1}});
  CHECK(
      host::search_words({unbounded}) ==
      Lines{"searched: loop orders and cuts between memories",
            "not compared: other unrollings, tiles that do not divide their loop",
            "not proven: 1 of 1 layers, without a bound; with `compat` loading may take less than no time, "
            "so that latency and EDP have no bound above 0"});
}

TEST_CASE("search words: what was tried of what there is") {
  CHECK(host::search_words({tried(3, 3836, 720, 2.1e9)}) ==
        Lines{"tried for each layer: 3 of 3836 unrollings, 720 of 2.1e9 loop orders"});
  CHECK(host::search_words({tried(3, 3836, 5, 5), tried(3, 100, 720, 831600)}) ==
        Lines{"tried for each layer: 3 of 3836 unrollings, 5 to 720 of up to 831600 loop orders"});
  // All there are.
  CHECK(host::search_words({tried(1, 1, 6, 6)}).empty());
  // Loop orders may be proven under a few unrollings.
  CHECK(host::search_words({row(0, {{"unrollings_tried", 3}, {"unrollings_possible", 9}})}) ==
        Lines{"proven best among all loop orders and cuts between memories",
              "not compared: other unrollings, tiles that do not divide their loop",
              "tried for each layer: 3 of 9 unrollings"});
}
