#include <algorithm>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <sys/resource.h>

#include "core/multicore/schedule/scheduler.hpp"

#include "tools/schedule_benchmark/row_network.hpp"
#include "tools/schedule_benchmark/search_step.hpp"

// usage: zz-schedule-benchmark [--compat] [MOST_NODES]
//
// Schedules chains of convolutions of growing size (default: up to 100000 nodes) and prints the processor
// time of one evaluation and the memory that the process needed so far; then what steps of the search over
// the cuts of ResNet-18 take, each of which makes a graph, or takes the last one, and a schedule.

namespace {

using namespace zz;

double processor_ms() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

struct Case {
  const char* name;
  std::int64_t core_memory;
  bool one_core, every_layer_alike;
  core::DispatchRule dispatch;
  bool back_filling;
};

constexpr Case cases[] = {
    {"tight memory", std::int64_t{1} << 24, false, false, core::DispatchRule::rank, false},
    {"one core, evicting", std::int64_t{1} << 22, true, true, core::DispatchRule::rank, false},
    {"ample memory", 0, false, false, core::DispatchRule::rank, false},
    {"earliest start", std::int64_t{1} << 24, false, false, core::DispatchRule::earliest_start, false},
    {"critical path, filling", std::int64_t{1} << 24, false, false, core::DispatchRule::critical_path,
     true},
};

void measure(const Case& entry, int nodes, bool as_stream) {
  tools::RowNetwork network;
  network.rows = nodes / network.layers;
  network.core_memory = entry.core_memory;
  network.every_layer_alike = entry.every_layer_alike;
  const auto problem = tools::make_problem(network, as_stream);
  core::Scheduler scheduler(problem);
  core::ScheduleChoice choice;
  for (int layer = 0; layer < network.layers; ++layer)
    choice.cores.push_back(entry.one_core ? 0 : layer % 4);
  choice.dispatch = entry.dispatch;
  choice.back_filling = entry.back_filling;
  core::ScheduleFigures figures = scheduler.evaluate(choice);
  double best = 1e300;
  const int runs = std::max(3, 20000 / nodes);
  for (int run = 0; run < runs; ++run) {
    const double before = processor_ms();
    figures = scheduler.evaluate(choice);
    best = std::min(best, processor_ms() - before);
  }
  fmt::print("{:<24}{:>8}{:>12.3f}{:>10.3f}{:>10.0f}  {}\n", entry.name, nodes, best, 1e3 * best / nodes,
             peak_megabytes(),
             figures.feasible ? fmt::format("latency {:.0f}", figures.latency) : scheduler.reason());
}

void print_search_steps() {
  fmt::print("\n{:<24}{:>8}{:>16}{:>16}\n", "a step over cuts", "nodes", "new cuts, us", "new cores, us");
  for (const int nodes : {300, 700, 1000}) {
    const tools::SearchStep step = tools::measure_search_step(nodes, 600);
    fmt::print("{:<24}{:>8.0f}{:>16.0f}{:>16.0f}\n", "ResNet-18, four cores", step.nodes, step.new_cuts_us,
               step.new_cores_us);
  }
}

}  // namespace

int main(int count, char** arguments) {
  bool as_stream = false;
  int most = 100000;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(arguments[i], "--compat") == 0) {
      as_stream = true;
    } else {
      most = std::atoi(arguments[i]);
    }
  }
  fmt::print("{:<24}{:>8}{:>12}{:>10}{:>10}\n", "", "nodes", "ms", "us/node", "peak MB");
  for (const int nodes : {1000, 10000, 100000}) {
    for (const Case& entry : cases) {
      if (nodes <= most) measure(entry, nodes, as_stream);
    }
  }
  if (!as_stream) print_search_steps();
}
