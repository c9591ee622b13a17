#include "core/hardware/interconnect.hpp"

#include <doctest/doctest.h>
#include <limits>

#include "tests/unit/worlds/texts.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Regular cores and then as many special ones as asked for: pooling, simd, off-chip.
MultiCoreAccelerator cores(int regular, int special, const std::string& dram_ports = one_port) {
  MultiCoreAccelerator accelerator;
  accelerator.name = "joined";
  const auto core = core_of(core_text("core"));
  for (int i = 0; i < regular; ++i) accelerator.cores.push_back(core);
  if (special > 0) accelerator.pooling_core = regular;
  if (special > 1) accelerator.simd_core = regular + 1;
  if (special > 2) accelerator.offchip_core = regular + 2;
  for (int i = 0; i < special; ++i)
    accelerator.cores.push_back(i < 2 ? core : core_of(dram_text(dram_ports)));
  return accelerator;
}

std::vector<std::pair<int, int>> pairs(const MultiCoreAccelerator& accelerator) {
  std::vector<std::pair<int, int>> result;
  for (const Connection& connection : accelerator.connections)
    result.emplace_back(connection.from, connection.to);
  return result;
}

using Pairs = std::vector<std::pair<int, int>>;

}  // namespace

TEST_CASE("a mesh is filled column by column and joined row by row, then column by column") {
  MultiCoreAccelerator accelerator = cores(6, 0);
  join_mesh(accelerator, 2, 3, {32, 0.5});
  CHECK(pairs(accelerator) == Pairs{{0, 2},
                                    {2, 4},
                                    {4, 2},
                                    {2, 0},
                                    {1, 3},
                                    {3, 5},
                                    {5, 3},
                                    {3, 1},  // rows
                                    {0, 1},
                                    {1, 0},
                                    {2, 3},
                                    {3, 2},
                                    {4, 5},
                                    {5, 4}});
  CHECK(accelerator.links.size() == 14);
  CHECK(accelerator.links[0] == Link{0, 2, 32, 0.5, false});
  CHECK(accelerator.links[1] == Link{0, 1, 32, 0.5, false});
  CHECK(accelerator.links[2] == Link{2, 4, 32, 0.5, false});
  CHECK(accelerator.cores_by_connection() == std::vector<int>{0, 2, 4, 1, 3, 5});
  accelerator.derive();
  CHECK(accelerator.route(0, 5).size() == 3);
}

TEST_CASE("special cores are joined after the mesh: pooling, simd by its ports, off-chip by one link") {
  MultiCoreAccelerator accelerator = cores(1, 3);
  join_mesh(accelerator, 1, 1, {32, 0.5});
  CHECK(pairs(accelerator) == Pairs{{0, 1},
                                    {1, 0},
                                    {0, 2},
                                    {2, 0},
                                    {1, 2},
                                    {2, 1},  //
                                    {0, 3},
                                    {3, 0},
                                    {1, 3},
                                    {3, 1},
                                    {2, 3},
                                    {3, 2}});
  CHECK(accelerator.links[accelerator.connections[0].link] == Link{0, 1, 32, 0.5, false});
  const Link into = {-1, 2, 16, 0, false}, out_of = {2, -1, 32, 0, false};
  for (const int i : {2, 4}) {
    CHECK(accelerator.links[accelerator.connections[i].link] == into);
    CHECK(accelerator.links[accelerator.connections[i + 1].link] == out_of);
    CHECK(accelerator.connections[i].link == accelerator.connections[2].link);
    CHECK(accelerator.connections[i + 1].link == accelerator.connections[3].link);
  }
  for (std::size_t i = 6; i < 12; ++i)
    CHECK(accelerator.links[accelerator.connections[i].link] == Link{3, -1, 64, 0.5, true});
}

TEST_CASE("links that end at a memory are as fast as its port is, and what they move costs as much") {
  MultiCoreAccelerator accelerator = cores(1, 3);
  Accelerator slow = *accelerator.cores[3];
  for (Port& port : slow.memories[0].ports) port.efficiency = 0.75;
  accelerator.cores[3] = std::make_shared<const Accelerator>(slow);
  join_mesh(accelerator, 1, 1, {32, 0.5});
  accelerator.derive();
  CHECK(accelerator.links[accelerator.route(3, 0).front()] == Link{3, -1, 48, 0.375, true});
  const TopMemory& memory = accelerator.top_memories.back();
  CHECK(memory.read_bandwidth == 64);
  CHECK(memory.read_efficiency == 0.75);
}

