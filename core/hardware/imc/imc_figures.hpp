#pragma once
#include <string>
#include <utility>
#include <vector>

namespace zz::core {

/// The energy of a layer in an in-memory-computing array, in pJ.
struct ImcEnergy {
  double local_bl_precharging = 0;  ///< selecting another weight of a group of cells
  double dacs = 0;
  double adcs = 0;
  double mults = 0;  ///< one-bit multipliers
  double analog_bl_addition = 0;
  double adders_regular = 0;  ///< adder trees along the bitlines
  double adders_pv = 0;       ///< adders that put partial results of different place value together
  double accumulators = 0;    ///< over the cycles of a bit-serial operation

  double total() const;
  bool operator==(const ImcEnergy&) const = default;
};

/// Area (mm2) or delay along the critical path (ns) of an in-memory-computing array, by component.
struct ImcParts {
  double cells = 0;
  double dacs = 0;
  double adcs = 0;
  double mults = 0;
  double adders_regular = 0;
  double adders_pv = 0;
  double accumulators = 0;

  double total() const;
  bool operator==(const ImcParts&) const = default;
};

/// Figures that only evaluations on in-memory-computing arrays have.
struct ImcFigures {
  ImcEnergy energy;  ///< its total is the mac_energy of the evaluation
  ImcParts clock;    ///< ns
  ImcParts area;     ///< mm2
  /// mm2 of one instance of each memory, in file order.
  std::vector<std::pair<std::string, double>> memory_areas;

  bool operator==(const ImcFigures&) const = default;
  double tclk() const { return clock.total(); }  ///< clock period, ns
  double imc_area() const { return area.total(); }
  double mem_area() const;
  double area_total() const { return imc_area() + mem_area(); }
};

/// Both run one after the other on the same chip: energies add up; clock and area are those of the larger
/// one, should the two differ because stages changed the accelerator in between.
ImcFigures add(const ImcFigures& a, const ImcFigures& b);

/// Energies `factor` times; the chip stays the same.
ImcFigures scale(const ImcFigures& a, double factor);

}  // namespace zz::core
