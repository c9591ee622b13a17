#include "core/input/zigzag/detail/mapping_keys.hpp"

#include "core/hardware/accelerator_check.hpp"
#include "core/input/zigzag/detail/sparsity_yaml.hpp"
#include "core/input/zigzag/part_forms.hpp"

namespace zz::core {

using namespace yaml;

namespace {

/// A loop and its size. Names may be in small letters here, and "*" stands for any loops.
Form ordering_form() {
  const Form loop = text_like("^[A-Za-z]+[0-9]*$"), star = word_of({"*"});
  return list_of(
      either({in_turn({loop, either({whole(1), word_of({"*", "all"})})}, 2), in_turn({star, star}, 2)}));
}

Form by_operand(Form value) {
  std::string pattern;
  for (const std::string& name : layer_operand_names()) pattern += (pattern.empty() ? "^(" : "|") + name;
  return entries_of(pattern + ")$", std::move(value));
}

Form cores_form() {
  const Form core = whole(0);
  return either({core, list_of(either({core, list_of(core, 1)}), 1)});
}

}  // namespace

const std::vector<std::string>& layer_operand_names() {
  static const std::vector<std::string> names = {"O", "W", "I"};
  return names;
}

const KeyTable& memory_operand_link_keys() {
  const Form operand = word_of(memory_operand_names());
  static const KeyTable table{
      "memory_operand_links",
      {{"O", Need::required, operand, "memory operand of the results"},
       {"W", Need::optional, operand, "memory operand of the weights; layers with one input have none"},
       {"I", Need::required, operand, "memory operand of the activations"}}};
  return table;
}

const KeyTable& mapping_entry_keys() {
  const Form tiling = list_of(either({list_of(anything()), entries_of("", anything())}));
  static const KeyTable table{
      "mapping entry",
      {{"name", Need::required, text(), "name or type of the layers that it is for; default: all others"},
       {"spatial_mapping", Need::nullable, unrolling_form(),
        "loops that array dimensions unroll: {D1: [\"K, 16\"]}; without it they are searched"},
       {"spatial_mapping_hint", Need::optional,
        entries_of(array_dimension_pattern, list_of(text_like(loop_pattern))),
        "loops that each array dimension may unroll: {D1: [K]}"},
       {"memory_operand_links", Need::optional, map_of(memory_operand_link_keys()),
        "which memory operand holds which operand of the layer"},
       {"temporal_ordering", Need::optional, ordering_form(),
        "loops from the innermost one: [[C, 4], [OX, all], [\"*\", \"*\"]]"},
       {"cuts", Need::nullable, by_operand(entries_of("", whole(0))),
        "by operand and memory, how many of the loops it holds: {I: {l1: 2}}"},
       {"operand_precision", Need::optional, precisions_form(),
        "bits per element or types of numbers, by operand"},
       {"sparsity", Need::optional, sparsity_form(), "zeros of operands: {W: {density: 0.4}}"},
       {"layout", Need::optional, by_operand(list_of(text())),
        "dimensions of each operand in memory, the innermost one last"},
       {"core_allocation", Need::optional, cores_form(), "cores that may run the layers"},
       {"core_allocation_is_fixed", Need::optional, truth(), "not used"},
       {"intra_core_tiling", Need::nullable, tiling, "not used: cuts are searched"},
       {"inter_core_tiling", Need::nullable, tiling, "not used: cuts are searched"},
       {"kernel", Need::nullable, anything(), "not used"}},
      {},
      {{"cuts", "temporal_ordering"}}};
  return table;
}

const KeyTable& mapping_file_keys() {
  static const KeyTable table{
      "mapping file",
      {{"layers", Need::required, list_of(map_of(mapping_entry_keys()), 1), "the entries"},
       {"fused_groups", Need::nullable, anything(), "not used: groups are searched"}}};
  return table;
}

}  // namespace zz::core
