#include "core/multicore/graph/samples.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/multicore/bound/menu_bound.hpp"
#include "core/multicore/check/violations.hpp"
#include "core/multicore/cuts/cut_menu.hpp"
#include "core/multicore/cuts/partition_graph.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "core/multicore/schedule/segment_figures.hpp"
#include "core/multicore/search/schedule_search.hpp"
#include "core/search/methods/random_numbers.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/searches.hpp"
#include "tests/unit/worlds/thorough.hpp"

// Batches: a network that runs for several samples with the same constants.

using namespace zz;

namespace {

test::ShippedCase small_cnn() { return {"small_cnn.yaml", "heterogeneous_dual_core"}; }

/// The cuts of a search for so many samples.
core::CutMenus menus_of(const core::Workload& workload, int samples) {
  const core::CutMenuOptions options{{}, 6, samples, 12};
  core::CutMenus menus = core::cut_menus(workload, options);
  const auto layers = core::layers_by_id(workload);
  for (std::size_t i = 0; i < layers.size(); ++i)
    for (const core::Cut& cut : core::sample_cuts(*layers[i], options)) menus[i].push_back(cut);
  return menus;
}

core::Partition random_partition(const core::CutMenus& menus, core::RandomNumbers& random) {
  core::Partition partition;
  for (const core::CutMenu& menu : menus) partition.push_back(random.below(static_cast<int>(menu.size())));
  return partition;
}

std::string told(const std::vector<core::Violation>& violations) {
  return violations.empty() ? "" : violations.front().rule + ": " + violations.front().what;
}

core::ComputationNodeGraph split(const core::Workload& workload, int samples, core::Cut loops) {
  core::SplitOptions options;
  options.samples = samples;
  options.loops = std::move(loops);
  return test::split(workload, options);
}

std::shared_ptr<const core::ScheduleProblem> problem_of(
    const test::ShippedCase& shipped, const std::shared_ptr<const core::ComputationNodeGraph>& graph,
    const core::AnswerQuestions& answers) {
  const core::CoreCostPlan plan(shipped.accelerator, graph, core::Rules{});
  std::vector<std::string> reasons(plan.questions().size());
  const auto costs =
      std::make_shared<const core::CoreCosts>(plan.costs(answers(plan.questions(), reasons)));
  return std::make_shared<const core::ScheduleProblem>(shipped.accelerator, graph, costs,
                                                       core::ScheduleOptions{});
}

core::Workload two_products() {
  test::NetworkBuilder network;
  const test::ConvSizes sizes{.k = 8, .c = 8, .oy = 4, .ox = 4, .iy = 4, .ix = 4};
  network.add(test::conv_layer(0, sizes, -1));
  network.add(test::conv_layer(1, sizes, 0));
  return network.workload();
}

}  // namespace

