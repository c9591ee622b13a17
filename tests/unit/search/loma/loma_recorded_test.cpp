// The recorded enumerations of ZigZag: every spatial candidate in the order of its rank, every loop order
// in the order in which LOMA yields it, with its allocation, energy and latency.
#include <cstdio>
#include <doctest/doctest.h>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>

#include "core/cost/boundary_table.hpp"
#include "core/cost/cost_model.hpp"
#include "core/input/onnx/workload.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/input/zigzag/workload_yaml.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "core/search/spatial/spatial_generator.hpp"
#include "core/search/spatial/spatial_space.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using namespace zz::core;

const fs::path oracle = fs::path(ZZ_SOURCE_DIR) / "../shared/oracle/zigzag";

ordered_json read_gzip(const fs::path& path) {
  const std::string command = "gzip -dc '" + path.string() + "'";
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  char buffer[65536];
  for (std::size_t read; (read = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, read);
  pclose(pipe);
  return ordered_json::parse(text);
}

SpatialUnrolling unrolling_from(const ordered_json& user) {
  SpatialUnrolling unrolling;
  for (const auto& [array, loops] : user.items()) {
    ArrayUnrolling entry{array, {}};
    for (const auto& [dimension, factor] : loops.items())
      entry.loops.push_back({dimension, factor.get<std::int64_t>()});
    unrolling.dimensions.push_back(std::move(entry));
  }
  return unrolling;
}

std::string as_text(const std::vector<TemporalLoop>& loops) {
  std::string text;
  for (const TemporalLoop& loop : loops) {
    text += (text.empty() ? "" : " ") + loop.dimension + ":" + std::to_string(loop.size);
  }
  return text;
}

std::vector<std::vector<int>> loops_per_level(const TemporalMapping& mapping, bool stationary) {
  std::vector<std::vector<int>> counts;
  for (const OperandTemporalMapping& operand : mapping.operands) {
    counts.emplace_back();
    int below = 0;
    for (const int cut : stationary ? operand.stationary : operand.allocated) {
      counts.back().push_back(cut - below);
      below = cut;
    }
  }
  return counts;
}

bool near(double ours, double recorded) { return ours == doctest::Approx(recorded).epsilon(1e-9); }

void compare_internal(const SpatialMapping& ours, const ordered_json& recorded) {
  for (const OperandSpatialMapping& operand : ours.operands) {
    const ordered_json& levels = recorded.at(operand.operand);
    REQUIRE(operand.levels.size() == levels.size());
    for (std::size_t level = 0; level < levels.size(); ++level) {
      REQUIRE(operand.levels[level].size() == levels[level].size());
      for (std::size_t loop = 0; loop < levels[level].size(); ++loop) {
        CHECK(operand.levels[level][loop].dimension == levels[level][loop][0].get<std::string>());
        CHECK(operand.levels[level][loop].factor == levels[level][loop][1].get<double>());
      }
    }
  }
}

void compare_rows(const ordered_json& recorded, std::shared_ptr<const Layer> layer,
                  std::shared_ptr<const Accelerator> accelerator, const LomaOptions& options) {
  const ConvertedSpatialMapping converted =
      convert_spatial_mapping(*layer, *accelerator, rules_of("zigzag-3.8.5"));
  if (recorded.contains("internal")) {
    compare_internal(converted.fractional, recorded["internal"]);
    compare_internal(converted.integral, recorded["internal_int"]);
  }
  if (!recorded.contains("rows")) return;
  const auto fractional = std::make_shared<SpatialMapping>(converted.fractional);
  const auto integral = std::make_shared<SpatialMapping>(converted.integral);
  Loma search(layer, accelerator, fractional, options);
  if (recorded.contains("nb_permutations")) {
    CHECK(search.orders_total() == recorded["nb_permutations"].get<std::int64_t>());
  }
  const CostModel model(accelerator, layer, fractional, integral,
                        {.same_data_free = true, .rules = rules_of("zigzag-3.8.5")});
  CompactMappings batch;
  std::optional<BoundaryTable> table;
  std::size_t row = 0;
  const ordered_json& rows = recorded["rows"];
  if (rows.empty() && recorded["mode"] != "constrained")
    return;  // rows of this candidate were not recorded
  while (!search.finished()) {
    search.next(batch, 64);
    if (batch.lattice && !table) table.emplace(model, batch.lattice);
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      while (row < rows.size() && rows[row][1].is_null()) ++row;  // dropped: does not fit
      REQUIRE(row < rows.size());
      const TemporalMapping mapping = batch.mapping(i);
      const auto evaluation = model.evaluate(std::make_shared<TemporalMapping>(mapping));
      const Score score = table ? table->score(batch.rows[i]) : model.score(batch.rows[i]);
      CAPTURE(row);
      CHECK(as_text(mapping.loops) == rows[row][0].get<std::string>());
      CHECK(loops_per_level(mapping, false) == rows[row][1].get<std::vector<std::vector<int>>>());
      CHECK(loops_per_level(mapping, true) == rows[row][2].get<std::vector<std::vector<int>>>());
      CHECK(near(evaluation.energy_total, rows[row][3]));
      CHECK(near(evaluation.latency_total0, rows[row][4]));
      CHECK(near(evaluation.latency_total1, rows[row][5]));
      CHECK(near(evaluation.latency_total2, rows[row][6]));
      CHECK(near(evaluation.data_onloading_cycle, rows[row][8]));
      CHECK(near(evaluation.data_offloading_cycle, rows[row][9]));
      CHECK(score.energy_total == evaluation.energy_total);
      CHECK(score.latency_total2 == evaluation.latency_total2);
      CHECK(score.latency_total0 == evaluation.latency_total0);
      CHECK(model.score(batch.rows[i]).energy_total == score.energy_total);
      if (table) {
        const Score alone = table->evaluate(batch.rows[i]);
        CHECK(alone.energy_total == score.energy_total);
        CHECK(alone.latency_total2 == score.latency_total2);
        CHECK(alone.latency_total0 == score.latency_total0);
      }
      ++row;
    }
  }
  while (row < rows.size() && rows[row][1].is_null()) ++row;
  CHECK(row == rows.size());
}

}  // namespace

