#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/compat/rules.hpp"
#include "core/hardware/clock.hpp"
#include "core/input/zigzag/number_type_yaml.hpp"
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

/// For stages that read a chip: its clock, before that of its file.
struct ClockSetting {
  Value clock_period, clock;
  static constexpr auto clock_period_setting =
      param<&ClockSetting::clock_period>("clock_period",
                                         "of the chip, in ns; or with a unit, as `clock`. It comes before "
                                         "that of the file; seconds, frames and watts follow from it")
          .unit("ns");
  static constexpr auto clock_setting =
      param<&ClockSetting::clock>("clock", "the same with a unit: 500 MHz, 1 GHz or 2 ns");

  /// ns; nothing where neither is set. Throws core::InputError for what is no clock.
  std::optional<double> period() const {
    if (!clock_period.is_null() && !clock.is_null())
      throw core::InputError("'clock' and 'clock_period' are both set; leave one of them out");
    if (clock_period.is_null() && clock.is_null()) return std::nullopt;
    const bool in_ns = !clock_period.is_null();
    const Value& given = in_ns ? clock_period : clock;
    if (given.kind() == ZZ_STR) return core::clock_period_of(given.look().str());
    if (given.kind() != ZZ_I64 && given.kind() != ZZ_F64)
      throw core::InputError(std::string("'") + (in_ns ? "clock_period" : "clock") +
                             "' must be a clock, as 500 MHz or 2 ns, found " + given.json());
    if (!in_ns) return core::clock_period_of(given.json());
    core::check_clock_period(given.look().num(), "'clock_period'");
    return given.look().num();
  }

  /// The clock of a chip whose file says `own` (0: nothing): what is set comes first, and that is told.
  double chosen_clock(const Stage& stage, double own, const std::string& chip) const {
    const std::optional<double> given = period();
    if (!given) return own;
    if (own > 0 && own != *given)
      stage.log(Level::info, chip + ": a clock of " + core::clock_words(*given) + " is set, in place of " +
                                 core::clock_words(own));
    if (const std::string doubt = core::doubt_of_clock(*given); !doubt.empty())
      stage.log(Level::warning, "clock_period is " + doubt);
    return *given;
  }
};

/// For stages that make a network.
struct PrecisionSetting {
  Value precision;
  static constexpr auto precision_setting = param<&PrecisionSetting::precision>(
      "precision",
      "bits of weights, inputs and results (1 to 64), a type of numbers such as mxfp4, or `file`: those "
      "of the network, floating-point types "
      "included; empty: as `file`, but those of the accelerator's "
      "units in the place of floating-point types");

  /// Throws core::InputError for what is none.
  core::PrecisionChoice precision_choice() const {
    if (precision.is_null()) return {};
    return core::read_precision_choice(precision.kind() == ZZ_STR ? std::string(precision.look().str())
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
