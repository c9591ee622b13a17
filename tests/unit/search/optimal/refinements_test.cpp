#include "core/search/optimal/refinements.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/input/onnx/workload.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/search/optimal/joint_bound.hpp"
#include "core/search/optimal/one_order_bound.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "tests/unit/search/optimal/random_problems.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/thorough.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

constexpr Objective objectives[] = {Objective::energy, Objective::latency, Objective::edp};

std::shared_ptr<const Accelerator> shared(Accelerator accelerator) {
  return std::make_shared<const Accelerator>(std::move(accelerator));
}

Refinements without(const RefinementRow& row) {
  Refinements kept;
  kept.*row.refinement = false;
  return kept;
}

/// Accesses to the outermost memory cost half as much again: the search after it has something to carry
/// over.
Accelerator with_dearer_top(Accelerator accelerator) {
  accelerator.memories.back().read_cost *= 1.5;
  accelerator.memories.back().write_cost *= 1.5;
  return accelerator;
}

struct Problem {
  Layer layer;
  std::shared_ptr<const Accelerator> accelerator;
};

std::vector<Problem> small_problems() {
  Accelerator narrow = small_accelerator(16, 192, 8);
  Accelerator shares_ports = small_accelerator(16, 512, 8);
  for (Memory& memory : shares_ports.memories) share_port(memory);
  Accelerator wide = small_accelerator(64, 1024, 16);
  wide.array.dimensions[0].size = 4;
  return {{gemm(4, 6, 4), shared(narrow)},
          {convolution(2, 2, 4, 1, 3), shared(shares_ports)},
          {gemm(8, 4, 4), shared(shares_ports)},
          {convolution(4, 2, 2, 2, 2), shared(wide)}};
}

}  // namespace

TEST_CASE("refinements: a proven optimum is the same without any of them") {
  int combinations = 0;
  for (const Problem& problem : small_problems()) {
    for (const Objective objective : objectives) {
      if (combinations++ % daily(5, 1) != 0) continue;  // three of twelve: each objective has its turn
      JointOptions options;
      options.objective = objective;
      options.mixed = true;
      const JointOptimum all = find_joint_optimum(problem.layer, problem.accelerator, options);
      REQUIRE(all.certificate.gap() == 0);
      const auto dearer = shared(with_dearer_top(*problem.accelerator));
      const double after = find_joint_optimum(problem.layer, dearer, options, &all).certificate.value;
      for (const RefinementRow& row : refinement_rows()) {
        CAPTURE(row.name);
        options.refinements = without(row);
        const JointOptimum found = find_joint_optimum(problem.layer, problem.accelerator, options);
        CHECK(found.certificate.value == doctest::Approx(all.certificate.value).epsilon(1e-9));
        CHECK(found.certificate.gap() == 0);
        CHECK(find_joint_optimum(problem.layer, dearer, options, &found).certificate.value ==
              doctest::Approx(after).epsilon(1e-9));
        CHECK(joint_bound(problem.layer, problem.accelerator, options) <=
              all.certificate.value * (1 + rounding_tolerance));
        if (objective == Objective::energy)
          CHECK(one_order_bound(problem.layer, problem.accelerator, options) <=
                all.certificate.value * (1 + rounding_tolerance));
      }
    }
  }
}

TEST_CASE("refinements: without any at all the optimum is the same") {
  int combinations = 0;
  Refinements none;
  for (const RefinementRow& row : refinement_rows()) none.*row.refinement = false;
  for (const Problem& problem : small_problems()) {
    for (const Objective objective : objectives) {
      if (combinations++ % daily(5, 1) != 0) continue;
      JointOptions options;
      options.objective = objective;
      const double all = find_joint_optimum(problem.layer, problem.accelerator, options).certificate.value;
      options.refinements = none;
      const Certificate found = find_joint_optimum(problem.layer, problem.accelerator, options).certificate;
      CHECK(found.value == doctest::Approx(all).epsilon(1e-9));
      CHECK(found.lower_bound <= all * (1 + rounding_tolerance));
    }
  }
}

TEST_CASE("refinements: are left out by name") {
  const std::vector<std::string> names = {"home_table", "one_order"};
  const Refinements kept = refinements_without(names);
  CHECK_FALSE(kept.home_table);
  CHECK_FALSE(kept.one_order);
  CHECK(kept.operand_bounds);
  CHECK_FALSE(kept.all());
  CHECK(refinements_without({}).all());
  const std::vector<std::string> wrong = {"home_tabel"};
  CHECK_THROWS_WITH_AS(refinements_without(wrong),
                       "no refinement of a proof is called 'home_tabel'; did you mean 'home_table'?",
                       InputError);
}

namespace {

/// What the proofs of some layers took. The dearer kind of work decides first.
struct Work {
  double gap = 0;             ///< added up
  std::uint64_t work = 0;     ///< partial mappings, and multisets of tables
  std::uint64_t ordered = 0;  ///< spatial mappings bounded in one loop order
  std::uint64_t bounded = 0;  ///< spatial mappings whose operands were bounded
  std::uint64_t listed = 0;

