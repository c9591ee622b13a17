#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/input/onnx/workload.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/optimal/detail/search_problem.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/search/spatial/spatial_generator.hpp"
#include "core/search/spatial/spatial_space.hpp"
#include "tests/unit/search/optimal/random_mapping.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

/// Trials against the optimum of a layer.
struct Tries {
  std::vector<int> factor_limits;
  int unrollings;    ///< of the generator, with several loops side by side and without
  int random;        ///< legal mappings
  std::size_t list;  ///< unrollings among which these choose
};

/// A mapping that another way of searching finds is no better than the pair that is proven: neither faster,
/// nor of less energy where it is as fast.
class Rivals {
 public:
  Rivals(const Layer& layer, std::shared_ptr<const Accelerator> accelerator, const Tries& tries)
      : layer_(layer), accelerator_(std::move(accelerator)), tries_(tries) {
    JointOptions options;
    options.objective = Objective::latency;
    options.mixed = true;
    options.within = within;
    found_ = find_joint_optimum(layer, accelerator_, options);
  }

  void check() {
    CHECK(found_.certificate.gap() == 0);
    CHECK(found_.chosen().latency <= found_.certificate.value * (1 + within) * (1 + 1e-9));
    try_loma(false);
    try_loma(true);
    try_random();
    CHECK(fastest_ >= found_.certificate.value * (1 - 1e-9));
    CHECK(cheapest_ >= found_.chosen().energy * (1 - 1e-9));
  }

 private:
  static constexpr double within = 0.001;

  void look_at(const SearchProblem& problem, const CompactMapping& mapping) {
    const double latency = problem.value(mapping, Objective::latency);
    fastest_ = std::min(fastest_, latency);
    if (latency <= found_.certificate.value * (1 + within))
      cheapest_ = std::min(cheapest_, problem.value(mapping, Objective::energy));
  }

  void try_loma(bool mixed) {
    SpatialGeneratorOptions options;
    options.mixed = mixed;
    options.count = tries_.unrollings;
    for (const SpatialUnrolling& unrolling :
         generate_spatial_mappings(layer_, *accelerator_, options).mappings) {
      const SearchProblem problem(unrolled_problem(layer_, accelerator_, unrolling, {}));
      for (const int limit : tries_.factor_limits) {
        Loma orders(problem.given.layer, accelerator_, problem.given.fractional, {.factor_limit = limit});
        CompactMappings batch;
        while (!orders.finished()) {
          orders.next(batch, 256);
          for (const CompactMapping& row : batch.rows) look_at(problem, row);
        }
      }
    }
  }

  void try_random() {
    SpatialSpace space(layer_, *accelerator_, {.mixed = true});
    std::vector<SpatialSpace::Choice> choices;
    while (choices.size() < tries_.list) {
      const auto choice = space.next();
      if (!choice) break;
      choices.push_back(*choice);
    }
    std::mt19937 random(1);
    constexpr int mappings_each = 20;
    for (int tried = 0; tried < tries_.random;) {
      const SearchProblem problem(
          unrolled_problem(layer_, accelerator_, space.unrolling(choices[random() % choices.size()]), {}));
      for (int i = 0; i < mappings_each; ++i, ++tried) {
        if (const auto sample = random_mapping(problem, random)) look_at(problem, sample->mapping);
      }
    }
  }

  const Layer& layer_;
  std::shared_ptr<const Accelerator> accelerator_;
  Tries tries_;
  JointOptimum found_;
  double fastest_ = std::numeric_limits<double>::infinity();
  double cheapest_ = std::numeric_limits<double>::infinity();
};

/// Every `stride`th layer of the network on the accelerator, both of configs/, with data of a byte.
void check_layers(const std::string& network, const std::string& accelerator_name, std::size_t stride,
                  const Tries& tries) {
  CAPTURE(network);
  CAPTURE(accelerator_name);
  const std::string configs = ZZ_SOURCE_DIR "/configs/";
  Diagnostics diagnostics;
  const MappingFile mapping = read_mapping(configs + "mappings/any_unrolling.yaml", diagnostics);
  const OnnxSettings bytes{{}, {{"W", 8}, {"I", 8}, {"O", 16}, {"O_final", 8}}, {}};
  const Workload workload =
      read_onnx(configs + "workloads/" + network + ".onnx", mapping, {}, diagnostics, bytes);
  const auto accelerator = std::make_shared<const Accelerator>(
      read_accelerator(configs + "accelerators/" + accelerator_name + ".yaml", diagnostics));
  const auto layers = workload.layers_in_order();
  for (std::size_t i = 0; i < layers.size(); i += stride) {
    CAPTURE(layers[i]->name);
    Rivals(*layers[i], accelerator, tries).check();
  }
}

}  // namespace

TEST_CASE("joint optimum: as good as LOMA and random mappings on some layers of shipped accelerators") {
  const Tries little{{4}, 3, 200, 256};
  check_layers("resnet18", "ascend_like", 10, little);
  check_layers("mobilenet_v2", "gemmini_like", 26, little);
}

// Slow: CTest runs it as "unit-slow/rival mappings".
TEST_CASE("joint optimum: as good as LOMA's settings and 1,000 random mappings a layer" * doctest::skip()) {
  const Tries much{{3, 5, 6, 7}, 10, 1000, 16384};
  for (const char* accelerator : {"ascend_like", "gemmini_like", "nvdla_like", "tpu_like"})
    check_layers("resnet18", accelerator, 3, much);
  check_layers("mobilenet_v2", "gemmini_like", 7, much);
  check_layers("mobilenet_v2", "nvdla_like", 7, much);
}
