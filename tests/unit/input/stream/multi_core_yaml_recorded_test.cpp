#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/input/stream/multi_core_yaml.hpp"

// Stream's files load unchanged, and make the cores, memories, links and routes that Stream makes of them.

namespace {

using namespace zz::core;
using nlohmann::json;
namespace fs = std::filesystem;

fs::path recorded() { return fs::path(ZZ_SOURCE_DIR).parent_path() / "shared" / "oracle" / "stream"; }

double number(const json& value) {
  return value.is_string() ? std::numeric_limits<double>::infinity() : value.get<double>();
}
int core_id(const json& value) { return value.is_string() ? -1 : value.get<int>(); }

void check_memories(const MultiCoreAccelerator& accelerator, const json& expected) {
  REQUIRE(accelerator.cores.size() == expected.size());
  for (int core = 0; core < accelerator.core_count(); ++core) {
    CAPTURE(core);
    CHECK(accelerator.cores[core]->array.unit_count() == expected[core]["nb_multipliers"]);
    const json& memories = expected[core]["top_memories"];
    REQUIRE(accelerator.cores_tops[core].size() == memories.size());
    for (std::size_t i = 0; i < memories.size(); ++i) {
      const int index = accelerator.cores_tops[core][i];
      const TopMemory& top = accelerator.top_memories[index];
      CHECK(top == TopMemory{memories[i]["name"],
                             {core},
                             memories[i]["memory_operands"],
                             memories[i]["capacity_bits"],
                             memories[i]["read_bw"],
                             memories[i]["write_bw"],
                             memories[i]["read_energy"],
                             memories[i]["write_energy"]});
      for (const std::string operand : memories[i]["memory_operands"])
        CHECK(accelerator.top(core, operand) == index);
    }
  }
}

void check_links(const MultiCoreAccelerator& accelerator, const json& expected) {
  std::vector<Link> links;
  for (const json& link : expected["links"]) {
    const bool both_ways = link["bidirectional"];
    links.push_back({core_id(link["sender"]), core_id(link["receiver"]),
                     number(link["bandwidth_bits_per_cycle"]), link["unit_energy"], both_ways});
  }
  CHECK(accelerator.links == links);

  CHECK(accelerator.cores_by_connection() == expected["core_iteration_order"].get<std::vector<int>>());
  std::vector<std::vector<int>> edges;
  for (const int core : accelerator.cores_by_connection()) {
    for (const Connection& connection : accelerator.connections)
      if (connection.from == core) edges.push_back({connection.from, connection.to, connection.link});
  }
  CHECK(edges == expected["edges_from_to_link"].get<std::vector<std::vector<int>>>());
}

void check_routes(const MultiCoreAccelerator& accelerator, const json& expected) {
  const json& paths = expected["shortest_paths"];
  const int count = accelerator.core_count();
  CHECK(paths.size() == static_cast<std::size_t>(count * (count - 1)));
  for (const auto& entry : paths.items()) {
    const std::string pair = entry.key();
    const json& path = entry.value();
    CAPTURE(pair);
    std::vector<int> links;
    for (std::size_t i = 1; i < path.size(); ++i) {
      const auto used =
          std::find_if(accelerator.connections.begin(), accelerator.connections.end(),
                       [&](const Connection& one) { return one.from == path[i - 1] && one.to == path[i]; });
      REQUIRE(used != accelerator.connections.end());
      links.push_back(used->link);
    }
    CHECK(accelerator.route(path.front(), path.back()) == links);
  }
}

}  // namespace

TEST_CASE("recorded multi-core accelerators are read as Stream reads them") {
  if (!fs::is_directory(recorded())) {
    MESSAGE("skipped: no recorded cases at " << recorded().string());
    return;
  }
  int compared = 0;
  for (const auto& entry : fs::directory_iterator(recorded() / "cases")) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream file(entry.path());
    const json recorded_case = json::parse(file);
    if (!recorded_case.contains("accelerator") || recorded_case["accelerator"].empty()) continue;
    CAPTURE(entry.path().string());
    const json& expected = recorded_case["accelerator"];
    const std::string input = recorded_case["inputs"]["accelerator"];
    Diagnostics diagnostics;
    const MultiCoreAccelerator accelerator = read_multi_core(
        (recorded() / "inputs" / input).string(), diagnostics, Files::on_disk(), rules_of("stream-0.0.8"));
    CHECK(diagnostics.all().empty());
    CHECK(accelerator.name == expected["name"].get<std::string>());
    CHECK(accelerator.offchip_core == expected["offchip_core_id"].get<int>());
    check_memories(accelerator, expected["cores"]);
    check_links(accelerator, expected);
    check_routes(accelerator, expected);
    ++compared;
  }
  CHECK(compared > 0);
}

TEST_CASE("example files that Stream refuses load, or say why not") {
  const fs::path hardware = recorded() / "inputs" / "examples" / "hardware";
  if (!fs::is_directory(hardware)) {
    MESSAGE("skipped: no recorded inputs at " << hardware.string());
    return;
  }
  Diagnostics diagnostics;
  const MultiCoreAccelerator accelerator =
      read_multi_core((hardware / "meta_prototype_dual_core_simd_offchip.yaml").string(), diagnostics);
  CHECK(accelerator.core_count() == 5);
  CHECK(accelerator.cores[3] == accelerator.cores[4]);
  CHECK(accelerator.cores[3]->array.unit_count() == 1024);
  try {
    read_multi_core((hardware / "eyeriss_like_dual_core.yaml").string(), diagnostics);
    FAIL("its core uses ports that it does not have");
  } catch (const InputError& error) {
    std::set<std::string> messages;
    for (const Diagnostic& problem : error.diagnostics()) {
      messages.insert(problem.message);
      CHECK(problem.mark.file.ends_with("cores/eyeriss_like.yaml"));
      CHECK(problem.mark.line > 0);
    }
    CHECK(messages.count(
              "the ports of I1 in memory 'sram_1M' name the port 'wr_port_2', which is not among those "
              "counted by r_port, w_port and rw_port") == 1);
    CHECK(messages.count("'dataflows' unrolls 16 loop steps over D1, which has 14 units") == 1);
  }
}