TEST_CASE("samples: any partition is cut, connected and scheduled so that it could happen") {
  const test::ShippedCase shipped = small_cnn();
  const core::AnswerQuestions answers = test::default_answers();
  core::RandomNumbers random(3, 0);
  int schedules = 0;
  for (const int samples : {2, 4, 6}) {  // of six, layers may have two or three together
    CAPTURE(samples);
    core::PartitionGraphs graphs(shipped.workload, shipped.accelerator, menus_of(shipped.workload, samples),
                                 samples);
    for (int round = 0; round < 5; ++round) {
      const core::Partition partition = random_partition(graphs.cuts(), random);
      const auto graph = graphs.graph(partition, samples);
      CHECK(told(core::find_partition_violations(shipped.workload, *graph)) == "");
      CHECK_NOTHROW(core::check_graph(*graph));
      core::SplitOptions options;
      options.mode = core::split_by_layer;
      options.samples = samples;
      options.cut_entries = core::cut_entries_of(partition, graphs.cuts(), shipped.workload);
      std::vector<std::string> warnings;
      const core::ComputationNodeGraph same =
          core::split_into_nodes(shipped.workload, *shipped.accelerator, options, warnings);
      CHECK(same.nodes.size() == graph->nodes.size());
      CHECK(same.dependencies.size() == graph->dependencies.size());

      const auto problem = problem_of(shipped, graph, answers);
      core::Scheduler scheduler(problem);
      for (int i = 0; i < 12; ++i) {
        core::ScheduleChoice choice;
        for (const core::Gene& gene : problem->genes())
          choice.cores.push_back(gene.cores[random.below(static_cast<int>(gene.cores.size()))]);
        choice.dispatch = static_cast<core::DispatchRule>(random.below(3));
        choice.back_filling = random.below(2) == 1;
        choice.samples_at_once = random.below(samples + 1);
        for (int layer = 1; layer < static_cast<int>(graph->layers.size()); ++layer)
          if (random.below(4) == 0) choice.segments.push_back(layer);
        const core::ScheduleFigures figures = scheduler.evaluate(choice);
        if (!figures.feasible) continue;
        ++schedules;
        const core::Schedule schedule = scheduler.schedule(choice);
        CHECK(told(core::find_violations(schedule, 3)) == "");
        CHECK(core::latency_of_first_sample(schedule) <= figures.latency);
      }
    }
  }
  CHECK(schedules > 100);
}

TEST_CASE("samples: all go through a segment before the first goes on, but those in flight") {
  const test::ShippedCase shipped = small_cnn();
  const core::AnswerQuestions answers = test::default_answers();
  constexpr int samples = 6;
  for (const int together : {1, 2}) {
    core::SplitOptions options;
    options.samples = samples;
    options.loops = {{"K", 2}, {"SAMPLES", samples / together}};
    std::vector<std::string> warnings;
    const auto graph = std::make_shared<const core::ComputationNodeGraph>(
        core::split_into_nodes(shipped.workload, *shipped.accelerator, options, warnings));
    const auto problem = problem_of(shipped, graph, answers);
    core::Scheduler scheduler(problem);
    for (const core::DispatchRule rule : {core::DispatchRule::rank, core::DispatchRule::earliest_start,
                                          core::DispatchRule::critical_path}) {
      for (const int at_once : {0, 1, 2, 3}) {
        core::ScheduleChoice choice;
        choice.dispatch = rule;
        choice.samples_at_once = at_once;
        choice.segments = {2, 3};
        for (const core::Gene& gene : problem->genes()) choice.cores.push_back(gene.cores.front());
        const core::Schedule schedule = scheduler.schedule(choice);
        // Samples counted on from segment to segment.
        const auto place = [&](int node) {
          const int layer = graph->nodes[node].layer;
          return samples * ((layer >= 2) + (layer >= 3)) + graph->sample_of(node);
        };
        std::vector<int> left(3 * samples, 0);
        for (const core::ScheduledNode& node : schedule.nodes) ++left[place(node.node)];
        const int most = at_once == 0 ? samples : (at_once + together - 1) / together * together;
        for (const core::ScheduledNode& node : schedule.nodes) {
          const auto first = std::find_if(left.begin(), left.end(), [](int count) { return count > 0; });
          CHECK(place(node.node) - (first - left.begin()) < most);
          --left[place(node.node)];
        }
        const std::vector<core::SegmentFigures> segments = core::segment_figures(schedule);
        CHECK(segments.size() == 3);
        std::size_t layers = 0;
        for (const core::SegmentFigures& segment : segments) {
          layers += segment.layers.size();
          CHECK(segment.constants_kept <= segment.constants);
        }
        CHECK(layers == graph->layers.size());
        // A constant that leaves the off-chip memory again, at another time, was not kept.
        core::Schedule again = schedule;
        const auto sent = std::find_if(
            schedule.transfers.begin(), schedule.transfers.end(), [&](const core::Transfer& transfer) {
              const core::PieceTensor& tensor = graph->tensors[transfer.tensor];
              return transfer.sender == *shipped.accelerator->offchip_core && tensor.layer >= 3 &&
                     core::shared_by_samples(*graph->layers[tensor.layer].layer, tensor.operand) &&
                     std::count_if(schedule.transfers.begin(), schedule.transfers.end(),
                                   [&](const core::Transfer& other) {
                                     return other.tensor == transfer.tensor &&
                                            other.sender == transfer.sender;
                                   }) == 1;
            });
        REQUIRE(sent != schedule.transfers.end());
        again.transfers.push_back(*sent);
        CHECK(core::segment_figures(again).back().constants_kept == segments.back().constants_kept);
        again.transfers.back().start += 1;
        CHECK(core::segment_figures(again).back().constants_kept ==
              segments.back().constants_kept - graph->tensors[sent->tensor].bits);
        CHECK(segments.front().waits > 0);
        CHECK(segments.back().waits == 0);
      }
    }
  }
}

