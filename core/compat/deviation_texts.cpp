#include "core/compat/deviation_texts.hpp"

#include <algorithm>
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
     "ZigZag reads four operators, of 8 and 16 bits, and exchanges width and height"}};
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

}  // namespace zz::core
