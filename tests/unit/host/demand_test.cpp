#include "host/chain/demand.hpp"

#include <doctest/doctest.h>
#include <string_view>
#include <vector>

#include "core/value/name.hpp"
#include "host/chain/chain.hpp"
#include "host/chain/place.hpp"
#include "tests/unit/host/made_up_stages.hpp"

namespace {

using namespace zz;

void three_lowest(const zz_stage*, zz_demand* out) noexcept { *out = {3, 1, {core::intern("edp")}}; }
const zz_stage_demand ability{sizeof(zz_stage_demand), three_lowest};

const void* find_ability(const zz_stage*, const char* id) noexcept {
  return std::string_view(id) == ZZ_STAGE_DEMAND ? &ability : nullptr;
}

/// Keeps the best of what comes up; the flags say what else it does.
zz_stage_desc keeper(std::uint32_t flags) {
  zz_stage_desc stage = test::made_up_forwarder;
  stage.flags = flags;
  stage.n_provides = 0;
  stage.get_extension = find_ability;
  return stage;
}

/// Number of results wanted of the leaf below `upper` and `lower`.
std::uint32_t wanted(const zz_stage_desc& upper, const zz_stage_desc& lower) {
  host::ResolvedPipeline resolved;
  resolved.stages = {test::placed(1, upper, "", 0), test::placed(2, lower, "", 0),
                     test::placed(3, test::made_up_leaf, "", 1)};
  host::Chain chain(resolved);
  return chain.first().below->below->wanted.demand.keep;
}

}  // namespace

TEST_CASE("what a reducer keeps is known below, also when it keeps several") {
  zz_stage_desc forwarder = test::made_up_forwarder;
  forwarder.n_provides = 0;
  CHECK(wanted(keeper(ZZ_STAGE_REDUCES), forwarder) == 3);
  CHECK(wanted(keeper(0), forwarder) == 3);
  CHECK(wanted(forwarder, keeper(0)) == 3);
  CHECK(wanted(forwarder, forwarder) == 0);
}

TEST_CASE("a stage that changes a figure ends a demand that depends on it") {
  static const char* const energy[] = {"energy_total"};
  zz_stage_desc prices = test::made_up_forwarder;
  prices.writes = energy;
  prices.n_writes = 1;
  CHECK(wanted(keeper(0), prices) == 0);
}

TEST_CASE("a stage that neither reduces nor forwards wants everything") {
  zz_stage_desc collector = test::made_up_forwarder;
  collector.flags = 0;
  CHECK(wanted(keeper(0), collector) == 0);
}

namespace {

void fast_ones(const zz_stage*, zz_limits* out) noexcept {
  *out = {1, {core::intern("latency_total2")}, {100}};
}
const zz_stage_limits limits_ability{sizeof(zz_stage_limits), fast_ones};

const void* find_limits(const zz_stage*, const char* id) noexcept {
  return std::string_view(id) == ZZ_STAGE_LIMITS ? &limits_ability : nullptr;
}

/// Results wanted of the leaf below these, with limits and for a mapper that does not know them.
host::Wanted wanted_of(std::vector<zz_stage_desc> stages, zz_demand& of) {
  host::ResolvedPipeline resolved;
  int number = 0;
  for (const zz_stage_desc& stage : stages) resolved.stages.push_back(test::placed(++number, stage, "", 0));
  resolved.stages.push_back(test::placed(++number, test::made_up_leaf, "", 1));
  host::Chain chain(resolved);
  zz_place* leaf = &chain.first();
  while (leaf->below != nullptr) leaf = leaf->below;
  host::Wanted wanted;
  host::demands_table.within(leaf, &wanted.demand, &wanted.limits);
  host::demands_table.of(leaf, &of);
  return wanted;
}

}  // namespace

TEST_CASE(
    "limits are told below together with the demand, and mappers that do not know them keep everything") {
  zz_stage_desc limiter = test::made_up_forwarder;
  limiter.flags = 0;
  limiter.n_provides = 0;
  limiter.get_extension = find_limits;
  zz_stage_desc forwarder = test::made_up_forwarder;
  forwarder.n_provides = 0;
  zz_demand of{};

  const host::Wanted wanted = wanted_of({keeper(0), limiter, forwarder}, of);
  CHECK(wanted.demand.keep == 3);
  CHECK(wanted.limits.n == 1);
  CHECK(core::text_of(wanted.limits.metric[0]) == "latency_total2");
  CHECK(wanted.limits.at_most[0] == 100);
  CHECK(of.keep == 0);

  CHECK(wanted_of({keeper(0), limiter, limiter}, of).limits.n == 2);
  // A reducer between looks at everything, whatever is dropped above it.
  CHECK(wanted_of({limiter, keeper(0)}, of).limits.n == 0);
  CHECK(of.keep == 3);

  static const char* const latency[] = {"latency_total2"};
  zz_stage_desc writer = forwarder;
  writer.writes = latency;
  writer.n_writes = 1;
  CHECK(wanted_of({keeper(0), limiter, writer}, of).limits.n == 0);
  CHECK(wanted_of({keeper(0), limiter, writer}, of).demand.keep == 0);
}
