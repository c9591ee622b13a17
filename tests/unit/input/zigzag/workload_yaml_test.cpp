#include "core/input/zigzag/workload_yaml.hpp"

#include <doctest/doctest.h>

#include "core/hardware/layer_fit.hpp"
#include "core/input/zigzag/detail/equation.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/texts.hpp"

using namespace zz::core;
using zz::test::accelerator_with;
using zz::test::errors_of;
using zz::test::one_port_memory;
using zz::test::with;

namespace {

const std::string two_layers =
    "- id: 0\n"
    "  operator_type: Conv\n"
    "  equation: O[b][k][ox]+=W[k][fx]*I[b][ix]\n"
    "  dimension_relations: [ix=2*ox+1*fx]\n"
    "  loop_dims: [B, K, OX, FX]\n"
    "  loop_sizes: [1, 4, 8, 3]\n"
    "  operand_precision: {W: 8, I: 8, O: 16, O_final: 8}\n"
    "  operand_source: {W: 0, I: 0}\n"
    "- id: 5\n"
    "  name: second\n"
    "  operator_type: Add\n"
    "  equation: O[b][k] = W[b][k] ++ I[b][k]\n"
    "  loop_dims: [b, k]\n"
    "  loop_sizes: [1, 4]\n"
    "  operand_precision: {W: 8, I: 8, O: 16, O_final: 8}\n"
    "  operand_source: {W: 0, I: 0}\n";

Workload read(const std::string& text, const std::string& mapping, Diagnostics& diagnostics,
              const Rules& rules = {}) {
  Diagnostics of_mapping;
  return read_workload_text(text, "dir/two.yaml", read_mapping_text(mapping, "m.yaml", of_mapping), rules,
                            diagnostics);
}

std::string workload_errors(const std::string& text) {
  return errors_of([&] {
    Diagnostics diagnostics;
    read(text, "- name: default\n", diagnostics);
  });
}

}  // namespace

TEST_CASE("cuts count the loops of the ordering that a layer has") {
  Diagnostics diagnostics;
  const Workload workload = read(two_layers,
                                 "- name: default\n"
                                 "  temporal_ordering: [[C, 2], [FX, 3], [OY, 4], [OX, 8], [K, 4]]\n"
                                 "  cuts: {O: {l1: 1, l2: 3, dram: 5}, I: {l1: 6}}\n",
                                 diagnostics);
  const LayerMapping& mapping = workload.layers.at(0)->mapping;
  CHECK(mapping.temporal_ordering == std::vector<OrderingEntry>{{"FX", 3}, {"OX", 8}, {"K", 4}});
  CHECK(mapping.cuts == std::vector<OperandCuts>{{"O", {{"l1", 0}, {"l2", 1}, {"dram", 3}}},
                                                 {"I", {{"l1", 4}}}});  // still one too many
}

TEST_CASE("the data of a relation reach as far as its loops, with what they skip") {
  const auto size = [](const char* relation, const char* sizes, const char* more, const char* compat) {
    Diagnostics diagnostics;
    const Workload workload = read(
        std::string("- id: 0\n  operator_type: Conv\n"
                    "  equation: O[b][k][ox]+=W[k][fx]*I[b][ix]\n  dimension_relations: [") +
            relation + "]\n  loop_dims: [B, K, OX, FX]\n  loop_sizes: " + sizes +
            "\n  operand_precision: {W: 8, I: 8, O: 16, O_final: 8}\n  operand_source: {W: 0, I: 0}\n" +
            more,
        "- name: default\n", diagnostics, rules_of(compat));
    const Layer& layer = *workload.layers.at(0);
    return layer.relations.at(0).size;
  };
  CHECK(size("ix=2*ox+1*fx", "[1, 4, 7, 1]", "", "") == 13);
  CHECK(size("ix=2*ox+1*fx", "[1, 4, 7, 1]", "", "zigzag-3.8.5") == 7);
  CHECK(size("ix=2*ox+1*fx", "[1, 4, 7, 3]", "", "") == 15);
  CHECK(size("ix=1*ox+3*fx", "[1, 4, 2, 3]", "", "") == 8);
  CHECK(size("ix=2*ox+1*fx", "[1, 4, 7, 3]", "  pr_loop_dims: [IX]\n  padding: [[1, 0]]\n", "") == 14);
}

