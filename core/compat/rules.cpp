#include "core/compat/rules.hpp"

#include <fmt/format.h>

#include "core/base/diagnostics.hpp"

namespace zz::core {
namespace {

Rules zigzag_rules() {
  return {.loading_below_minimum = true,
          .highest_half_shared_only = true,
          .data_in_whole_units = true,
          .faster_than_ports = true,
          .overcounted_window_positions = true,
          .unrollings_looked_up_by_factor = true,
          .limited_unrollings_shared = true,
          .unrolling_beyond_loop = true,
          .rounds_from_quotient = true,
          .composite_factors_as_given = true,
          .ordered_loops_merged = true,
          .outer_wildcard_dropped = true,
          .zero_limit_merges_all = true,
          .orderings_unchecked = true,
          .onnx_operators_of_zigzag = true,
          .salsa_anneals_energy = true,
          .locality_levels_uncounted = true,
          .locality_from_unheld_levels = true,
          .locality_network_data_anywhere = true,
          .locality_needs_two_inputs = true,
          .negative_adder_tree_delay = true};
}

/// What ZigZag does after 3.8.5.
Rules newest_zigzag_rules() {
  Rules rules = zigzag_rules();
  rules.loading_below_minimum = false;
  rules.shared_loading_forgotten = true;
  return rules;
}

Rules stream_rules() {
  Rules rules = zigzag_rules();
  rules.layer_names_lost = true;
  rules.unfed_operands_lost = true;
  rules.first_constant_decides = true;
  rules.addition_operands_mixed = true;
  rules.partial_sums_unordered = true;
  rules.padding_is_data = true;
  rules.reshaped_data_repeated = true;
  rules.dependencies_in_set_order = true;
  rules.inexact_dependencies = true;
  rules.unknown_hint_loops_ignored = true;
  rules.loading_on_top = true;
  rules.fit_by_first_node = true;
  rules.offchip_serves_named_dimensions = true;
  rules.unitless_cores_left_out = true;
  rules.core_dataflow_only = true;
  rules.offchip_known_by_figures = true;
  rules.starts_before_arrival = true;
  rules.memory_free_at_once = true;
  rules.repeated_transfers_free = true;
  rules.whole_elements_streamed = true;
  rules.streamed_inputs_anywhere = true;
  rules.final_outputs_leave_at_once = true;
  rules.prefetch_unfitting = true;
  rules.moves_within_core_fail = true;
  rules.candidate_selection_ignored = true;
  rules.order_ignores_stacks = true;
  return rules;
}

}  // namespace

Rules rules_of(std::string_view compat) {
  if (compat.empty()) return {};
  if (compat == "zigzag-3.8.5") return zigzag_rules();
  if (compat == "zigzag-3.9") return newest_zigzag_rules();
  if (compat == "stream-0.0.8") return stream_rules();
  throw InputError(
      fmt::format("compat: '{}' is none of 'zigzag-3.8.5', 'zigzag-3.9', 'stream-0.0.8'", compat));
}

}  // namespace zz::core
