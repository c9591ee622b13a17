#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/cost/evaluation.hpp"

/// Distances of zz from what was measured and published, on machines like that of a run (docs/accuracy.md).
namespace zz::host {

/// Properties by which machines are alike.
struct MachineKind {
  std::string array;  ///< "multipliers", "in memory", "several cores"
  std::string kept;   ///< memory operands that every unit has a memory for, as "I1 I2"
  std::int64_t least_units = 0, most_units = 0;  ///< multiply-accumulates at once
  std::int64_t bits = 0;                         ///< of a weight; 0: not known
  std::int64_t memories = 0;                     ///< most memories that an operand passes
  /// Keys by which its file tells what takes time besides, as "fold" or "overlap request"
  /// (docs/accelerator-keys.md).
  std::string keys;
};

/// A part of the ledger: points of one figure, and the errors of zz on them.
struct LedgerSet {
  std::string name;    ///< "firesim_gemmini/test"
  std::string figure;  ///< "latency", "energy", ...
  MachineKind machine;
  std::int64_t points = 0;
  double mean_error = 0, median_error = 0;  ///< fractions
  double ratio = 0;                         ///< of zz to what was published, median
};

/// A set, and in which words its machines differ from the one that was asked about.
struct NearSet {
  LedgerSet set;
  std::string differs;  ///< "256 units for 65536, 8 bits for 16"; "" where nothing does
};

/// The machine of an evaluation of a layer, or of a schedule.
MachineKind machine_of(const core::Evaluation& evaluation);

/// The `most` sets whose machines are nearest, the nearest first; none where no set has such an array.
/// A factor of two in units or bits weighs as much as a memory more, another operand at the units, or other
/// keys.
std::vector<NearSet> nearest_sets(const MachineKind& machine, std::size_t most = 3);

/// A table with a line above it that says what it does not say; and the same as JSON.
std::string accuracy_text(const std::vector<NearSet>& near);
nlohmann::ordered_json accuracy_json(const std::vector<NearSet>& near);

}  // namespace zz::host