TEST_CASE("equations are normalised and taken apart") {
  const Equation equation = parse_equation("O[b][K]+=W[k][]*I [b]");
  CHECK(equation.text == "O[b][K] = W[k][] * I[b]");
  CHECK(equation.operands[0].dimensions == std::vector<std::string>{"B", "K"});
  CHECK(equation.operands[1].name == "W");
  CHECK(parse_equation("O[g]=W[g]++I[g]").text == "O[g] = W[g] + I[g]");
  CHECK(parse_equation("O[b]=I[b]").operands.size() == 2);
  for (const char* text :
       {"", "O", "O[b]", "O[b]=W", "X[b]=W[b]*I[b]", "O[b=W[b]*I[b]", "O[b]=W[b]*I[b]*J[b]"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_equation(text), EquationError);
  }
}

TEST_CASE("relations are taken apart") {
  const DimensionRelation relation = parse_dimension_relation("ix = 2*ox + fx");
  CHECK(relation.data == "IX");
  CHECK(relation.stride == 2);
  CHECK(relation.output_loop == "OX");
  CHECK(relation.dilation == 1);
  CHECK(relation.filter_loop == "FX");
  for (const char* text :
       {"ix", "ix=ox", "ix=ox-fx", "ix=ox+fx+fy", "ix=2ox+fx", "ix=99999999999999999999*ox+fx"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_dimension_relation(text), EquationError);
  }
}

TEST_CASE("a workload is read with names, constants and edges") {
  Diagnostics diagnostics;
  const Workload workload = read(two_layers, "- name: default\n- name: Add\n", diagnostics);
  CHECK(diagnostics.all().empty());
  CHECK(workload.name == "two");
  CHECK(workload.node_order == std::vector<std::int64_t>{0, 5});
  CHECK(workload.edges == std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 5}});
  const Layer& first = *workload.layers[0];
  CHECK(first.name == "Layer0");
  CHECK(first.mapping.name == "default");
  CHECK(first.relations[0].size == 17);
  CHECK(first.operands[1].constant);
  CHECK(first.operands[2].constant);
  const Layer& second = *workload.layers[1];
  CHECK(second.mapping.name == "Add");
  CHECK(second.loops == std::vector<LoopDimension>{{"B", 1}, {"K", 4}});
  CHECK(second.operands[2].sources == std::vector<std::int64_t>{0});
}

TEST_CASE("mistakes in a workload are found at their places") {
  CHECK(workload_errors("[]\n") == "1:1 the workload has no layers");
  CHECK(workload_errors("a: 1\n").find("1:1 a workload file must be a list") == 0);
  CHECK(workload_errors(with(two_layers, "- id: 0\n ", "-")) == "1:3 the key 'id' is missing in a layer");
  CHECK(workload_errors(with(two_layers, "id: 5", "id: 0")) ==
        "9:7 the id 0 is taken by the layer on line 1");
  CHECK(workload_errors(with(two_layers, "type: Conv", "type: Cnov")) ==
        "2:18 unknown operator_type 'Cnov' of layer 0");
  CHECK(workload_errors(with(two_layers, "W[k][fx]", "W[k[fx]"))
            .find("3:29 the equation of layer 0 cannot be read") == 0);
  CHECK(workload_errors(with(two_layers, "W[k][fx]", "W[k][c]"))
            .find("3:13 W of layer 0 has the dimension C") == 0);
  CHECK(workload_errors(with(two_layers, "I[b][ix]", "X[b][ix]")).find("3:13 the inputs in the equation") ==
        0);
  CHECK(workload_errors(with(two_layers, "ix=2*ox+1*fx", "ix=2*ox+1*fy")) ==
        "4:25 the relation of IX names FY, which is not in loop_dims of layer 0");
  CHECK(workload_errors(with(two_layers, "ix=2*ox+1*fx", "ix=2*ox+1*fx, iy=k+ox")) ==
        "4:39 the loop OX takes part in two relations of layer 0");
  CHECK(workload_errors(with(two_layers, "ix=2*ox+1*fx", "ix=0*ox+1*fx"))
            .find("4:25 the relation of IX has the coefficient 0") == 0);
  CHECK(workload_errors(with(two_layers, "[1, 4, 8, 3]", "[1, 4, 0, 3]")) ==
        "6:22 the loop OX of layer 0 has the size 0; it must be 1 or more");
  CHECK(workload_errors(with(two_layers, "[1, 4, 8, 3]", "[1, 4, 8]")) ==
        "6:15 layer 0 has 3 loop_sizes for 4 loop_dims");
  CHECK(workload_errors(with(two_layers, "[B, K, OX, FX]", "[B, B, OX, FX]"))
            .find("5:18 the loop B of layer 0 stands twice") == 0);
  CHECK(workload_errors(with(two_layers, "W: 8, I: 8", "W: -8, I: 8"))
            .find("7:26 'W' of 'operand_precision' of layer 0 is -8") == 0);
  CHECK(workload_errors(with(two_layers, "W: 8, I: 8", "W: 8")).find("the key 'I' is missing") !=
        std::string::npos);
  CHECK(workload_errors(with(two_layers, "[1, 4, 8, 3]", "[1000000, 4000000, 8000000, 3]"))
            .find("1:3 layer 0 has 9.6e+19") == 0);
}

