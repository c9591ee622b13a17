#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/compat/rules.hpp"
#include "core/mapping/temporal_mapping.hpp"
#include "core/workload/layer_precision.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

// Settings that several stages have, each declared once. A stage inherits the ones it has and lists their
// `..._setting` in its params.

/// For every stage that can reproduce a defect.
struct CompatSetting {
  std::string compat;
  static constexpr auto compat_setting =
      param<&CompatSetting::compat>(
          "compat",
          "with \"zigzag-3.8.5\" or \"zigzag-3.9\" the defects of that version are reproduced bit for bit, "
          "with \"stream-0.0.8\" those of Stream 0.0.8 and of the ZigZag 3.6.1 that it is built on "
          "(docs/deviations.md); empty for corrected figures")
          .allowed("|zigzag-3.8.5|zigzag-3.9|stream-0.0.8");

  core::Rules rules() const { return core::rules_of(compat); }
};

/// For stages that make a network.
struct PrecisionSetting {
  Value precision;
  static constexpr auto precision_setting =
      param<&PrecisionSetting::precision>("precision",
                                          "bits of weights, inputs and results (1 to 64), or `file`: those "
                                          "of the network, floating-point types "
                                          "included; empty: as `file`, but those of the accelerator's "
                                          "units in the place of floating-point types");

  /// Throws core::InputError for what is none.
  core::PrecisionChoice precision_choice() const {
    if (precision.is_null()) return {};
    return core::precision_choice(precision.kind() == ZZ_STR ? std::string(precision.look().str())
                                                             : precision.json());
  }
};

/// For stages that allocate loops to memories.
struct MappingTypeSetting {
  std::string temporal_mapping_type = "uneven";
  static constexpr auto mapping_type_setting =
      param<&MappingTypeSetting::temporal_mapping_type>(
          "temporal_mapping_type",
          "uneven: each operand shares its loops out over its memories by itself; even: operands in one "
          "memory hold the same loops there")
          .allowed("uneven|even");

  core::MappingType mapping_type() const {
    return temporal_mapping_type == "even" ? core::MappingType::even : core::MappingType::uneven;
  }
};

/// For searches that hand on the best that they have when their time is up.
struct TimeLimitSetting {
  std::optional<double> time_limit;
  static constexpr auto time_limit_setting =
      param<&TimeLimitSetting::time_limit>(
          "time_limit",
          "processor time for one layer with one spatial mapping; without it, as much as the search needs")
          .unit("s")
          .allowed("[0, inf]");

  bool is_over(double seconds) const { return time_limit && seconds > *time_limit; }
  static void tell_of_end(const Stage& stage) {
    stage.count("searches ended by time_limit");
    stage.log(
        Level::warning,
        "`time_limit` ended a search; the best mapping found until then is taken, and another run may "
        "find another one");
  }
  /// For the reason why nothing was found.
  static constexpr const char* ended_early = "; `time_limit` ended the search";
};

/// For stages that decide what the cost model counts.
struct SameDataSetting {
  bool access_same_data_considered_as_no_access = true;
  static constexpr auto same_data_setting =
      param<&SameDataSetting::access_same_data_considered_as_no_access>(
          "access_same_data_considered_as_no_access",
          "an input that stays the same for consecutive cycles is read from its lowest memory once");
};

/// For stages that choose what is unrolled along an array dimension.
struct MixedUnrollingSettings {
  bool enable_mix_spatial_mapping_generation = false;
  bool enable_weight_diagonal_mapping = false;
  static constexpr auto mixed_setting =
      param<&MixedUnrollingSettings::enable_mix_spatial_mapping_generation>(
          "enable_mix_spatial_mapping_generation",
          "also unroll several loop dimensions along one dimension of the array");
  static constexpr auto diagonal_setting =
      param<&MixedUnrollingSettings::enable_weight_diagonal_mapping>(
          "enable_weight_diagonal_mapping",
          "known for the sake of old pipelines; without effect, as in ZigZag")
          .deprecated();
};

}  // namespace zz::plugins
