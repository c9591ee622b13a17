#include "core/input/stream/multi_core_yaml.hpp"

#include <limits>

#include "tests/unit/worlds/texts.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

const std::string mesh =
    "name: two\n"
    "cores: [a.yaml, a.yaml, dram.yaml]\n"
    "graph:\n"
    "  type: 2d_mesh\n"
    "  nb_rows: 1\n"
    "  nb_cols: 2\n"
    "  bandwidth: 32\n"
    "  offchip_core_id: 2\n";

const std::string later =
    "name: two\n"
    "cores: {1: a.yaml, 0: b.yaml}\n"
    "offchip_core: dram.yaml\n"
    "core_connectivity: [\"0, 1\"]\n"
    "bandwidth: 32\n"
    "unit_energy_cost: 0.5\n";

/// The accelerator of a text beside core files a, b and dram.
MultiCoreAccelerator accelerator(const std::string& text, Diagnostics& diagnostics) {
  const Folder folder;
  folder.write("cores/a.yaml", core_text("a"));
  folder.write("cores/b.yaml", core_text("b"));
  folder.write("dram.yaml", dram_text(one_port));
  return read_multi_core(folder.write("accelerator.yaml", text), diagnostics);
}
MultiCoreAccelerator accelerator(const std::string& text) {
  Diagnostics diagnostics;
  MultiCoreAccelerator result = accelerator(text, diagnostics);
  CHECK(diagnostics.all().empty());
  return result;
}
std::string errors(const std::string& text) {
  return errors_of([&] { accelerator(text); });
}

}  // namespace

TEST_CASE("a mesh of cores is read with its off-chip memory") {
  const MultiCoreAccelerator two = accelerator(mesh);
  CHECK(two.name == "two");
  REQUIRE(two.core_count() == 3);
  CHECK(two.cores[0] == two.cores[1]);
  CHECK(two.cores[2]->array.unit_count() == 0);
  CHECK(two.offchip_core == 2);
  CHECK_FALSE(two.pooling_core.has_value());
  CHECK(two.links == std::vector<Link>{{0, 1, 32, 0, false}, {2, -1, 64, 0, true}, {1, 0, 32, 0, false}});
  CHECK(two.top_memories.size() == 3);
}

TEST_CASE("the spelling of later versions of Stream means the same") {
  const MultiCoreAccelerator two = accelerator(later);
  CHECK(two.cores[0]->name == "b");
  CHECK(two.cores[1]->name == "a");
  CHECK(two.offchip_core == 2);
  CHECK(two.links ==
        std::vector<Link>{{0, 1, 32, 0.5, false}, {2, -1, 64, 0.5, true}, {1, 0, 32, 0.5, false}});
  const MultiCoreAccelerator own_figures = accelerator(
      "name: own\ncores: [a.yaml, b.yaml, dram.yaml]\noffchip_core_id: 2\nunit_energy_cost: 0.5\n"
      "core_connectivity:\n"
      "  - {cores: [0, 2], bandwidth: 8.5}\n"
      "  - {type: bus, cores: [0, 1], bandwidth: 4, unit_energy_cost: 1}\n");
  CHECK(own_figures.links ==
        std::vector<Link>{{0, 2, 8.5, 0.5, false}, {-1, -1, 4, 1, false}, {2, 0, 8.5, 0.5, false}});
}

TEST_CASE("items that join a pair again are told with the pairs and their place") {
  Diagnostics diagnostics;
  const MultiCoreAccelerator two =
      accelerator(with(later, "[\"0, 1\"]",
                       "[{type: bus, cores: [0, 1]}, {type: bus, cores: [2, 1, 0], bandwidth: 16}]"),
                  diagnostics);
  CHECK(two.links == std::vector<Link>{{-1, -1, 16, 0.5, false}});
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].severity == Severity::warning);
  CHECK(diagnostics.all()[0].mark.line == 4);
  CHECK(diagnostics.all()[0].message.find("too: 1 and 0; the later item counts") != std::string::npos);
}

