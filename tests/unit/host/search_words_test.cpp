#include "host/report/search_words.hpp"

#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/cost/proof_space.hpp"

using namespace zz;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

host::ResultRow row(double gap, std::vector<std::pair<std::string, double>> metrics) {
  host::ResultRow row;
  row.gap = gap;
  row.metrics = std::move(metrics);
  return row;
}

/// Over every even unrolling, for latency.
core::ProofSpace even_space() { return {.even = true, .dividing = true, .for_latency = true}; }

host::ResultRow proven(double gap, const core::ProofSpace& space = even_space()) {
  return row(gap, {{"optimum_space", core::figure_of(space)}});
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
            "orders and cuts between memories, for latency",
            "not compared: unrollings that leave rounds partly empty but for the largest, tiles that do "
            "not divide their loop"});
  core::ProofSpace one_loop = even_space();
  one_loop.one_loop = true;
  CHECK(
      host::search_words({proven(0, one_loop)}) ==
      Lines{"proven best among all even unrollings (of one loop along an array dimension), loop orders and "
            "cuts between memories, for latency",
            "not compared: unrollings that leave rounds partly empty but for the largest, several loops "
            "along an array "
            "dimension, "
            "tiles that do not divide their loop"});
  CHECK(
      host::search_words({proven(0, {.dividing = true, .for_energy = true})}) ==
      Lines{
          "proven best among all unrollings (also of several loops along an array dimension), loop orders "
          "and cuts between memories, for energy",
          "not compared: tiles that do not divide their loop"});
  CHECK(host::search_words({}).empty());
}

TEST_CASE("search words: all unrollings are never those that a mapping file leaves open") {
  for (const bool even : {false, true}) {
    const Lines lines =
        host::search_words({proven(0, {.hinted = true, .even = even, .dividing = true, .for_edp = true})});
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == std::string("proven best among the ") + (even ? "even " : "") +
                          "unrollings that the mapping file leaves open (also of several loops along an "
                          "array dimension), all loop orders and cuts between memories, for energy times "
                          "latency");
    CHECK(lines[1].starts_with("not compared: unrollings that the mapping file rules out, "));
  }
}

TEST_CASE("search words: a proof under prescriptions says so") {
  CHECK(
      host::search_words({proven(0, {.prescribed = true, .dividing = true, .for_latency = true})}) ==
      Lines{"proven best among all loop orders and cuts between memories, with the prescribed unrollings, "
            "for latency",
            "not compared: other unrollings, tiles that do not divide their loop"});
  CHECK(
      host::search_words({proven(
          0,
          {.prescribed = true, .ordered = true, .dividing = true, .limited = true, .for_energy = true})}) ==
      Lines{
          "proven best among all loop orders that the mapping file leaves open and cuts between memories, "
          "with the prescribed unrollings, within the limits of other stages, for energy",
          "not compared: other unrollings, loop orders that the mapping file rules out, tiles that do not "
          "divide their loop, mappings above the limits of other stages"});
  CHECK(host::search_words(
            {proven(0, {.given = true, .greedy = true, .dividing = true, .for_latency = true})})
            .front() ==
        "proven best among all loop orders and LOMA's cuts between memories, with the unrollings that are "
        "given, for latency");
}

TEST_CASE("search words: where no other unrolling can be better, none is called left out") {
  const core::ProofSpace prescribed{.prescribed = true, .dividing = true, .for_latency = true};
  core::ProofSpace unbeaten = prescribed;
  unbeaten.unbeaten = true;
  CHECK(
      host::search_words({proven(0, unbeaten)}) ==
      Lines{"proven best among all loop orders and cuts between memories, with the prescribed unrollings, "
            "which no other unrolling can better, for latency",
            "not compared: tiles that do not divide their loop"});
  for (const bool first : {true, false})
    CHECK(
        host::search_words(
            {proven(0, first ? unbeaten : prescribed), proven(0, first ? prescribed : unbeaten)}) ==
        Lines{
            "proven best among all loop orders and cuts between memories, with the prescribed unrollings, "
            "for latency",
            "not compared: other unrollings (for 1 of 2 layers none can be better), tiles that do not "
            "divide their loop"});
  CHECK_FALSE(
      core::space_of_figure(core::figure_of_both(core::figure_of(unbeaten), core::figure_of(prescribed)))
          .unbeaten);
}

TEST_CASE("search words: layers over different spaces are told one by one") {
  CHECK(
      host::search_words(
          {proven(0), proven(0, {.prescribed = true, .dividing = true, .for_latency = true}), proven(0)}) ==
      Lines{"proven best: 2 of 3 layers, among all even unrollings (also of several loops along an array "
            "dimension), loop orders and cuts between memories, for latency",
            "not compared for 2 of 3 layers: unrollings that leave rounds partly empty but for the "
            "largest, tiles that do not "
            "divide their loop",
            "proven best: 1 of 3 layers, among all loop orders and cuts between memories, with the "
            "prescribed unrollings, for latency",
            "not compared for 1 of 3 layers: other unrollings, tiles that do not divide their loop"});
}

