#include "core/search/optimal/detail/latency_bound.hpp"

#include <doctest/doctest.h>
#include <vector>

using namespace zz::core;

TEST_CASE("latency bound: what a port moves, waiting, and what can be hidden") {
  const auto least = [](const std::vector<OperandLatency>& operands) {
    std::vector<const OperandLatency*> given;
    for (const OperandLatency& operand : operands) given.push_back(&operand);
    return LatencyBound({8}, StepCycles{}, Rules{}).of(100, given);
  };
  OperandLatency idle;
  idle.residencies = {{true, {}, {OperandLatency::OnPort{}}}};
  const auto with = [&](const auto& change) {
    OperandLatency operand = idle;
    change(operand.residencies[0], operand.residencies[0].ports[0]);
    return operand;
  };
  using Residency = OperandLatency::Residency;
  using OnPort = OperandLatency::OnPort;
  constexpr auto all = OperandLatency::all;
  constexpr auto shared = OperandLatency::shared;
  CHECK(least({idle, idle}) == 100);
  const OperandLatency loaded = with([&](Residency&, OnPort& port) { port.load = 150; });
  CHECK(least({idle, loaded}) == 150);
  // Transfers that are made once need 200 cycles. A port that is busy for 2 of 8 bits hides 75 of them.
  const OperandLatency once = with([&](Residency&, OnPort& port) {
    port.required = 2;
    port.once[all] = 200;
    port.floor[all] = 5;
    port.transfers[all] = 1;
  });
  CHECK(least({idle, once}) == 225);
  CHECK(least({once, idle}) == 225);
  const OperandLatency short_once = with([&](Residency&, OnPort& port) {
    port.once[all] = 60;
    port.floor[all] = 5;
    port.transfers[all] = 1;
  });
  CHECK(least({idle, short_once}) == 105);
  // 50 stalled cycles hide one each of what is left.
  CHECK(least({loaded, once}) == 150 + (200 - 0.75 * 100) - 50);
  const OperandLatency waiting = with([&](Residency& residency, OnPort& port) {
    residency.waiting[all] = port.load_and_waiting[all] = 30;
    port.load = port.load_and_waiting[OperandLatency::none] = port.load_and_waiting[shared] = 80;
    port.load_and_waiting[all] = 110;
  });
  CHECK(least({idle, waiting}) == 130);
  // Inputs wait side by side, unless their ports are shared.
  CHECK(least({idle, waiting, waiting}) == 190);
  const OperandLatency waiting_in_turn = with([&](Residency& residency, OnPort&) {
    residency.waiting[all] = 30;
    residency.waiting[shared] = 20;
  });
  CHECK(least({idle, waiting_in_turn, waiting_in_turn}) == 150);
  const OperandLatency busy = with([&](Residency&, OnPort& port) { port.traffic = 70.5; });
  CHECK(least({busy, idle}) == 100);
  CHECK(least({busy, busy}) == 141);
  OperandLatency either = loaded;
  either.residencies.push_back(idle.residencies[0]);
  CHECK(least({idle, either}) == 100);
  either.residencies[1].possible = false;
  CHECK(least({idle, either}) == 150);
}