TEST_CASE("shared memories are lists of ids") {
  for (const char* list : {"[[0, 1]]", "[\"0, 1\"]"}) {
    const MultiCoreAccelerator two = accelerator(mesh + "core_memory_sharing: " + list + "\n");
    CHECK(two.shared_memories == std::vector<std::vector<int>>{{0, 1}});
    CHECK(two.top_memories.size() == 2);
    CHECK(two.links == std::vector<Link>{{2, -1, 64, 0, true}});
  }
  CHECK(errors(mesh + "core_memory_sharing: [[0, 2]]\n") ==
        "9:23 accelerator 'two': cores 0 and 2 are said to share memories, but 'a' and 'dram' have no "
        "topmost memory "
        "of the same name");
  CHECK(errors(mesh + "core_memory_sharing: [[0], [0, 7], \"1, 1\", x]\n") ==
        "9:23 an item of 'core_memory_sharing' of the accelerator must name two cores or more\n"
        "9:32 an item of 'core_memory_sharing' of the accelerator names core 7, which there is not\n"
        "9:36 an item of 'core_memory_sharing' of the accelerator names core 1 twice\n"
        "9:44 an item of 'core_memory_sharing' of the accelerator must be core ids, as [0, 1] or \"0, 1\", "
        "but found "
        "the text 'x'");
}

TEST_CASE("mistakes in a multi-core accelerator are found at their places") {
  CHECK(errors(with(mesh, "2d_mesh", "2d_mash")) == "4:9 unknown type '2d_mash' of the graph");
  CHECK(errors(with(mesh, "nb_cols: 2", "nb_cols: 3")) ==
        "5:12 a mesh of 1 rows and 3 columns does not hold the 2 cores that are neither pooling, simd nor "
        "off-chip "
        "core");
  CHECK(errors(with(mesh, "  nb_cols: 2\n", "")) == "4:3 the key 'nb_cols' is missing in the graph");
  CHECK(errors(with(mesh, "bandwidth: 32", "bandwidth: 0")) ==
        "7:14 'bandwidth' of the graph is 0; it must be 0.001 bits per cycle or more");
  CHECK(
      errors(with(mesh, "bandwidth: 32", "bandwith: 32")).find("7:3 unknown key 'bandwith' in the graph") ==
      0);
  CHECK(errors(with(mesh, "bandwidth: 32", "bandwidth: 0.5")) == "");
  CHECK(errors(with(mesh, "core_id: 2", "core_id: 3")) ==
        "8:20 'offchip_core_id' of the graph is 3, which is no core");
  CHECK(errors(mesh + "  simd_core_id: 2\n")
            .find("8:20 'offchip_core_id' of the graph is 2, which has another role already") == 0);
  CHECK(errors(with(mesh, "graph:", "grap:")).find("3:1 unknown key 'grap' in the accelerator") == 0);
  CHECK(errors(with(mesh, "  offchip_core_id: 2", "memories: {}"))
            .find("8:11 a file with 'cores' describes several") == 0);
  CHECK(errors("name: x\ncores: []\n") ==
        "2:8 the accelerator has no cores\n1:1 the key 'graph' is missing in the accelerator");
  CHECK(errors(with(later, "{1: a.yaml, 0: b.yaml}", "{2: a.yaml, 0: b.yaml}"))
            .find("2:9 '2' is no id of one of 2 cores") == 0);
  CHECK(
      errors(with(later, "\"0, 1\"", "\"0, 5\""))
          .find(
              "4:21 an item of 'core_connectivity' of the accelerator names core 5, which there is not") ==
      0);
  CHECK(errors(with(later, "bandwidth: 32\n", "")) ==
        "4:21 an item of 'core_connectivity' of the accelerator has no bandwidth");
  CHECK(
      errors(with(later, "offchip_core: dram.yaml\ncore_connectivity: [\"0, 1\"]", "core_connectivity: []"))
          .find("3:20 accelerator 'two': there is no way from core 0 ('b') to core 1") == 0);
}