TEST_CASE("search words: a gap that was allowed is told, and is no proof that was cut off") {
  const auto with_gap = [](double gap, double allowed) {
    host::ResultRow row = proven(gap);
    row.metrics.emplace_back("optimum_gap_allowed", allowed);
    return row;
  };
  const std::string space =
      "all even unrollings (also of several loops along an array dimension), loop orders and cuts between "
      "memories, for latency";
  const Lines both = host::search_words({with_gap(0.004, 0.01), with_gap(0, 0.01)});
  REQUIRE(both.size() == 2);
  CHECK(both[0] == "proven within 1 % of the best among " + space);
  // As a search that stops there has it.
  CHECK(host::search_words({with_gap(0.010000000000000009, 0.01)}).size() == 2);
  const Lines cut = host::search_words({with_gap(0.004, 0.01), with_gap(0.03, 0.01)});
  REQUIRE(cut.size() == 3);
  CHECK(cut[0] == "proven within 1 % of the best: 1 of 2 layers, among " + space);
  CHECK(cut[2] ==
        "not proven: 1 of 2 layers, at most 3 % above the best; a limit of the search cut the proof off");
}

TEST_CASE("search words: the other figure that a pair within was chosen for is named") {
  const auto chosen = [](core::ProofSpace space) {
    host::ResultRow row = proven(0, space);
    row.metrics.emplace_back("optimum_within", 0.001);
    return host::search_words({row})[1];
  };
  CHECK(chosen(even_space()) ==
        "chosen: of mappings at most 0.1 % above the best, the one with the least energy");
  CHECK(chosen({.for_energy = true}) ==
        "chosen: of mappings at most 0.1 % above the best, the one with the least latency");
}

TEST_CASE("search words: less that was proven of the other figure is told beside it") {
  const auto chosen = [](bool even, double gap, double allowed) {
    core::ProofSpace space{.dividing = true, .for_latency = true};
    space.second_even = even;
    host::ResultRow row = proven(0, space);
    row.metrics.emplace_back("optimum_within", 0.001);
    row.metrics.emplace_back("optimum_second_gap", gap);
    row.metrics.emplace_back("optimum_gap_allowed", allowed);
    return row;
  };
  const std::string line =
      "chosen: of mappings at most 0.1 % above the best, the one with the least energy";
  CHECK(host::search_words({chosen(false, 0, 0)})[1] == line);
  CHECK(host::search_words({chosen(false, 0.01, 0.02)})[1] == line);
  CHECK(host::search_words({chosen(true, 0, 0)})[1] == line + " (among even unrollings)");
  // All are layers of one space: the objective's.
  const Lines both = host::search_words({chosen(true, 0, 0), chosen(false, 0.03, 0.02)});
  REQUIRE(both.size() == 3);
  CHECK(
      both[1] ==
      line +
          " (for 1 of 2 layers among even unrollings, for 1 of 2 layers at most 3 % more than the least)");
  CHECK(both[2] == "not compared: tiles that do not divide their loop");
}

TEST_CASE("search words: figures of an earlier zz are still read") {
  const auto earlier = [](double prescribed, double mixed, double any) {
    return host::search_words({row(0, {{"optimum_spatial_mappings", 9},
                                       {"optimum_spatial_prescribed", prescribed},
                                       {"optimum_mixed", mixed},
                                       {"optimum_any_factor", any}})});
  };
  CHECK(
      earlier(0, 1, 1) ==
      Lines{
          "proven best among all unrollings (also of several loops along an array dimension), loop orders "
          "and cuts between memories",
          "not compared: tiles that do not divide their loop"});
  CHECK(
      earlier(0, 0, 0).front() ==
      "proven best among all even unrollings (of one loop along an array dimension), loop orders and cuts "
      "between memories");
  CHECK(earlier(1, 1, 1) ==
        Lines{"proven best among all loop orders and cuts between memories, with the prescribed unrollings",
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
        "between memories, for latency");
  CHECK(host::search_words({proven(0.5), proven(0)}).front() ==
        "proven best: 1 of 2 layers, among all even unrollings (also of several loops along an array "
        "dimension), loop orders and cuts between memories, for latency");
  const host::ResultRow unbounded =
      row(std::numeric_limits<double>::infinity(), {{"optimum_unbounded", 1}});
  CHECK(
      host::search_words({unbounded}) ==
      Lines{"searched: loop orders and cuts between memories, with the unrollings that are given",
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
  // Loop orders may be proven under a few unrollings, or under all of the even ones.
  const auto under = [](double unrollings, double possible) {
    return host::search_words(
        {row(0, {{"optimum_space", core::figure_of({.given = true, .dividing = true})},
                 {"unrollings_tried", unrollings},
                 {"unrollings_possible", possible}})});
  };
  const std::string each =
      "proven best among all loop orders and cuts between memories, with each of the unrollings that were "
      "tried";
  CHECK(under(3, 9) == Lines{each, "not compared: other unrollings, tiles that do not divide their loop",
                             "tried for each layer: 3 of 9 unrollings"});
  CHECK(under(3, 3) == Lines{each,
                             "not compared: unrollings that leave rounds partly empty but for the largest, "
                             "tiles that do not divide their loop"});
}

TEST_CASE("proof space: a space that two have in common leaves out what either does") {
  core::Evaluation first, second;
  first.certificate.space = core::figure_of({.even = true, .dividing = true, .for_latency = true});
  second.certificate.space = core::figure_of({.ordered = true, .dividing = true, .for_latency = true});
  const core::ProofSpace both{.even = true, .ordered = true, .dividing = true, .for_latency = true};
  CHECK(core::space_of_figure(*core::add(first, second).certificate.space) == both);
  CHECK(core::space_of_figure(*core::scale(first, 3).certificate.space) ==
        core::space_of_figure(*first.certificate.space));
  // As an archive of an earlier zz has it.
  core::Evaluation earlier;
  core::set_metric(earlier, "optimum_any_factor", 1);
  core::set_metric(earlier, "optimum_mixed", 1);
  CHECK(core::space_of_figure(*earlier.certificate.space) == core::ProofSpace{.dividing = true});
  CHECK(core::metrics_of(earlier).size() == 1);
}
