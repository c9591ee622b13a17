#include <benchmark/benchmark.h>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "tools/kernel_benchmark/kernels.hpp"

// usage: zz-kernel-benchmark [--shipped] [GOOGLE BENCHMARK OPTIONS]
//        zz-kernel-benchmark [--shipped] --list
//        zz-kernel-benchmark [--shipped] --once KERNEL
//
// Without --list or --once: processor time of each kernel and evaluations per second. `--once` runs one
// kernel and prints how many evaluations it stands for; tools/kernel_benchmark/instructions.py does so
// under callgrind. `--shipped` takes the project's own inputs even where ZigZag's lie beside the checkout.

namespace {

using namespace zz::tools;

void measure(benchmark::State& state, const Kernel& kernel) {
  std::int64_t evaluations = 0;
  for (auto _ : state) evaluations += run_measured(kernel);
  state.counters["evaluations"] =
      static_cast<double>(evaluations) / static_cast<double>(state.iterations());
  state.counters["rate"] =
      benchmark::Counter(static_cast<double>(evaluations), benchmark::Counter::kIsRate);
}

int run_once(const std::vector<Kernel>& all, const std::string& name) {
  for (const Kernel& kernel : all) {
    if (kernel.name != name) continue;
    fmt::print("evaluations {}\n", run_measured(kernel));
    return 0;
  }
  fmt::print(stderr, "there is no kernel '{}'; --list shows all\n", name);
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
  const auto all = kernels(shipped || !recorded_inputs_exist() ? Inputs::shipped : Inputs::recorded);
  if (count > 1 && std::strcmp(arguments[1], "--list") == 0) {
    for (const Kernel& kernel : all) fmt::print("{}\n", kernel.name);
    return 0;
  }
  if (count > 2 && std::strcmp(arguments[1], "--once") == 0) return run_once(all, arguments[2]);
  for (const Kernel& kernel : all)
    benchmark::RegisterBenchmark(kernel.name.c_str(),
                                 [&kernel](benchmark::State& state) { measure(state, kernel); });
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