TEST_CASE("the links of a simd core are as wide as the narrowest of its homes of operands") {
  MultiCoreAccelerator accelerator = cores(2, 2);
  Accelerator simd = *accelerator.cores[3];
  Memory results = simd.memories[0];
  results.name = "results";
  results.operands = {"O"};
  simd.memories[0].operands = {"I1", "I2"};
  results.ports[0].bandwidth_max = 8;
  simd.memories.push_back(results);
  accelerator.cores[3] = std::make_shared<const Accelerator>(simd);
  join_mesh(accelerator, 1, 2, {32, 0.5});
  accelerator.derive();
  CHECK(accelerator.links[accelerator.route(0, 3).front()] == Link{-1, 3, 16, 0, false});
  CHECK(accelerator.links[accelerator.route(3, 0).front()] == Link{3, -1, 8, 0, false});
}

TEST_CASE("a simd core whose memory has one port has one link for both directions") {
  MultiCoreAccelerator accelerator = cores(2, 2);
  accelerator.cores[3] =
      core_of("name: simd\nmemories:\n" + memory_text("buffer", "64", one_port) + array_text("4"));
  join_mesh(accelerator, 1, 2, {32, 0.5});
  accelerator.derive();
  CHECK(accelerator.links[accelerator.route(0, 3).front()] == Link{3, -1, 64, 0, true});
  CHECK(accelerator.route(3, 1) == accelerator.route(0, 3));
}

TEST_CASE("figures of the simd core's links are those that are given") {
  MultiCoreAccelerator accelerator = cores(2, 2);
  Rules stream;
  stream.simd_transfers_free = true;
  for (const Rules& rules : {Rules{}, stream}) {
    join_mesh(accelerator, 1, 2, {32, 0.5}, {24, std::nullopt}, rules);
    accelerator.derive();
    CHECK(accelerator.links[accelerator.route(0, 3).front()] == Link{-1, 3, 24, 0, false});
    CHECK(accelerator.links[accelerator.route(3, 1).front()] == Link{3, -1, 24, 0, false});
    join_mesh(accelerator, 1, 2, {32, 0.5}, {std::nullopt, 2}, rules);
    accelerator.derive();
    CHECK(accelerator.links[accelerator.route(0, 3).front()] == Link{-1, 3, 16, 2, false});
    CHECK_FALSE(with_free_simd_links(accelerator).has_value());
  }
}

TEST_CASE("links of a simd core are free by Stream's rule, and can be made free") {
  MultiCoreAccelerator accelerator = cores(1, 3);
  Rules stream;
  stream.simd_transfers_free = true;
  join_mesh(accelerator, 1, 1, {32, 0.5}, {}, stream);
  accelerator.derive();
  CHECK(accelerator.links[accelerator.route(0, 2).front()] == Link{0, 2, infinite, 0, false});
  CHECK(accelerator.links[accelerator.route(2, 1).front()] == Link{2, 1, infinite, 0, false});
  CHECK_FALSE(with_free_simd_links(accelerator).has_value());
  join_mesh(accelerator, 1, 1, {32, 0.5});
  accelerator.derive();
  const auto changed = with_free_simd_links(accelerator);
  REQUIRE(changed.has_value());
  CHECK(changed->routes == accelerator.routes);
  for (int from = 0; from < 4; ++from)
    for (int to = 0; to < 4; ++to)
      for (const int link : accelerator.route(from, to)) {
        const bool simd = (from == 2 || to == 2) && from != 3 && to != 3;
        CHECK((changed->links[link].bandwidth == infinite) == simd);
        CHECK((changed->links[link] == accelerator.links[link]) != simd);
      }
  join_by_bus(accelerator, {32, 0.5});
  accelerator.derive();
  CHECK_FALSE(with_free_simd_links(accelerator).has_value());
}

