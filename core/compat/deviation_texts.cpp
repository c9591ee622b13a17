#include "core/compat/deviation_texts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace zz::core {
namespace {

#define RULE(name) &Rules::name, #name
constexpr DeviationText texts[] = {
    {RULE(negative_adder_tree_delay),
     "the adder tree of an in-memory array with one row takes no time; ZigZag's clock has a negative "
     "delay"},
    {RULE(unrollings_looked_up_by_factor),
     "an unrolling that a memory limits is lowered for itself; ZigZag lowers equal factors alike"},
    {RULE(limited_unrollings_shared),
     "an unrolling that a memory limits is lowered in the candidate that it is of; ZigZag lowers it in "
     "all"},
    {RULE(unrolling_beyond_loop),
     "a loop that is unrolled along several array dimensions is covered once; ZigZag may cover more"},
    {RULE(rounds_from_quotient),
     "an unrolling takes the rounds that its units need; ZigZag's rounding may add one"},
    {RULE(composite_factors_as_given),
     "a sized loop of an ordering is made from its prime factors; ZigZag may change the iterations"},
    {RULE(ordered_loops_merged),
     "loops that an ordering places are kept beyond the limit on loop factors; ZigZag may merge them"},
    {RULE(outer_wildcard_dropped),
     "[\"*\", \"*\"] in an ordering leaves loops open; ZigZag drops it, and counts from the inside"},
    {RULE(zero_limit_merges_all), "'loma_lpf_limit: 0' is no limit; ZigZag keeps one factor of each loop"},
    {RULE(orderings_unchecked),
     "an ordering that does not make up a loop is passed over; ZigZag searches it all the same"},
    {RULE(salsa_anneals_energy),
     "SALSA anneals the reducer's metric over whole latencies and fractional unrollings and keeps "
     "orderings; ZigZag does none of these"},
    {RULE(locality_levels_uncounted),
     "a layer without weights leaves the level of all weights as it is; in ZigZag it lowers it, uncounted"},
    {RULE(locality_from_unheld_levels),
     "data come from a memory that holds them; ZigZag may take them from another"},
    {RULE(locality_network_data_anywhere),
     "with 'workload_data_always_from_top_mem' the network's data are in the top memory; in ZigZag the "
     "setting has no effect"},
    {RULE(onnx_operators_of_zigzag),
     "an ONNX file is read with all operators that multiply, the types of its tensors and width as X; "
     "ZigZag and Stream read a few operators, of 8 and 16 bits, and exchange width and height, and Stream "
     "repeats pooling for every channel"},
    {RULE(unfed_operands_lost),
     "an operand that nothing feeds comes from off chip; in Stream it is never moved"},
    {RULE(first_constant_decides),
     "weights decide about stacks and slices; in Stream the first constant does, be it the image"},
    {RULE(addition_operands_mixed),
     "inputs from several layers depend each on its own producer; in Stream they may be mixed up"},
    {RULE(partial_sums_unordered),
     "slices of a sum run one after the other on one core, and readers wait for the last; in Stream they "
     "run in any order, and readers wait for one"},
    {RULE(padding_is_data),
     "padding is no data, and the last piece of a loop may be smaller; Stream moves and stores padding, "
     "and "
     "enlarges the loop"},
    {RULE(reshaped_data_repeated),
     "data behind a reshape count once, as they lie; in Stream several times, in the order of a Python "
     "set"},
    {RULE(inexact_dependencies),
     "what a node reads of groups and of strided rows is exact; in Stream it is more, or lower channels"},
    {RULE(loading_on_top),
     "loading hides where ports have time to spare; in Stream it is on top of the computation"},
    {RULE(fit_by_first_node),
     "operands stay on a core where the most demanding node lets them; in Stream the first node decides"},
    {RULE(offchip_serves_named_dimensions),
     "an attached off-chip memory serves the whole array; in Stream the dimensions that its file names"},
    {RULE(core_dataflow_only),
     "a dataflow of a core takes a layer's own loops, and without one the mapping's unrolling stays; in "
     "Stream the dataflow replaces it as it is"},
    {RULE(offchip_known_by_figures),
     "the off-chip memory is known by its place; in Stream a core's own may pass for it"},
    {RULE(order_ignores_stacks), "nodes are ordered stack by stack; Stream's order ignores stacks"}};
#undef RULE

}  // namespace

const DeviationText& deviation_text(bool Rules::*rule) {
  for (const DeviationText& text : texts)
    if (text.rule == rule) return text;
  throw std::logic_error("a rule without text cannot be told of");
}

const DeviationText* deviation_text(std::string_view name) {
  const auto found =
      std::find_if(std::begin(texts), std::end(texts), [&](const auto& text) { return text.name == name; });
  return found == std::end(texts) ? nullptr : found;
}

std::string_view original_of(std::string_view compat) {
  return compat.substr(0, 6) == "stream" ? "Stream" : "ZigZag";
}

std::string advice(std::string_view compat, std::string_view rule) {
  return fmt::format("'compat: {}' gives {}'s figures (docs/deviations.md{}{})", compat,
                     original_of(compat), rule.empty() ? "" : ", ", rule);
}

}  // namespace zz::core