TEST_CASE("samples: constants are shared, all else is each sample's own") {
  const core::Workload workload = two_products();
  const auto tensors = [&](const core::ComputationNodeGraph& graph, int operand) {
    std::int64_t bits = 0;
    for (const core::PieceTensor& tensor : graph.tensors)
      if (tensor.operand == operand) bits += tensor.bits;
    return bits;
  };
  const core::ComputationNodeGraph one = split(workload, 1, {{"K", 2}});
  for (const core::Cut& loops : {core::Cut{{"K", 2}}, core::Cut{{"K", 2}, {"SAMPLES", 3}},
                                 core::Cut{{"K", 2}, {"SAMPLES", 1}}, core::Cut{{"SAMPLES", 6, true}}}) {
    const core::ComputationNodeGraph all = split(workload, 6, loops);
    CHECK(tensors(all, 1) == tensors(one, 1));
    CHECK(tensors(all, 0) == 6 * tensors(one, 0));
    CHECK(tensors(all, 2) == 6 * tensors(one, 2));  // also the input of the network
    CHECK(told(core::find_partition_violations(workload, all)) == "");
  }
  CHECK(split(workload, 6, {{"K", 2}}).layers[0].group_count == 2);
  CHECK(split(workload, 6, {{"K", 2}, {"SAMPLES", 6, true}}).layers[0].group_count == 12);
}

TEST_CASE("samples: a graph whose samples are mixed up is found out") {
  const core::Workload workload = two_products();
  const core::ComputationNodeGraph right = split(workload, 3, {{"K", 2}});
  const auto rule = [&](const auto& spoil) {
    core::ComputationNodeGraph wrong = right;
    spoil(wrong);
    const auto violations = core::find_partition_violations(workload, wrong);
    return violations.empty() ? std::string() : violations.front().rule;
  };
  CHECK(rule([](auto&) {}) == "");
  CHECK(rule([](auto& graph) { graph.nodes[2].tensors[0] = graph.nodes[0].tensors[0]; }) == "tensor");
  CHECK(rule([](auto& graph) { graph.nodes[2].tensors[1] = graph.nodes[1].tensors[1]; }) == "tensor");
  CHECK(rule([](auto& graph) {
          for (core::Dependency& dependency : graph.dependencies)
            if (dependency.operand >= 0) dependency.from = 0;
        }) == "dependency");
  CHECK(rule([](auto& graph) {
          std::erase_if(graph.dependencies, [](const auto& dependency) { return dependency.operand < 0; });
        }) == "order");
  CHECK(rule([](auto& graph) { graph.nodes[5].produced_bits *= 2; }) == "samples");
}

