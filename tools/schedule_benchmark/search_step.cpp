#include "tools/schedule_benchmark/search_step.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/input/onnx/workload.hpp"
#include "core/input/stream/multi_core_yaml.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/multicore/cuts/cut_prices.hpp"
#include "core/multicore/search/detail/first_cuts.hpp"
#include "core/multicore/search/detail/menu_cuts.hpp"
#include "core/multicore/search/detail/plan_moves.hpp"

namespace zz::tools {
namespace {

using namespace core;

double processor_us() { return 1e6 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Every unit of a large array busy.
std::vector<std::shared_ptr<const Evaluation>> stand_ins(const std::vector<CoreCostQuestion>& questions,
                                                         std::vector<std::string>&) {
  std::vector<std::shared_ptr<const Evaluation>> answers;
  for (const CoreCostQuestion& question : questions) {
    auto answer = std::make_shared<Evaluation>();
    double operations = 1;
    for (const LoopDimension& loop : question.layer->loops) operations *= static_cast<double>(loop.size);
    answer->latency_total1 = 100 + operations / 512;
    answer->energy_total = operations;
    answers.push_back(std::move(answer));
  }
  return answers;
}

/// Random steps over the partitions of a network, in processor time.
class Walk {
 public:
  Walk(const Workload& workload, const std::shared_ptr<const MultiCoreAccelerator>& accelerator)
      : first_(first_cuts(workload, {}, 1)),
        graphs_(workload, accelerator, first_.menus),
        space_(graphs_.layers(), graphs_.cuts()),
        costs_(accelerator, stand_ins),
        cuts_(graphs_, accelerator, costs_, serial_, Objective::latency) {
    price_menus(graphs_, costs_, serial_);
    for (int layer = 0; layer < space_.layers(); ++layer) choice_.cores.push_back(slots_in_turn(layer));
    choice_.order.dispatch = DispatchRule::earliest_start;
    choice_.order.back_filling = true;
  }

  SearchStep measure(int nodes, int steps) {
    start_near(nodes);
    SearchStep sum;
    StepRoom room;
    room.most_nodes = nodes + nodes / 10;
    int new_cuts = 0, new_cores = 0;
    for (int i = 0; i < steps; ++i) {
      Plan proposal = choice_;
      const bool cores = i % 2 == 0;
      if (cores)
        moves_.change_cores(proposal, room);
      else
        moves_.change_cuts(proposal, room);
      const double before = processor_us();
      const double latency = evaluate(proposal);
      (cores ? sum.new_cores_us : sum.new_cuts_us) += processor_us() - before;
      ++(cores ? new_cores : new_cuts);
      sum.nodes += space_.pieces(proposal.cuts);
      if (latency < 1.02 * latency_ && space_.pieces(proposal.cuts) > nodes - nodes / 5)
        accept(proposal, latency);
    }
    sum.nodes /= std::max(1, new_cuts + new_cores);
    sum.new_cuts_us /= std::max(1, new_cuts);
    sum.new_cores_us /= std::max(1, new_cores);
    return sum;
  }

 private:
  /// Begins with the best of the uniform cuts that make nearly so many nodes.
  void start_near(int nodes) {
    const auto distance = [&](const Partition& cuts) { return std::abs(space_.pieces(cuts) - nodes); };
    std::vector<Partition> nearest = first_.partitions;
    std::stable_sort(nearest.begin(), nearest.end(),
                     [&](const Partition& a, const Partition& b) { return distance(a) < distance(b); });
    nearest.resize(std::min<std::size_t>(nearest.size(), 10));
    latency_ = std::numeric_limits<double>::infinity();
    choice_.cuts = nearest.front();
    for (const Partition& cuts : nearest) {
      Plan start = choice_;
      start.cuts = cuts;
      if (const double latency = evaluate(start); latency < latency_) accept(start, latency);
    }
  }

  void accept(const Plan& choice, double latency) {
    choice_ = choice;
    latency_ = latency;
    prepared_ = proposed_;
  }

  /// Infinite when it does not fit.
  double evaluate(Plan proposal) {
    PlanTask task{&proposal};
    task.prepared = prepared_;
    cuts_.prepare({&task}, Costs::first);
    std::string reason;
    const PlanFigures figures = task.prepared->evaluate(proposal, task.wanted_below, reason);
    proposed_ = std::move(task.prepared);
    return value_of(Objective::latency, figures);
  }

  ParallelFor serial_ = [](std::size_t n, const std::function<void(std::size_t)>& fn) {
    for (std::size_t i = 0; i < n; ++i) fn(i);
  };
  FirstCuts first_;
  PartitionGraphs graphs_;
  PlanSpace space_;
  CutPrices costs_;
  MenuCuts cuts_;
  RandomNumbers random_{1, 0};
  PlanMoves moves_{space_, random_};
  Plan choice_;
  double latency_ = 0;
  std::shared_ptr<PreparedCuts> prepared_, proposed_;
};

}  // namespace

SearchStep measure_search_step(int nodes, int steps) {
  const std::string configs = ZZ_SOURCE_DIR "/configs/";
  Diagnostics problems;
  const MappingFile mapping = read_mapping(configs + "mappings/systolic_quad_core.yaml", problems);
  const OnnxSettings bytes{{}, {{"W", 8}, {"I", 8}, {"O", 16}, {"O_final", 8}}, {}};
  const Workload workload =
      read_stream_onnx(configs + "workloads/resnet18.onnx", mapping, {}, problems, bytes);
  const auto accelerator = std::make_shared<const MultiCoreAccelerator>(
      read_multi_core(configs + "accelerators/systolic_quad_core.yaml", problems));
  return Walk(workload, accelerator).measure(nodes, steps);
}

}  // namespace zz::tools