TEST_CASE("an off-chip memory with several ports has a link for each direction") {
  MultiCoreAccelerator accelerator = cores(2, 3, two_ports);
  join_mesh(accelerator, 1, 2, {32, 0.5});
  accelerator.derive();
  CHECK(accelerator.route(0, 4) == accelerator.route(1, 4));
  CHECK(accelerator.links[accelerator.route(0, 4).front()] == Link{-1, 4, 16, 0.5, false});
  CHECK(accelerator.links[accelerator.route(4, 0).front()] == Link{4, -1, 32, 0.5, false});
}

TEST_CASE("on a bus all regular cores and the simd core use one link") {
  MultiCoreAccelerator accelerator = cores(3, 3);
  join_by_bus(accelerator, {32, 0.5});
  accelerator.derive();
  const Link bus = {-1, -1, 32, 0.5, false};
  CHECK(accelerator.links[accelerator.route(0, 1).front()] == bus);
  CHECK(accelerator.route(2, 1) == accelerator.route(0, 1));
  CHECK(accelerator.route(4, 3) == accelerator.route(0, 1));
  CHECK(accelerator.links[accelerator.route(0, 3).front()] == Link{0, 3, 32, 0.5, false});
  CHECK(accelerator.links.size() == 8);  // bus, three each way with pooling, off-chip
}

TEST_CASE("cores that share a memory get no link and need none") {
  MultiCoreAccelerator accelerator = cores(2, 0);
  accelerator.shared_memories = {{0, 1}};
  join_mesh(accelerator, 1, 2, {32, 0});
  CHECK(accelerator.links.empty());
  accelerator.derive();
  REQUIRE(accelerator.top_memories.size() == 1);
  CHECK(accelerator.top_memories[0].cores == std::vector<int>{0, 1});
  CHECK(accelerator.top(0, "O") == accelerator.top(1, "O"));
  CHECK(accelerator.share_memory(0, 1));
}

TEST_CASE("groups of cores: links between two, a bus between more, and the off-chip memory for all") {
  MultiCoreAccelerator accelerator = cores(2, 3);
  accelerator.pooling_core.reset();
  accelerator.simd_core.reset();
  join_groups(accelerator, {{{0, 1}, {32, 1}}, {{1, 2, 3}, {16, 2}}}, 0.25);
  accelerator.derive();
  CHECK(accelerator.links[accelerator.route(0, 1).front()] == Link{0, 1, 32, 1, false});
  CHECK(accelerator.links[accelerator.route(2, 3).front()] == Link{-1, -1, 16, 2, false});
  CHECK(accelerator.links[accelerator.route(4, 2).front()] == Link{4, -1, 64, 0.25, true});
  CHECK(accelerator.route(0, 2).size() == 2);

  join_groups(accelerator, {{{0, 1, 2, 3, 4}, {16, 2}}}, 0.25);
  CHECK(accelerator.links == std::vector<Link>{{-1, -1, 16, 2, false}});
}

TEST_CASE("of two groups that join a pair the later one counts, and a bus stays one link") {
  const JoinedCores link = {{0, 1}, {32, 1}}, bus = {{0, 1, 2, 3}, {16, 2}, true};
  MultiCoreAccelerator accelerator = cores(3, 0);
  accelerator.cores.push_back(core_of(dram_text(one_port)));
  accelerator.offchip_core = 3;
  MultiCoreAccelerator other = accelerator;

  CHECK(join_groups(accelerator, {bus, link}, 0) == std::vector<RejoinedPair>{{0, 1, 1}});
  accelerator.derive();
  CHECK(accelerator.connections.size() == 12);
  CHECK(accelerator.links ==
        std::vector<Link>{{0, 1, 32, 1, false}, {-1, -1, 16, 2, false}, {1, 0, 32, 1, false}});
  CHECK(accelerator.route(2, 0) == accelerator.route(3, 1));

  CHECK(join_groups(other, {link, bus}, 0) == std::vector<RejoinedPair>{{0, 1, 1}});
  other.derive();
  CHECK(other.connections.size() == 12);
  CHECK(other.links == std::vector<Link>{{-1, -1, 16, 2, false}});
}

