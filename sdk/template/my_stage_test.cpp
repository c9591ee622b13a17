// The stage alone: over a chain below that is written down here, in a host that exists only in this
// program.
#include <cstdio>
#include <exception>
#include <zz/testing.hpp>

extern "C" ZZ_EXPORT const zz_plugin zz_plugin_v0;

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("failed: %s\n", what);
  ++failures;
}

/// The one that the stage declares.
const char* name_of_metric() { return zz_plugin_v0.stages[0]->metrics[0].name; }

void adds_the_cost_of_the_energy() {
  zz::testing::Host host;
  host.below = [](const zz::Value&) {
    zz::testing::Answer answer;
    answer.results.emplace_back(zz::make("evaluation", {{"energy_total", 3.0}, {"latency_total2", 7.0}}));
    answer.results.emplace_back(zz::make("evaluation", {{"energy_total", 5.0}, {"latency_total2", 7.0}}));
    return answer;
  };
  const auto run = host.run(zz_plugin_v0, "MyStage", {{"price", 0.5}}, zz::make(nullptr, {{"unused", 1}}));
  expect(run.code == ZZ_OK && run.results.size() == 2, "every result is passed on");
  for (const zz::Result& result : run.results) {
    const double energy = result.evaluation["energy_total"].num();
    expect(result.evaluation[name_of_metric()].num() == 0.5 * energy, "the price is that of the energy");
  }
}

void hands_on_a_failure() {
  zz::testing::Host host;
  host.below = [](const zz::Value&) {
    zz::testing::Answer answer;
    answer.code = ZZ_E_NO_RESULT;
    answer.message = "no legal mapping";
    return answer;
  };
  const auto run = host.run(zz_plugin_v0, "MyStage", {{"price", 0.5}}, zz::make(nullptr, {{"unused", 1}}));
  expect(run.code == ZZ_E_NO_RESULT && run.message == "no legal mapping", "a failure below is handed on");
}

}  // namespace

int main() {
  try {
    adds_the_cost_of_the_energy();
    hands_on_a_failure();
  } catch (const std::exception& error) {
    expect(false, error.what());
  }
  return failures;
}
