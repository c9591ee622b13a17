#include <algorithm>
#include <doctest/doctest.h>
#include <string>

#include "core/multicore/check/violations.hpp"
#include "tests/unit/worlds/schedules.hpp"

using namespace zz::core;
using zz::test::TinySchedule;

namespace {

/// The violations, one per line, "rule: what".
std::string found(TinySchedule& tiny) {
  std::string text;
  for (const Violation& violation : find_violations(tiny.schedule)) {
    text += violation.rule + ": " + violation.what + "\n";
  }
  return text;
}

/// True when the schedule breaks `rule` with words that contain `part`.
bool breaks(TinySchedule& tiny, const std::string& rule, const std::string& part) {
  const std::vector<Violation> list = find_violations(tiny.schedule);
  const bool broken = std::any_of(list.begin(), list.end(), [&](const Violation& violation) {
    return violation.rule == rule && violation.what.find(part) != std::string::npos;
  });
  CHECK_MESSAGE(broken, "expected '" << rule << ": ... " << part << "', found:\n" << found(tiny));
  return broken;
}

}  // namespace

TEST_CASE("schedule check: a valid schedule has no violation") {
  TinySchedule tiny;
  CHECK_EQ(found(tiny), "");
}

TEST_CASE("schedule check: nodes that are missing, placed twice or on no such core") {
  TinySchedule tiny;
  SUBCASE("missing") {
    tiny.schedule.nodes.pop_back();
    breaks(tiny, "node missing", "node (1, 0) is not placed");
  }
  SUBCASE("twice") {
    tiny.schedule.nodes.push_back(tiny.schedule.nodes.front());
    breaks(tiny, "node missing", "node (0, 0) is placed more than once");
  }
  SUBCASE("no such core") {
    tiny.schedule.nodes[0].core = 7;
    breaks(tiny, "entry", "core 7");
  }
  SUBCASE("a core without cost") {
    tiny.schedule.nodes[0].core = 2;
    breaks(tiny, "entry", "node (0, 0) is placed on core 2");
  }
  SUBCASE("a group on two cores") {
    ComputationNode second = tiny.graph->nodes[0];
    second.sub_id = 1;
    second.tensors = {TinySchedule::o1, TinySchedule::w0, TinySchedule::i0};
    tiny.graph->nodes[1] = second;
    tiny.graph->dependencies[0].operand = -1;
    breaks(tiny, "group", "node (0, 1) runs on core 1, other nodes of its group 0 on core 0");
  }
}

TEST_CASE("schedule check: cores run one node at a time, for as long as it takes, in order") {
  TinySchedule tiny;
  SUBCASE("overlap") {
    tiny.schedule.nodes[1].core = 0;
    tiny.schedule.nodes[1].start = 25;
    breaks(tiny, "core overlap", "node (1, 0) of layer 'second' starts on core 0 at cycle 25");
    breaks(tiny, "order",
           "node (1, 0) of layer 'second' starts at cycle 25, before its predecessor node (0, 0)");
  }
  SUBCASE("too short") {
    tiny.schedule.nodes[0].start = 10;
    breaks(tiny, "runtime",
           "node (0, 0) of layer 'first' runs from cycle 10 to 29 on core 0, where it takes 20");
  }
  SUBCASE("too long") {
    tiny.schedule.nodes[1].end = 70;
    breaks(tiny, "runtime", "node (1, 0) of layer 'second' runs from cycle 39 to 70");
  }
}

TEST_CASE("schedule check: inputs are there from start to end") {
  TinySchedule tiny;
  SUBCASE("never fetched") {
    tiny.schedule.transfers.erase(tiny.schedule.transfers.begin() + TinySchedule::send_w1);
    breaks(tiny, "input missing",
           "node (1, 0) of layer 'second' starts at cycle 39 and needs tensor W of node (1, 0) in memory "
           "'sram' of "
           "core 1, which it never reaches");
    breaks(tiny, "removal",
           "tensor W of node (1, 0) is removed from memory 'sram' of core 1 at cycle 69, where");
  }
  SUBCASE("too late") {
    tiny.schedule.transfers[TinySchedule::send_i0].start = 12;
    tiny.schedule.transfers[TinySchedule::send_i0].end = 16;
    breaks(tiny, "input missing",
           "needs tensor I of node (0, 0) in memory 'sram' of core 0, where it arrives at 16");
  }
  SUBCASE("gone before the start") {
    tiny.schedule.removals[4].time = 20;
    breaks(tiny, "input missing",
           "tensor W of node (1, 0) in memory 'sram' of core 1, which it leaves at 20, before");
  }
  SUBCASE("gone while the node runs") {
    tiny.schedule.removals[4].time = 60;
    breaks(tiny, "input missing", "which it leaves at 60, while the node runs");
  }
  SUBCASE("a streamed input was never written off-chip") {
    tiny.costs->layers[1].on[1].streamed = {2};
    breaks(tiny, "streamed input missing", "needs tensor O of node (0, 0) in memory 'dram' of core 2");
  }
  SUBCASE("not everybody who writes it has finished") {
    tiny.graph->nodes.push_back(tiny.graph->nodes[0]);
    tiny.graph->nodes.back().sub_id = 1;
    tiny.graph->predecessor_begin.push_back(1);
    tiny.graph->successor_begin.push_back(1);
    tiny.schedule.nodes.push_back({2, 0, 80, 100});
    breaks(tiny, "input incomplete", "before its input, tensor O of node (0, 0), is complete at 100");
  }
}

