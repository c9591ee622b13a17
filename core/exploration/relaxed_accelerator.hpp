#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/expression.hpp"
#include "core/hardware/accelerator.hpp"

namespace zz::core {

/// A field of accelerators with a rule: what is best of it for every mapping.
///
/// | kind | best |
/// |---|---|
/// | size of a memory, width of a port (`bandwidth_max`) | the largest |
/// | inner size: of a memory next to the array | the largest, where none of them limits unrollings |
/// | cost of an access (`r_cost`, `w_cost`) | the least cost of a bit, for as many bits as the best width |
/// | `unit_energy` | the least |
/// | unseen: areas, latencies of memories | any: no figure depends on them |
struct RelaxableField {
  enum class Kind { size, inner_size, width, read_cost, write_cost, unit_energy, unseen };
  Kind kind = Kind::unseen;
  int memory = -1, port = -1;  ///< where there are several
};

/// The field at such a path as "memories[2][size]", "memories[2][ports][0][bandwidth_max]" or
/// "operational_array[unit_energy]". Nothing: it has no rule, as arrays, `bandwidth_min`, ports of memories
/// next to the array, which limit how often loops are unrolled, and all fields of arrays that compute in
/// memory and of machines with keys beyond ZigZag's (`fold`, `instruction`, `overlap`, `line`,
/// `tile_interval`, `shared_tiles`, `request`). An inner size has a rule where size_limits_unrollings() is
/// false for the least size and every layer.
std::optional<RelaxableField> relaxable_field(const Accelerator& accelerator, const std::string& path);

/// Values that a field can have on some designs.
struct FieldRange {
  RelaxableField field;
  Interval values;
};
using FieldRanges = std::vector<FieldRange>;

/// The accelerator that no design of a set beats.
struct RelaxedAccelerator {
  std::shared_ptr<const Accelerator> accelerator;  ///< null: the values together make none
  /// pJ that a layer may need less on one of the designs than on this one. Accesses are cut to whole ones.
  /// So up to one is missing on each link, which is an operand and a direction at a port, and there is
  /// nothing else.
  double energy_slack = 0;
};

/// That of designs that differ from `common` in the fields of `parts` alone. They are told in parts, each
/// with the same fields: costs of a bit are compared within each part, so that a part should have one width
/// of each port. `widths`: of ports, at least that wide; with the same widths for all sets, those that
/// differ in widths alone have the same accelerator if bits cost the same.
///
/// Larger memories hold more mappings, and wider ports need no more accesses than the share of theirs: the
/// energy of the best mapping, and any bound of it, holds for all designs but for the slack. A latency
/// bound holds for them if it has the form of joint_bound(); the least latency on the relaxed accelerator
/// itself need not.
RelaxedAccelerator relaxed_accelerator(const Accelerator& common, std::span<const FieldRanges> parts,
                                       std::span<const FieldRange> widths = {});

}  // namespace zz::core