TEST_CASE("samples: a batch is no slower than its samples one by one, and its bound is one") {
  const test::ShippedCase shipped = small_cnn();
  core::ScheduleSearchOptions options;
  options.evaluation_limit = test::daily(40, 120);
  options.most_nodes = 200;
  const auto search = [&] {
    return core::search_schedules(shipped.workload, shipped.accelerator, options, test::default_answers(),
                                  test::on_threads(1));
  };
  const core::ScheduleSearchResult one = search();
  options.samples = 4;
  options.evaluation_limit = test::daily(100, 300);
  const core::ScheduleSearchResult batch = search();
  CHECK(batch.best.latency <= 4 * one.best.latency);
  CHECK(batch.bounds.latency.value <= batch.best.latency);
  CHECK(batch.bounds.latency.value > 2 * one.bounds.latency.value);
  core::Scheduler scheduler(batch.best.problem);
  const core::Schedule schedule = scheduler.schedule(batch.best.choice);
  CHECK(batch.first_bound <= core::latency_of_first_sample(schedule));
  CHECK(told(core::find_violations(schedule, 3)) == "");
  CHECK(told(core::find_partition_violations(shipped.workload, *batch.best.problem->graph())) == "");

  // What was found is where another search begins.
  options.start = batch.best.cuts;
  options.start_choice = [&](const core::ScheduleProblem&) { return batch.best.choice; };
  options.evaluation_limit = 20;
  CHECK(search().best.latency <= batch.best.latency);
}

TEST_CASE("samples: what they ask too much of is refused by name") {
  const core::Workload workload = two_products();
  const auto message = [&](int samples, core::Cut loops) -> std::string {
    try {
      split(workload, samples, std::move(loops));
    } catch (const core::InputError& problem) {
      return problem.what();
    }
    return "";
  };
  CHECK(message(0, {}).find("'samples' is 0; expected 1 or more") != std::string::npos);
  CHECK(message(6, {{"SAMPLES", 4}}).find("does not divide the 6 samples") != std::string::npos);
  CHECK(message(1, {{"SAMPLES", 1}}).find("name SAMPLES, but there is one") != std::string::npos);
}

TEST_CASE(
    "samples: a batch has as many steps for one sample as that alone, and is no slower than one by one") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  const std::int64_t steps = test::daily(32, 64);
  core::ScheduleSearchOptions options;
  options.evaluation_limit = steps;
  for (std::uint64_t seed = 0; seed < test::daily(1UL, 3UL); ++seed) {
    options.seed = seed;
    options.samples = 1;
    const auto search = [&] {
      return core::search_schedules(shipped.workload, shipped.accelerator, options, test::default_answers(),
                                    test::on_threads(1));
    };
    const core::ScheduleSearchResult one = search();
    options.samples = 8;
    const core::ScheduleSearchResult batch = search();
    CAPTURE(seed);
    CHECK(batch.best.latency <= 8 * one.best.latency);
    CHECK(batch.steps.all() >= one.steps.all() + steps - steps / 8);
  }
}

TEST_CASE("samples: batches of shipped networks are no slower than one by one" * doctest::skip()) {
  const std::pair<const char*, const char*> cases[] = {{"small_cnn.yaml", "systolic_quad_core"},
                                                       {"small_cnn.yaml", "heterogeneous_dual_core"},
                                                       {"resnet18.onnx", "systolic_quad_core"},
                                                       {"mobilenet_v2.onnx", "systolic_quad_core"},
                                                       {"transformer_encoder.onnx", "systolic_quad_core"}};
  for (const auto& pair : cases) {
    const std::string network = pair.first, accelerator = pair.second;
    const test::ShippedCase shipped(network, accelerator);
    core::ScheduleSearchOptions options;
    options.evaluation_limit = 500;
    const auto search = [&](int samples) {
      options.samples = samples;
      return core::search_schedules(shipped.workload, shipped.accelerator, options, test::default_answers(),
                                    test::on_threads(2));
    };
    const double one = search(1).best.latency;
    for (const int samples : {4, 8, 16}) {
      CAPTURE(network);
      CAPTURE(samples);
      const core::ScheduleSearchResult batch = search(samples);
      CHECK(batch.best.latency <= samples * one);
      CHECK(batch.bounds.latency.value <= batch.best.latency);
      MESSAGE(network << ", " << samples << " samples: " << batch.best.latency / samples
                      << " a sample, one " << one);
    }
  }
}