TEST_CASE("schedule check: transfers") {
  TinySchedule tiny;
  Transfer& output = tiny.schedule.transfers[TinySchedule::send_o0];
  SUBCASE("from a core that has not got it yet") {
    output.start = 28;
    output.end = 38;
    breaks(tiny, "source missing",
           "the transfer of tensor O of node (0, 0) from core 0 to core 1 at cycle 28: the sender has it "
           "from 29 on");
  }
  SUBCASE("from a core that never has it") {
    tiny.schedule.transfers[TinySchedule::send_o1].sender = 0;
    breaks(tiny, "source missing", "from core 0 to core 2 (off-chip) at cycle 69: the sender never has it");
  }
  SUBCASE("from a core that drops it on the way") {
    tiny.schedule.removals[2].time = 35;
    breaks(tiny, "source missing", "lasts until 39: the sender drops it at 35");
  }
  SUBCASE("faster than the link") {
    output.end = 38;
    breaks(tiny, "transfer rate",
           "takes 9 cycles for 100 bits, link 0 (core 0 to core 1) carries 10 per cycle");
  }
  SUBCASE("along links that lead elsewhere") {
    output.links = {0, 0};
    output.own = {1, 1};
    breaks(tiny, "route", "links 0, 0 do not lead there");
  }
  SUBCASE("into a memory of another core") {
    output.receiver_memory = TinySchedule::sram0;
    breaks(tiny, "route", "goes to memory 'sram' of core 0, which is not the receiver's");
  }
  SUBCASE("riding on nothing") {
    output.own = {0};
    breaks(tiny, "shared transfer",
           "at cycle 29 does not occupy link 0 (core 0 to core 1), and nothing that passes");
  }
  SUBCASE("fetched again without travelling again") {
    tiny.remove(RemovalCause::eviction, TinySchedule::w0, 0, 5, 0);
    tiny.send(TinySchedule::w0, 2, 0, {1}, 0, 5, 0, EnergyTerm::node_offchip_memory).own = {0};
    breaks(tiny, "shared transfer", "what passes there went to the same memory before");
  }
  SUBCASE("riding on a transfer to another core is allowed") {
    tiny.send(TinySchedule::w0, 2, 1, {1}, 0, 5, 0, EnergyTerm::node_offchip_memory).own = {0};
    tiny.remove(RemovalCause::unused, TinySchedule::w0, 1, 5, 1);
    tiny.schedule.memory.clear();
    tiny.add_up();
    CHECK_EQ(found(tiny), "");
  }
  SUBCASE("a tensor, memory or link that does not exist") {
    output.links = {9};
    breaks(tiny, "entry", "transfer 3 names");
  }
}

TEST_CASE("schedule check: links carry no more than their bandwidth") {
  TinySchedule tiny;
  SUBCASE("two transfers at once") {
    tiny.schedule.transfers[TinySchedule::send_w1].start = 8;
    tiny.schedule.transfers[TinySchedule::send_w1].end = 11;
    breaks(tiny, "link",
           "link 1 (core 2 (off-chip) to several cores) carries 20 bits per cycle from cycle 8 on");
  }
  SUBCASE("a transfer while a node streams") {
    tiny.costs->layers[0].on[0].streamed = {0};
    StreamBlock block;
    block.node = 0;
    block.operands = {0};
    block.start = 9;
    block.end = 29;
    block.write_demand = 1;
    tiny.schedule.blocks = {block};
    breaks(tiny, "link", "carries 11 bits per cycle from cycle 9 on, of at most 10");
  }
}