TEST_CASE("sources must exist and stand before the layer") {
  CHECK(workload_errors(with(two_layers, "{W: 0, I: 0}", "{W: 0, I: 5}")) ==
        "8:29 layer 'Layer0' takes I from layer 5, which stands after it and depends on it: 0 -> 5 -> 0");
  CHECK(workload_errors(with(two_layers, "{W: 0, I: 0}", "{W: 0, I: 7}")) ==
        "8:29 layer 'Layer0' takes I from layer 7, which does not exist");
  CHECK(workload_errors(with(two_layers, "{W: 0, I: 0}", "{W: 0, O: 0}")).find("8:26 unknown key 'O'") ==
        0);
}

TEST_CASE("sizes and padding of data dimensions") {
  const auto sized = [](const std::string& lines) {
    return with(two_layers, "  loop_dims", lines + "  loop_dims");
  };
  Diagnostics diagnostics;
  CHECK(read(sized("  pr_loop_dims: [ix]\n  pr_loop_sizes: [15]\n"), "- name: default\n", diagnostics)
            .layers[0]
            ->relations[0]
            .size == 15);
  CHECK(read(sized("  pr_loop_dims: [ix]\n  padding: [[1, 2]]\n"), "- name: default\n", diagnostics)
            .layers[0]
            ->relations[0]
            .size == 14);
  CHECK(workload_errors(sized("  pr_loop_sizes: [15]\n"))
            .find("5:18 'pr_loop_sizes' of layer 0 needs pr_loop_dims") == 0);
  CHECK(workload_errors(sized("  pr_loop_dims: [iy]\n")).find("5:18 'pr_loop_dims' of layer 0 names IY") ==
        0);
  CHECK(workload_errors(sized("  pr_loop_dims: [ix]\n  pr_loop_sizes: [15, 3]\n"))
            .find("6:18 'pr_loop_sizes' of layer 0 has 2") == 0);
  CHECK(workload_errors(sized("  pr_loop_dims: [ix]\n  padding: [[9, 9]]\n"))
            .find("6:12 the padding of IX in layer 0 leaves") == 0);
}

TEST_CASE("orderings keep what the layer has") {
  const std::string mapping = "- name: default\n  temporal_ordering: [[FX, 3], ['*', '*'], [C, 2]]\n";
  Diagnostics diagnostics;
  const std::vector<OrderingEntry> kept =
      read(two_layers, mapping, diagnostics).layers[0]->mapping.temporal_ordering;
  CHECK(kept == std::vector<OrderingEntry>{{"FX", 3}, {"*", std::nullopt}});
  CHECK(diagnostics.all().empty());
  Diagnostics as_zigzag;
  CHECK(
      read(two_layers, mapping, as_zigzag, rules_of("zigzag-3.8.5")).layers[0]->mapping.temporal_ordering ==
      std::vector<OrderingEntry>{{"FX", 3}});
}

TEST_CASE("a layer that the memories cannot serve is told what is missing") {
  Diagnostics diagnostics;
  const Workload workload = read(two_layers, "- name: default\n", diagnostics);
  const Memory low = one_port_memory("low", 64, {"I1", "O"});
  const Accelerator accelerator =
      accelerator_with("small", {2}, {low, one_port_memory("high", 64, {"I1", "I2", "O"})});
  CHECK_NOTHROW(check_layer_fits(*workload.layers[0], accelerator));

  Accelerator without_weights = accelerator;
  without_weights.memories = {low};
  CHECK(errors_of([&] { check_layer_fits(*workload.layers[0], without_weights); }) ==
        "0:0 layer 'Layer0' does not fit accelerator 'small': operand W is assigned to I2, which no memory "
        "of accelerator "
        "'small' holds");

  Accelerator without_ports = accelerator;
  std::vector<PortAllocation>& transfers = without_ports.memories[0].ports[0].allocation;
  std::erase(transfers, PortAllocation{"I1", Direction::write_from_high});
  std::erase(transfers, PortAllocation{"O", Direction::write_from_high});
  // Only some mappings move partial sums: the port for them is not asked for.
  CHECK(errors_of([&] { check_layer_fits(*workload.layers[0], without_ports); }) ==
        "0:0 layer 'Layer0' does not fit accelerator 'small': operand I needs a port for 'I1, fh' in "
        "memory 'low', where "
        "data come in from the memory above");
}