TEST_CASE("links of the simd core are what the graph says, in a mesh and nowhere else") {
  const std::string text = with(with(mesh, "[a.yaml, a.yaml, dram.yaml]", "[a.yaml, b.yaml, dram.yaml]"),
                                "nb_cols: 2", "nb_cols: 1\n  simd_core_id: 1");
  const auto to_simd = [](const MultiCoreAccelerator& read) {
    return read.links[read.route(0, 1).front()];
  };
  CHECK(to_simd(accelerator(text)) == Link{-1, 1, 16, 0, false});
  CHECK(to_simd(accelerator(text + "  simd_bandwidth: 48\n  simd_unit_energy_cost: 0.25\n")) ==
        Link{-1, 1, 48, 0.25, false});
  CHECK(errors(text + "  simd_bandwidth: 0\n") ==
        "10:19 'simd_bandwidth' of the graph is 0; it must be 0.001 bits per cycle or more");
  CHECK(errors(text + "  simd_unit_energy_cost: -1\n") ==
        "10:26 'simd_unit_energy_cost' of the graph is -1; it must be from 0 to 1e+30 pJ per cycle");
  CHECK(errors(with(text, "2d_mesh", "bus") + "  simd_bandwidth: 48\n") ==
        "10:19 'simd_bandwidth' of the graph is of no use: on a bus the simd core uses the bus");
  CHECK(errors(mesh + "  simd_unit_energy_cost: 1\n") ==
        "9:26 'simd_unit_energy_cost' of the graph is given, but the graph has no simd core");
  CHECK(errors(text + "  simd_bandwith: 48\n").find("10:3 unknown key 'simd_bandwith' in the graph") == 0);
}

TEST_CASE("what is wrong with core files is said together with the rest") {
  const Folder folder;
  folder.write("cores/a.yaml", with(core_text("a"), "sizes: [4]", "sizes: [-4]"));
  folder.write("dram.yaml", dram_text(one_port) + "dataflows: {D1: [\"K, 4\"], D2: []}\n");
  const std::string path =
      folder.write("accelerator.yaml",
                   with(with(mesh, "bandwidth: 32", "bandwidth: x"), "a.yaml, a.yaml", "a.yaml, c.yaml"));
  Diagnostics diagnostics;
  try {
    read_multi_core(path, diagnostics);
    FAIL("there are mistakes");
  } catch (const InputError& error) {
    REQUIRE(error.diagnostics().size() == 5);
    const auto& found = error.diagnostics();
    CHECK(to_string(found[0].mark) == (folder.path() / "cores/a.yaml").string() + ":4:77");
    CHECK(found[0].message == "the size of array dimension D1 is -4; it must be 0 or more");
    CHECK(to_string(found[1].mark) == path + ":2:17");
    CHECK(found[1].message == "there is no core file 'c.yaml'");
    CHECK(found[1].hint.find("looked for " + (folder.path() / "c.yaml").string() + ", " +
                             (folder.path() / "cores/c.yaml").string()) == 0);
    CHECK(found[2].message == "'dataflows' names 'D2', which is no dimension of the array");
    CHECK(found[3].message == "'dataflows' unrolls 4 loop steps over D1, which has 0 units");
    CHECK(to_string(found[4].mark) == path + ":7:14");
  }
}

TEST_CASE("a file with cores is told from the file of one core") {
  const Folder folder;
  Diagnostics diagnostics;
  folder.write("cores/a.yaml", core_text("a"));
  folder.write("cores/b.yaml", core_text("b"));
  folder.write("dram.yaml", dram_text(one_port));
  const auto several = read_one_or_several_cores(folder.write("several.yaml", mesh), diagnostics);
  CHECK(std::get<MultiCoreAccelerator>(several).core_count() == 3);
  const auto one = read_one_or_several_cores(folder.write("one.yaml", core_text("one")), diagnostics);
  CHECK(std::get<Accelerator>(one).name == "one");
  CHECK_THROWS_AS(read_one_or_several_cores((folder.path() / "none.yaml").string(), diagnostics),
                  InputError);
}