TEST_CASE("schedule check: what nodes stream is reserved on the links") {
  TinySchedule tiny;
  CoreCost& cost = tiny.costs->layers[1].on[1];
  cost.streamed = {0};
  cost.stream_write_bits = 60;
  SUBCASE("nothing reserved") {
    breaks(tiny, "streaming",
           "node (1, 0) of layer 'second' streams 0 bits from and 60 to the off-chip memory, for");
  }
  StreamBlock block;
  block.node = 1;
  block.operands = {0};
  block.core = 1;
  block.start = 39;
  block.end = 69;
  block.write_demand = 2;
  SUBCASE("less than needed") {
    block.write_demand = 1;
    tiny.schedule.blocks = {block};
    breaks(tiny, "streaming", "60 out from cycle 39 to 69; its links are reserved for 0 and 30");
  }
  SUBCASE("at another time") {
    block.start = 30;
    block.end = 60;
    tiny.schedule.blocks = {block};
    breaks(tiny, "streaming", "runs from cycle 39 to 69 on core 1, its links are reserved from 30 to 60");
  }
  SUBCASE("more than the node can use, but not all the time") {
    block.end = 54;
    block.write_demand = 4;
    tiny.schedule.blocks = {block};
    breaks(tiny, "streaming", "its links are reserved for 0 and 30");
  }
  SUBCASE("twice at a time") {
    tiny.schedule.blocks = {block, block};
    breaks(tiny, "streaming", "runs from cycle 39 to 69 on core 1, its links are reserved from 39 to 69");
  }
  const auto is_valid = [&] {
    tiny.schedule.transfers.pop_back();
    tiny.schedule.removals.pop_back();
    tiny.schedule.memory.clear();
    tiny.add_up();
    CHECK_EQ(found(tiny), "");
  };
  SUBCASE("in pieces") {
    tiny.schedule.blocks = {block, block};
    tiny.schedule.blocks[0].end = tiny.schedule.blocks[1].start = 50;
    is_valid();
  }
  SUBCASE("as needed") {
    tiny.schedule.blocks = {block};
    is_valid();
  }
}

TEST_CASE("schedule check: memories") {
  TinySchedule tiny;
  SUBCASE("too small") {
    tiny.accelerator->top_memories[TinySchedule::sram1].size = 189;
    breaks(tiny, "memory",
           "memory 'sram' of core 1 of 189 bits holds 190 from cycle 39 on, when tensor O of node (1, 0)");
  }
  SUBCASE("data that are sent take space until they are away") {
    tiny.accelerator->top_memories[TinySchedule::sram1].size = 190;
    tiny.schedule.removals[4].time = 35;
    breaks(tiny, "input missing", "leaves at 35");
    CHECK_EQ(found(tiny).find("memory: "), std::string::npos);
    tiny.accelerator->top_memories[TinySchedule::sram1].size = 189;
    breaks(tiny, "memory", "holds 190 from cycle 39 on");
  }
  SUBCASE("removed before it is there") {
    tiny.schedule.removals[3].time = 35;
    breaks(tiny, "removal",
           "tensor O of node (0, 0) is removed from memory 'sram' of core 1 at cycle 35, before it is "
           "there at 39");
  }
  SUBCASE("freed before it is written back") {
    tiny.schedule.removals[5].time = 69;
    breaks(tiny, "write-back",
           "tensor O of node (1, 0) is removed from memory 'sram' of core 1 at cycle 69, before it is "
           "written back at 75");
  }
  SUBCASE("a trace that says otherwise") {
    tiny.schedule.memory[0].bits[2].second = 120;
    breaks(tiny, "memory trace",
           "memory 'sram' of core 1 holds 130 bits from cycle 29 on, the trace says 120");
  }
}

TEST_CASE("schedule check: results, energies and latency") {
  TinySchedule tiny;
  SUBCASE("a result stays on the core") {
    tiny.schedule.transfers.pop_back();
    tiny.schedule.removals.pop_back();
    breaks(tiny, "output missing", "tensor O of node (1, 0)");
  }
  SUBCASE("a term") {
    tiny.schedule.energy_terms[0] += 1;
    breaks(tiny, "energy", "total_cn_onchip_energy is 18 pJ by the lists, stated are 19");
    breaks(tiny, "energy", "the terms add up to");
  }
  SUBCASE("a transfer's energy") {
    tiny.schedule.transfers[TinySchedule::send_o0].memory_energy = 19;
    breaks(tiny, "energy",
           "the transfer of tensor O of node (0, 0) from core 0 to core 1 at cycle 29 takes 20 pJ of the "
           "memories");
  }
  SUBCASE("a link's energy") {
    tiny.schedule.transfers[TinySchedule::send_o0].link_energy = 11;
    breaks(tiny, "energy", "takes 10 pJ of its links, stated are 11");
  }
  SUBCASE("latency") {
    tiny.schedule.latency = 70;
    breaks(tiny, "latency", "ends at cycle 75, stated is 70");
  }
}

TEST_CASE("schedule check: no more violations than asked for") {
  TinySchedule tiny;
  tiny.schedule.transfers.clear();
  CHECK_GT(find_violations(tiny.schedule).size(), 3);
  CHECK_EQ(find_violations(tiny.schedule, 2).size(), 2);
}
