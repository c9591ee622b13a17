#include "host/chain/foreign_names.hpp"

namespace zz::host {
namespace {

struct ForeignName {
  std::string_view name;
  const char* advice;
};

constexpr const char* mapper = "write LomaStage or SalsaStage into the list of stages";

/// Arguments of get_hardware_performance_zigzag, optimize_allocation_ga and optimize_allocation_co that no
/// stage has as a setting.
constexpr ForeignName foreign_names[] = {
    {"opt", "write MinimalEnergyStage, MinimalLatencyStage or MinimalEDPStage into the list of stages"},
    {"lpf_limit", "write 'loma_lpf_limit'"},
    {"nb_spatial_mappings_generated", "write 'nb_mappings_generated'"},
    {"temporal_mapping_search_engine", mapper},
    {"exploit_data_locality",
     "write SearchInterLayerDataLocalityStage above WorkloadStage and ExploitInterLayerDataLocalityStage "
     "below it"},
    {"in_memory_compute",
     "leave it out: the accelerator file says whether it computes in memory; "
     "'enable_mix_spatial_mapping_generation' mixes loops along a dimension of the array"},
    {"enable_mix_spatial_mapping", "write 'enable_mix_spatial_mapping_generation'"},
    {"hardware", "write 'accelerator'"},
    {"hardware_path", "write 'accelerator'"},
    {"output_path", "write 'dump_folder'"},
    {"experiment_id", "write 'dump_folder', and the name as a part of it"},
    {"skip_if_exists", "write SkipIfDumpExistsStage into the list of stages"},
};

}  // namespace

std::string advice_on_foreign_name(std::string_view name) {
  for (const ForeignName& known : foreign_names) {
    if (known.name == name) return known.advice;
  }
  return "";
}

}  // namespace zz::host
