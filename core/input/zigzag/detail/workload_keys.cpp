#include "core/input/zigzag/detail/workload_keys.hpp"

#include <array>

#include "core/input/zigzag/detail/sparsity_yaml.hpp"
#include "core/input/zigzag/number_type_yaml.hpp"
#include "core/workload/layer_check.hpp"

namespace zz::core {

using namespace yaml;

namespace {

// Blanks are free between the parts.
const std::string name = "[A-Za-z][A-Za-z0-9]*";
const std::string dimensions = R"((\[ *()" + name + R"()? *\] *)+)";
const std::string output = R"(^ *O *)" + dimensions + R"(\+? *= *)";
const std::string second = R"((\*|\+ *\+?) *)";

/// "2*ox" or "ox".
const std::string term = R"(([0-9]+ *\* *)?)" + name;

KeyTable make_precision(bool two_inputs) {
  const Form bits = number_type_form();
  return {"operand_precision of a layer",
          {{"O", Need::required, bits, "bits of partial sums, or the type of numbers"},
           {"W", two_inputs ? Need::required : Need::optional, bits, "bits of weights"},
           {"I", Need::required, bits, "bits of activations"},
           {"O_final", Need::required, bits, "bits of results"}}};
}

KeyTable make_layer(bool two_inputs) {
  const Form number = whole(1, static_cast<double>(largest_relation_number));
  const Form pad = whole(0, static_cast<double>(largest_relation_number));
  const std::string one = output + "I *" + dimensions + "$";
  const std::string two = output + "(I *" + dimensions + second + "W *" + dimensions + "|W *" + dimensions +
                          second + "I *" + dimensions + ")$";
  return {
      "layer",
      {{"id", Need::required, whole(0), "number by which other layers name it"},
       {"name", Need::nullable, text_like("."), "name in tables and files"},
       {"operator_type", Need::required, two_inputs ? word_of(operator_types()) : text(),
        "type, by which a mapping file may name it"},
       {"loop_dims", Need::required, set_of(text_like("^[A-Za-z]+[0-9]*$"), 1),
        "names of loops: [K, C, OX]"},
       {"loop_sizes", Need::required, list_of(whole(1), 1), "iterations of each loop"},
       {"equation", Need::required, text_like(two_inputs ? two : one), "O[k][ox] += W[k][c] * I[c][ox]"},
       {"dimension_relations", Need::optional,
        list_of(text_like("^ *" + name + " *= *" + term + R"( *\+ *)" + term + " *$")),
        "data dimensions that two loops step through: [ix = 2*ox + 1*fx]"},
       {"pr_loop_dims", Need::nullable, list_of(text()),
        "data dimensions that have sizes or padding: [IX]"},
       {"pr_loop_sizes", Need::nullable, list_of(number), "positions of each"},
       {"padding", Need::nullable, list_of(in_turn({pad, pad}, 2)), "of each, before and behind: [[1, 1]]"},
       {"operand_precision", Need::required, map_of(layer_precision_keys(two_inputs)),
        "bits per element, by operand"},
       {"sparsity", Need::optional, sparsity_form(), "zeros of operands: {W: {density: 0.4}}"},
       {"operand_source", Need::optional, map_of(operand_source_keys()),
        "ids of the layers that operands come from; its own: constant"},
       {"constant_operands", Need::optional,
        list_of(word_of(two_inputs ? std::vector<std::string>{"W", "I"} : std::vector<std::string>{"I"})),
        "operands that are there from the start: [W]"}},
      {},
      {{"pr_loop_sizes", "pr_loop_dims"}, {"padding", "pr_loop_dims"}}};
}

}  // namespace

const std::string& one_input_pattern() {
  static const std::string pattern = output + name + " *" + dimensions + "$";
  return pattern;
}

const std::vector<std::string>& operator_types() {
  static const std::vector<std::string> names = {
      "Max",     "Conv",        "Pooling",           "Add",   "Conv_downsample", "Gemm", "Pool",
      "MaxPool", "AveragePool", "GlobalAveragePool", "MatMul"};
  return names;
}

const KeyTable& layer_precision_keys(bool two_inputs) {
  static const std::array<KeyTable, 2> tables = {make_precision(false), make_precision(true)};
  return tables[two_inputs ? 1 : 0];
}

const KeyTable& operand_source_keys() {
  static const KeyTable table{
      "operand_source",
      {{"W", Need::optional, whole(), "id of a layer"}, {"I", Need::optional, whole(), "id of a layer"}}};
  return table;
}

const KeyTable& layer_keys(bool two_inputs) {
  static const std::array<KeyTable, 2> tables = {make_layer(false), make_layer(true)};
  return tables[two_inputs ? 1 : 0];
}

}  // namespace zz::core
