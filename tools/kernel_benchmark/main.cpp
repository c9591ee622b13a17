#include <benchmark/benchmark.h>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "tools/kernel_benchmark/every_order.hpp"
#include "tools/kernel_benchmark/kernel_cases.hpp"

// usage: zz-kernel-benchmark [GOOGLE BENCHMARK OPTIONS]
//        zz-kernel-benchmark --list
//        zz-kernel-benchmark --once CASE [REPEATS]
//
// Without --once or --list: the time of whole searches without memo and pruning, with the evaluations per
// second. `--once` runs one case and prints the number of evaluations, for callgrind; `--shipped` before
// them takes the project's own inputs even where ZigZag's lie beside the checkout.

namespace {

using namespace zz::tools;

constexpr int factor_limit = 6;

void search(benchmark::State& state, const KernelCase& entry) {
  std::int64_t evaluations = 0;
  for (auto _ : state) {
    const EveryOrder found = evaluate_every_order(entry, factor_limit);
    evaluations += found.evaluations;
    benchmark::DoNotOptimize(found);
  }
  state.counters["orders"] = static_cast<double>(evaluations) / static_cast<double>(state.iterations());
  state.counters["evaluations"] =
      benchmark::Counter(static_cast<double>(evaluations), benchmark::Counter::kIsRate);
}

int run_once(const std::vector<KernelCase>& cases, const std::string& name, int repeats) {
  for (const KernelCase& entry : cases) {
    if (entry.name != name) continue;
    EveryOrder found;
    for (int i = 0; i < repeats; ++i) found = evaluate_every_order(entry, factor_limit);
    fmt::print(
        "evaluations {}\nleast energy {:.17g}\nleast latency {:.17g}\nleast latency without loading "
        "{:.17g}\n",
        found.evaluations * repeats, found.least.energy_total, found.least.latency_total2,
        found.least.latency_total0);
    return 0;
  }
  fmt::print(stderr, "there is no case '{}'\n", name);
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  const bool shipped = count > 1 && std::strcmp(arguments[1], "--shipped") == 0;
  if (shipped) {
    arguments[1] = arguments[0];
    ++arguments;
    --count;
  }
  const auto cases = kernel_cases(shipped || !recorded_inputs_exist() ? Inputs::shipped : Inputs::recorded);
  if (count > 1 && std::strcmp(arguments[1], "--list") == 0) {
    for (const KernelCase& entry : cases) fmt::print("{}\n", entry.name);
    return 0;
  }
  if (count > 2 && std::strcmp(arguments[1], "--once") == 0)
    return run_once(cases, arguments[2], count > 3 ? std::stoi(arguments[3]) : 1);
  for (const KernelCase& entry : cases)
    benchmark::RegisterBenchmark(entry.name.c_str(),
                                 [&entry](benchmark::State& state) { search(state, entry); });
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