TEST_CASE("recorded enumerations: candidates, loop orders, allocation and cost") {
  if (!fs::exists(oracle / "enumeration")) {
    MESSAGE("SKIPPED: ../shared/oracle/zigzag is not there");
    return;
  }
  for (const auto& file : fs::directory_iterator(oracle / "enumeration")) {
    const ordered_json recorded = read_gzip(file.path());
    CAPTURE(file.path().filename().string());
    Diagnostics diagnostics;
    const std::string inputs = (oracle / "inputs/").string();
    const MappingFile mapping = read_mapping(inputs + recorded["mapping"].get<std::string>(), diagnostics);
    const std::string workload_path = inputs + recorded["workload"].get<std::string>();
    const Rules reading = rules_of("zigzag-3.8.5");
    const Workload workload = workload_path.ends_with(".onnx")
                                  ? read_onnx(workload_path, mapping, reading, diagnostics)
                                  : read_workload(workload_path, mapping, reading, diagnostics);
    const Layer* layer = workload.layer(recorded["layer_id"].get<std::int64_t>());
    REQUIRE(layer != nullptr);
    const auto accelerator = std::make_shared<Accelerator>(
        read_accelerator(inputs + recorded["accelerator"].get<std::string>(), diagnostics));
    const ordered_json& parameters = recorded["params"];
    SpatialGeneratorOptions generating;
    generating.mixed = parameters["enable_mix_spatial_mapping"].get<bool>();
    generating.count = parameters["nb_spatial_mappings_generated"].get<std::int64_t>();
    generating.rules = rules_of("zigzag-3.8.5");

    if (recorded.contains("all_spatial_candidates_sorted")) {
      const ordered_json& candidates = recorded["all_spatial_candidates_sorted"];
      const bool truncated = recorded["all_spatial_candidates_truncated"].get<bool>();
      SpatialSpace space(*layer, *accelerator,
                         {.mixed = generating.mixed,
                          .factors = UnrollingFactors::divisors,
                          .rules = generating.rules,
                          .list = UnrollingList::zigzag});
      if (!space.prescribed()) {
        for (const ordered_json& candidate : candidates) {
          const auto choice = space.next();
          REQUIRE(choice);
          CHECK(space.unrolling(*choice) == unrolling_from(candidate[0]));
          CHECK(near(space.rank(*choice), candidate[1]));
        }
        CHECK((truncated || !space.next()));
      }
    }
    const SpatialCandidates generated = generate_spatial_mappings(*layer, *accelerator, generating);
    const ordered_json& tried = recorded["spatial_mappings"];
    REQUIRE(generated.mappings.size() == tried.size());
    LomaOptions options;
    options.factor_limit = parameters["lpf_limit"].get<int>();
    options.type = parameters["temporal_mapping_type"] == "even" ? MappingType::even : MappingType::uneven;
    options.rules = rules_of("zigzag-3.8.5");
    for (std::size_t i = 0; i < tried.size(); ++i) {
      CAPTURE(i);
      CHECK(generated.mappings[i] == unrolling_from(tried[i]["user"]));
      auto mapped = std::make_shared<Layer>(*layer);
      mapped->mapping.spatial_mapping = generated.mappings[i];
      compare_rows(tried[i], mapped, accelerator, options);
    }
  }
}
