#include "core/answers/cost_file.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "tests/unit/worlds/schedules.hpp"
#include "tests/unit/worlds/searches.hpp"

using namespace zz;

namespace {

/// A file of its own in a folder that goes away.
struct CostFileFixture {
  CostFileFixture() { std::filesystem::create_directories(folder); }
  ~CostFileFixture() { std::filesystem::remove_all(folder); }
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("zz-cost-file-" + std::to_string(::getpid()));
  std::string path = (folder / "costs.zz").string();
  core::CostModelTexts stages{{"stages", "[\"LomaStage\"]"}, {"loma_lpf_limit", "6"}};

  core::CoreCostPlan plan_with(std::int64_t memory_bits) const {
    return core::CoreCostPlan(
        std::make_shared<core::MultiCoreAccelerator>(test::two_small_cores(memory_bits)),
        std::make_shared<core::ComputationNodeGraph>(test::small_graph_of_products(2)), core::Rules{});
  }
  std::vector<std::shared_ptr<const core::Evaluation>> write(const core::CoreCostPlan& plan) const {
    std::vector<std::shared_ptr<const core::Evaluation>> answers;
    for (const core::CoreCostQuestion& question : plan.questions())
      answers.push_back(test::answer(question, 6, false));
    core::CostFile(path).write(plan.questions(), stages, answers);
    return answers;
  }
  /// The only warning, or nothing; counts the answers that are used.
  std::string read(const core::CoreCostPlan& plan, const core::CostModelTexts& now,
                   std::size_t& used) const {
    std::vector<std::string> warnings;
    used = 0;
    for (const auto& answer : core::CostFile(path).answers(plan.questions(), now, warnings))
      used += answer ? 1 : 0;
    CHECK(warnings.size() <= 1);
    return warnings.empty() ? "" : warnings.front();
  }
};

}  // namespace

TEST_CASE_FIXTURE(CostFileFixture, "costs come back as they were written") {
  const core::CoreCostPlan plan = plan_with(1152);
  const auto written = write(plan);
  std::vector<std::string> warnings;
  const auto read_back = core::CostFile(path).answers(plan.questions(), stages, warnings);
  CHECK(warnings.empty());
  REQUIRE(read_back.size() == written.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    REQUIRE(read_back[i] != nullptr);
    CHECK(read_back[i]->energy_total == written[i]->energy_total);
    CHECK(read_back[i]->latency_total1 == written[i]->latency_total1);
  }
  const core::CoreCost from_file = *plan.costs(read_back).find(1, 0, 1);
  const core::CoreCost computed = *plan.costs(written).find(1, 0, 1);
  CHECK(from_file.stream_read_bits == computed.stream_read_bits);
  CHECK(from_file.stream_read_elements == computed.stream_read_elements);
  CHECK(from_file.offchip_energy == computed.offchip_energy);
}

TEST_CASE_FIXTURE(CostFileFixture,
                  "costs that are out of date are not used, with one warning that says why") {
  write(plan_with(4096));
  std::size_t used = 0;
  SUBCASE("nothing changed") {
    CHECK(read(plan_with(4096), stages, used) == "");
    CHECK(used > 0);
  }
  SUBCASE("another setting") {
    core::CostModelTexts other = stages;
    other[1].second = "4";
    CHECK(read(plan_with(4096), other, used).find("'loma_lpf_limit' is 4 and was 6") != std::string::npos);
    CHECK(used == 0);
  }
  SUBCASE("another core") {
    CHECK(read(plan_with(8192), stages, used).find("the core or what streams to it is another") !=
          std::string::npos);
    CHECK(used == 0);
  }
  SUBCASE("another build") {
    core::CostModelTexts other = stages;
    other.emplace_back("build of zz", "next");
    CHECK(read(plan_with(4096), other, used).find("'build of zz' is next and was not set") !=
          std::string::npos);
    CHECK(used == 0);
  }
}

TEST_CASE_FIXTURE(CostFileFixture, "a file of something else is neither used nor touched") {
  std::ofstream(path) << "no archive";
  std::size_t used = 0;
  CHECK(read(plan_with(4096), stages, used).find("is left as it is") != std::string::npos);
  CHECK(used == 0);
  write(plan_with(4096));
  std::string text;
  std::getline(std::ifstream(path), text);
  CHECK(text == "no archive");
}

TEST_CASE_FIXTURE(CostFileFixture, "a file that was cut off is replaced") {
  write(plan_with(4096));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 7);
  std::size_t used = 0;
  CHECK(read(plan_with(4096), stages, used).find("cut off") != std::string::npos);
  CHECK(used == 0);
  write(plan_with(4096));
  CHECK(read(plan_with(4096), stages, used) == "");
  CHECK(used > 0);
}