  void add(const JointOptimum& found) {
    gap += std::min(found.certificate.gap(), 1.0);  // one without a bound has no finite one
    work += found.certificate.states + found.multisets;
    ordered += found.ordered;
    bounded += found.bounded;
    listed += found.spatial_mappings;
  }
  bool is_less_than(const Work& other) const {
    if (gap < other.gap - rounding_tolerance || gap > other.gap + rounding_tolerance)
      return gap < other.gap;
    return std::tie(work, ordered, bounded, listed) <
           std::tie(other.work, other.ordered, other.bounded, other.listed);
  }
};

struct ShippedChip {
  std::string name, network;
  std::vector<Problem> problems;
};

/// Layers of networks on the shipped accelerators of one core, with open unrollings.
std::vector<ShippedChip> shipped_chips() {
  const std::string configs = ZZ_SOURCE_DIR "/configs/";
  const OnnxSettings bytes{{}, {{"W", 8}, {"I", 8}, {"O", 16}, {"O_final", 8}}, {}};
  Diagnostics diagnostics;
  const MappingFile open = read_mapping(configs + "mappings/any_unrolling.yaml", diagnostics);
  std::vector<ShippedChip> chips;
  for (const char* name :
       {"ascend_like", "edge_tpu_like", "eyeriss_like", "nvdla_like", "simba_like", "tpu_like"}) {
    const auto accelerator =
        shared(read_accelerator(configs + "accelerators/" + name + ".yaml", diagnostics));
    for (const auto& [network, layers] :
         {std::pair<std::string, std::vector<std::string>>{
              "resnet18", {"stage3/block1/conv2", "stage4/block1/shortcut"}},
          {"mobilenet_v2", {"block3/depthwise", "block11/project"}}}) {
      const Workload workload =
          read_onnx(configs + "workloads/" + network + ".onnx", open, {}, diagnostics, bytes);
      ShippedChip chip{name, network, {}};
      for (const auto& layer : workload.layers)
        if (std::find(layers.begin(), layers.end(), layer->name) != layers.end())
          chip.problems.push_back({*layer, accelerator});
      REQUIRE(chip.problems.size() == layers.size());
      chips.push_back(std::move(chip));
    }
  }
  return chips;
}

Work work_of(const ShippedChip& chip, Objective objective, const Refinements& refinements) {
  Work taken;
  JointOptions options;
  options.objective = objective;
  options.refinements = refinements;
  options.limits.states = 1 << 15;
  for (const Problem& problem : chip.problems) {
    try {
      const JointOptimum found = find_joint_optimum(problem.layer, problem.accelerator, options);
      taken.add(found);
      if (objective != Objective::energy) continue;
      taken.add(find_joint_optimum(problem.layer, shared(with_dearer_top(*problem.accelerator)), options,
                                   &found));
    } catch (const NoResult&) {
      // The layer does not fit; that is so without any of them.
    }
  }
  return taken;
}

}  // namespace

namespace {

/// Refinements of which this sample shows no gain: the first is of the bounds of design spaces, the others
/// act in proofs that take more partial mappings than these may.
constexpr std::string_view of_longer_proofs[] = {"home_table",      "few_mappings",  "class_splits",
                                                 "capacity_splits", "port_mixtures", "latency_dives"};

}  // namespace

TEST_CASE("refinements: each gains something on the shipped accelerators" * doctest::skip()) {
  const std::vector<ShippedChip> chips = shipped_chips();
  std::vector<std::array<Work, 3>> all(chips.size());
  for (std::size_t chip = 0; chip < chips.size(); ++chip)
    for (std::size_t i = 0; i < 3; ++i) all[chip][i] = work_of(chips[chip], objectives[i], {});
  for (const RefinementRow& row : refinement_rows()) {
    int gains = 0, losses = 0;
    Work with, left;
    for (std::size_t chip = 0; chip < chips.size(); ++chip) {
      for (std::size_t i = 0; i < 3; ++i) {
        const Work& own = all[chip][i];
        const Work other = work_of(chips[chip], objectives[i], without(row));
        gains += own.is_less_than(other) ? 1 : 0;
        losses += other.is_less_than(own) ? 1 : 0;
        for (auto [sum, part] : {std::pair{&with, &own}, {&left, &other}}) {
          sum->gap += part->gap;
          sum->work += part->work;
          sum->ordered += part->ordered;
          sum->bounded += part->bounded;
          sum->listed += part->listed;
        }
      }
    }
    fmt::print(
        "{:<20} less in {:2}, more in {:2} of {}; without it: gaps {:.4f} -> {:.4f}, partial mappings and "
        "multisets {} -> {}, in one order {} -> {}, bounded {} -> {}, listed {} -> {}\n",
        row.name, gains, losses, 3 * chips.size(), with.gap, left.gap, with.work, left.work, with.ordered,
        left.ordered, with.bounded, left.bounded, with.listed, left.listed);
    std::fflush(stdout);
    CAPTURE(row.name);
    const bool waits = std::find(std::begin(of_longer_proofs), std::end(of_longer_proofs), row.name) !=
                       std::end(of_longer_proofs);
    CHECK((gains > 0) != waits);
  }
}
