#pragma once
#include <string_view>

namespace zz::core {

/// Where figures of ZigZag and Stream are impossible or rest on an accident, zz corrects them.
/// Each member reproduces one such behaviour instead, and is one row of docs/deviations.md. All false:
/// corrected figures.
///
/// Made once from the setting `compat` and passed on by reference or value.
struct Rules {
  // ZigZag 3.8.5, and the ZigZag 3.6.1 below Stream 0.0.8; 3.9 without the first.
  bool loading_below_minimum = false;  ///< hidden loading may fall below its minimum, even under zero
  bool highest_half_shared_only =
      false;  ///< of several half-shared loading boundaries only the highest counts
  /// Data are counted in whole elements and units, and for the latency with unrollings cut to whole ones.
  bool data_in_whole_units = false;
  bool faster_than_ports = false;  ///< the latency may be less than the busiest port needs
  /// Partial tiles with dilation count positions twice, fractions of a tile none.
  bool overcounted_window_positions = false;
  bool unrollings_looked_up_by_factor = false;  ///< equal limited factors all get the last result
  bool limited_unrollings_shared = false;       ///< a limited unrolling is lowered in every candidate
  bool unrolling_beyond_loop = false;           ///< several array dimensions may cover more than the loop
  bool rounds_from_quotient = false;            ///< rounding noise may cost a round
  bool composite_factors_as_given = false;  ///< a sized ordering entry of two primes changes the iterations
  bool ordered_loops_merged = false;        ///< the factor limit merges loops that an ordering places
  bool outer_wildcard_dropped = false;      ///< ["*", "*"] in an ordering is dropped
  bool zero_limit_merges_all = false;       ///< a limit of 0 factors leaves one factor a loop
  bool orderings_unchecked = false;         ///< orderings that do not cover their loops are searched
  /// ONNX files are read as ZigZag or Stream do, with all that is odd there.
  bool onnx_operators_of_zigzag = false;
  bool salsa_anneals_energy = false;         ///< and ignores loading, fractional unrollings and orderings
  bool locality_levels_uncounted = false;    ///< a layer without weights lowers the level of all weights
  bool locality_from_unheld_levels = false;  ///< data may come from a memory that does not hold them
  bool locality_network_data_anywhere = false;  ///< workload_data_always_from_top_mem has no effect
  bool locality_needs_two_inputs = false;       ///< data locality fails for layers with one input
  bool negative_adder_tree_delay = false;       ///< of a digital in-memory array of one row

  // ZigZag 3.9 only.
  bool shared_loading_forgotten = false;  ///< of a layer with one input, over ports that serve two

  // Stream 0.0.8: networks and computation nodes.
  bool layer_names_lost = false;           ///< of YAML workloads
  bool unfed_operands_lost = false;        ///< an operand that nothing feeds is never moved (YAML)
  bool first_constant_decides = false;     ///< about stacks and splits, even where it is the image
  bool addition_operands_mixed = false;    ///< both depend on the same producer
  bool partial_sums_unordered = false;     ///< slices of a sum run in any order
  bool padding_is_data = false;            ///< padding counts as data, and loops are enlarged for even cuts
  bool reshaped_data_repeated = false;     ///< data behind a reshape count several times
  bool dependencies_in_set_order = false;  ///< behind a reshape, as a Python set is walked
  bool inexact_dependencies = false;       ///< of grouped channels and of rows that a stride skips
  bool unknown_hint_loops_ignored = false;  ///< hint loops that no layer has are a warning

  // Stream 0.0.8: costs.
  bool loading_on_top = false;     ///< loading never hides behind the computation (ZigZag 3.6.1)
  bool fit_by_first_node = false;  ///< whether operands fit is decided by a layer's first node
  bool offchip_serves_named_dimensions = false;  ///< not the whole array
  bool unitless_cores_left_out = false;          ///< a candidate core without units is passed over
  bool core_dataflow_only = false;  ///< a core's dataflow replaces the layer's unrolling, even with none
  bool offchip_known_by_figures = false;  ///< a core's own memory with the same figures passes for it

  // Stream 0.0.8: schedules.
  bool starts_before_arrival = false;        ///< a node does not wait for every tensor it needs
  bool memory_free_at_once = false;          ///< before its content is written back or used
  bool repeated_transfers_free = false;      ///< a second transfer to the same core takes no time
  bool whole_elements_streamed = false;      ///< a stream reserves whole elements a cycle, often none
  bool streamed_inputs_anywhere = false;     ///< they need not be in the off-chip memory
  bool final_outputs_leave_at_once = false;  ///< readers fetch them back
  bool prefetch_unfitting = false;           ///< operands that do not fit are prefetched all the same
  bool moves_within_core_fail = false;       ///< between two memories of one core
  bool candidate_selection_ignored = false;  ///< nodes are picked as with `memory`
  bool order_ignores_stacks = false;         ///< the order in which nodes are offered
};

/// `compat`: empty, "zigzag-3.8.5", "zigzag-3.9", or "stream-0.0.8", which includes ZigZag 3.8.5's.
/// Throws InputError for any other text.
Rules rules_of(std::string_view compat);

}  // namespace zz::core
