#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/hardware/accelerator.hpp"

namespace zz::plugins {

/// Which operand of a product stays in the units of a systolic array.
enum class SystolicDataflow { output_stationary, weight_stationary, input_stationary };

/// The part of a SCALE-Sim configuration that zz knows. The simulator's words have 8 bits.
struct ScaleSimConfig {
  std::string name;
  std::int64_t rows = 0, columns = 0;  ///< units
  SystolicDataflow dataflow = SystolicDataflow::output_stationary;
  std::int64_t input_kb = 0, filter_kb = 0, output_kb = 0;  ///< SRAM for each operand, in KiB
  /// Words a cycle between DRAM and the SRAM of each operand; none: as many as are asked for.
  std::optional<std::int64_t> bandwidth;
};

/// Reads a configuration (.cfg). Throws InputError with every problem of the file: keys that are missing or
/// unknown, and what the reader leaves out (sparsity, layouts, Ramulator).
ScaleSimConfig read_scale_sim_config(const std::string& path,
                                     const core::Files& files = core::Files::on_disk());

/// The array with a word in each unit, an SRAM for each operand, and DRAM. What the array adds to its steps
/// is `fold` (docs/accelerator-keys.md). SRAMs and, without a bandwidth, DRAM never keep it waiting. No
/// costs.
core::Accelerator accelerator_of(const ScaleSimConfig& config);

inline constexpr std::int64_t scale_sim_word_bits = 8;

}  // namespace zz::plugins
