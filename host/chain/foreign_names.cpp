#include "host/chain/foreign_names.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace zz::host {
namespace {

struct ForeignName {
  std::string_view name;
  const char* advice;
  const char* of_map = "";  ///< its name for `map`
};

/// Arguments of get_hardware_performance_zigzag, optimize_allocation_ga and optimize_allocation_co, which
/// docs/from-zigzag.md has all, and those of an earlier zz.
constexpr ForeignName foreign_names[] = {
    {"opt", "write MinimalEnergyStage, MinimalLatencyStage or MinimalEDPStage into the list of stages",
     "objective"},
    {"lpf_limit", "write 'loma_lpf_limit'", "limit"},
    {"nb_spatial_mappings_generated", "write 'nb_mappings_generated'"},
    {"temporal_mapping_search_engine", "write LomaStage or SalsaStage into the list of stages"},
    {"exploit_data_locality",
     "write SearchInterLayerDataLocalityStage above WorkloadStage and ExploitInterLayerDataLocalityStage "
     "below it"},
    {"in_memory_compute",
     "leave it out: the accelerator file says whether it computes in memory; "
     "'enable_mix_spatial_mapping_generation' mixes loops along a dimension of the array"},
    {"enable_mix_spatial_mapping", "write 'enable_mix_spatial_mapping_generation'"},
    {"dump_folder", "it needs SimpleSaveStage or CompleteSaveStage in the list of stages", "output"},
    {"pickle_filename", "it needs PickleSaveStage in the list of stages, above SumStage", "output"},
    {"hardware", "write 'accelerator'"},
    {"hardware_path", "write 'accelerator'"},
    {"output_path", "write 'dump_folder'", "output"},
    {"experiment_id", "write 'dump_folder', and the name as a part of it", "output"},
    {"optimal", "leave it out: mappings are proven best unless map is asked for 'quick'"},
    {"spatial",
     "it is gone, as other unrollings than the best ones of layers by themselves saved nothing in 10 of 12 "
     "measured runs, in up to three times the time; leave it out, or prescribe unrollings in the mapping "
     "file ('spatial_mapping')"},
    {"unrollings", "it is gone with 'spatial: optimal' of fused groups; leave it out"},
    {"skip_if_exists", "write SkipIfDumpExistsStage into the list of stages"},
};

/// Keywords of ZigZag's and Stream's stages, in their newest versions or in one of 2024 and 2025, that name
/// files which zz does not write or read again, or choose between ways of working that it does not have.
constexpr std::string_view passed_over[] = {
    // ZigZag
    "cost_model_class", "maximize_hardware_utilization",
    // Stream: searches
    "backend", "co_time_limit", "constraint_opt_config", "constraint_selection", "fix_all",
    "fusion_capacity_elements", "fusion_cut_points", "fusion_splits", "hardware_budget",
    "intra_core_tiling", "latency_attr", "max_in_flight", "max_nb_mappings", "max_workers",
    "nb_parallel_nodes", "nb_workers",
    // Stream: files and observers
    "allocations_path", "cost_lut_post_co_path", "instrumentation", "tiled_workload_path",
    "tiled_workload_post_co_path",
    // Stream: code for one machine
    "core_profiles", "embedding_tile_size", "enable_codegen", "has_dram_level", "hidden_tile_size",
    "kernels", "last_gemm_down", "nb_cols_to_use", "nb_rows_to_use", "npu", "runtime_args",
    "seq_len_tile_size", "trace_max_tiles", "trace_size"};

}  // namespace

std::span<const std::string_view> passed_over_names() { return passed_over; }

bool is_passed_over(std::string_view name) {
  return std::find(std::begin(passed_over), std::end(passed_over), name) != std::end(passed_over);
}

std::string advice_on_foreign_name(std::string_view name) {
  for (const ForeignName& known : foreign_names) {
    if (known.name != name) continue;
    return *known.of_map == '\0' ? known.advice
                                 : fmt::format("{}; for map it is '{}'", known.advice, known.of_map);
  }
  return "";
}

}  // namespace zz::host