TEST_CASE("what joins the off-chip core passes the ports of its memory, where these can be narrower") {
  const auto joined = [](const std::vector<JoinedCores>& groups, const std::string& ports,
                         const Rules& rules = {}) {
    MultiCoreAccelerator accelerator = cores(3, 0);
    accelerator.cores.push_back(core_of(dram_text(ports)));
    accelerator.offchip_core = 3;
    join_groups(accelerator, groups, 0, rules);
    accelerator.derive();
    return accelerator;
  };
  const auto passed = [](const MultiCoreAccelerator& accelerator, int from, int to) {
    std::vector<Link> links;
    for (const int link : accelerator.route(from, to)) links.push_back(accelerator.links[link]);
    return links;
  };
  // A link each way for each of three cores, and one port of 64 bits.
  const std::vector<JoinedCores> apart = {{{0, 3}, {16, 1}}, {{1, 3}, {16, 1}}, {{2, 3}, {16, 1}}};
  const Link port = {3, -1, 64, 0, true};
  const MultiCoreAccelerator links = joined(apart, one_port);
  CHECK(passed(links, 0, 3) == std::vector<Link>{{0, 3, 16, 1, false}, port});
  CHECK(passed(links, 3, 1) == std::vector<Link>{port, {3, 1, 16, 1, false}});
  CHECK(passed(links, 0, 1) == std::vector<Link>{{0, 3, 16, 1, false}, {3, 1, 16, 1, false}});
  const auto changed = with_free_offchip_ports(links);
  REQUIRE(changed.has_value());
  CHECK(passed(*changed, 0, 3) == std::vector<Link>{{0, 3, 16, 1, false}, {3, -1, infinite, 0, true}});

  const MultiCoreAccelerator two = joined({{{0, 3}, {16, 1}}, {{0, 1, 2}, {8, 0}}}, one_port);
  CHECK(passed(two, 3, 0) == std::vector<Link>{{3, 0, 16, 1, false}});
  CHECK_FALSE(with_free_offchip_ports(two).has_value());

  // A bus of 24 bits, and ports of 16 bits in and 32 out.
  const Link bus = {-1, -1, 24, 2, false};
  const MultiCoreAccelerator on_bus = joined({{{0, 1, 2, 3}, {24, 2}}}, two_ports);
  CHECK(passed(on_bus, 2, 3) == std::vector<Link>{bus, {-1, 3, 16, 0, false}});
  CHECK(passed(on_bus, 3, 2) == std::vector<Link>{bus});
  CHECK(passed(on_bus, 1, 2) == std::vector<Link>{bus});

  Rules stream;
  stream.offchip_ports_free = true;
  CHECK(passed(joined(apart, one_port, stream), 3, 1) == std::vector<Link>{{3, 1, 16, 1, false}});
}

TEST_CASE("cores that cannot reach each other are an error that names them") {
  MultiCoreAccelerator accelerator = cores(3, 0);
  join_groups(accelerator, {{{0, 1}, {32, 1}}}, 0);
  CHECK(errors_of([&] { accelerator.derive(); }) ==
        "0:0 accelerator 'joined': there is no way from core 0 ('core') to core 2\n"
        "0:0 accelerator 'joined': there is no way from core 1 ('core') to core 2\n"
        "0:0 accelerator 'joined': there is no way from core 2 ('core') to cores 0, 1");
}

TEST_CASE("one core is an accelerator without links") {
  const MultiCoreAccelerator accelerator = single_core(core_of(core_text("alone")));
  CHECK(accelerator.name == "alone");
  CHECK(accelerator.links.empty());
  CHECK(accelerator.route(0, 0).empty());
  CHECK(accelerator.top_memories ==
        std::vector<TopMemory>{{"buffer", {0}, {"I1", "I2", "O"}, 1024, 32, 16, 2, 3}});
  CHECK(accelerator.top(0, "I2") == 0);
  CHECK(accelerator.top(0, "I9") == -1);
}

TEST_CASE("a memory below the home of one operand may be the home of another") {
  const std::string text =
      "name: two\nmemories:\n" + memory_text("inner", "64", two_ports) + array_text("4");
  Accelerator two = *core_of(text);
  Memory outer = two.memories[0];
  outer.name = "outer";
  outer.operands = {"O"};
  two.memories[0].operands = {"I1", "O"};
  two.memories.push_back(outer);
  const MultiCoreAccelerator accelerator = single_core(std::make_shared<const Accelerator>(two));
  CHECK(accelerator.cores_tops[0] == std::vector<int>{0, 1});
  CHECK(accelerator.top(0, "I1") == 0);
  CHECK(accelerator.top(0, "O") == 1);
  CHECK(accelerator.top(0, "I2") == -1);
}
