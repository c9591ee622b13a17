#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace zz::core {

struct Evaluation;

/// A share of the latency of a mapping with its one cause. Columns that say nothing are empty. The rows of
/// a layer add up to its latency; those of several layers are added where all columns agree.
struct LatencyPart {
  /// `ideal`: every unit at work. `idle`: units that the unrolling does not use. `remainder`: the last
  /// round of an unrolled loop is not full. `array`: fills, drains, short blocks and what it loses of its
  /// peak (ArrayPace), `because` of `fold`, `instruction`, `efficiency`, `zeros`. `stall`: the units wait.
  /// `onloading`: first data. `offloading`: last results. `wait`: until the busiest port has moved all.
  /// `drain`: of a systolic array.
  std::string cause;
  std::string array_dimension;  ///< of idle units
  std::string loop;             ///< of a remainder
  std::string memory, port;
  std::string operand, direction;  ///< of what the port moves; directions as in direction_names
  /// Reasons of a stall: `bandwidth`, the port needs more than the whole period; `requests`, the same of
  /// one that makes them; `single buffer`, the memory below has no room for the next portion; `shared
  /// port`, other transfers take the time; `overlap`, the port does not hide all of the shorter of
  /// computation and transfers; `tile interval`, a memory takes its time from tile to tile. Of a wait:
  /// `line`, data are touched for the first time.
  std::string because;
  /// A port ("dram.rw_port_1") that needs the cycles of an `idle` or a `remainder` anyway, so that a fuller
  /// array alone would not save them.
  std::string behind;
  double cycles = 0;

  /// The limiter: a port ("dram.rw_port_1"), a memory ("l2", of `tile interval`), `units`, `array` or
  /// `drain`.
  std::string limiter() const;
};

/// A share of the energy. Those without a memory are of the arithmetic.
struct EnergyPart {
  std::string memory;
  std::string operand, direction;
  /// `once`, what every mapping with the memory spends, `again`, `partial sums` that return: of data alone.
  /// Beside them `scales` of blocks and `metadata` of formats. `arithmetic`, or a part of it in memory.
  std::string because;
  double pJ = 0;
  double low = pJ, high = pJ;  ///< with the costs that were filled in at the ends of their ranges
};

/// Ends of a range, in pJ.
struct EnergyRange {
  double low, high;

  bool operator==(const EnergyRange&) const = default;
};

/// The energy with all costs that were filled in at the ends of their ranges. Nothing where all costs were
/// told, and where the parts do not say what the energy is made of: of schedules, and where a stage has
/// changed it.
std::optional<EnergyRange> energy_range(const Evaluation& evaluation);

/// The demand of an operand on a port during the computation.
struct PortUseFigures {
  std::string operand, direction;
  std::int64_t cycles = 0;     ///< for one portion
  std::int64_t window = 0;     ///< cycles of a period in which it may move
  std::int64_t period = 0;     ///< cycles for which a portion is used below
  std::int64_t count = 0;      ///< portions over the whole layer
  bool second_buffer = false;  ///< the memory below has room for the next portion
  double traffic = 0;          ///< cycles for all portions, which may share cycles
  double loading = 0;          ///< cycles of the first or last portion that are not hidden
};

/// The load of a port and what it gives, in cycles of one layer.
struct PortFigures {
  std::string memory, port;
  double bandwidth = 0;             ///< bits a cycle
  std::int64_t needed = 0;          ///< during the computation
  std::int64_t given = 0;           ///< in which at least one of its transfers may move
  std::int64_t stall = 0;           ///< by which it falls behind
  std::int64_t slack = 0;           ///< of those given, not needed
  double traffic = 0;               ///< for all that goes through it
  double traffic_above_lowest = 0;  ///< the same without what the lowest memories exchange with the units
  std::vector<PortUseFigures> uses;
};

/// A limiter with its cycles.
struct Limit {
  std::string limiter;  ///< LatencyPart::limiter(); "" where it is not known
  double cycles = 0;
};

/// The cycles of each limiter, most first; equal ones in the order of the rows. They add up to the latency:
/// what no row explains, as where a plugin made the evaluation or changed its latency, has no limiter.
std::vector<Limit> limits_of(const Evaluation& evaluation);
/// The first of limits_of(), or "".
std::string limited_by(const Evaluation& evaluation);

/// `more` into `sum`: rows with the same texts are one.
void add_parts(std::vector<LatencyPart>& sum, std::span<const LatencyPart> more);
void add_parts(std::vector<EnergyPart>& sum, std::span<const EnergyPart> more);

}  // namespace zz::core
