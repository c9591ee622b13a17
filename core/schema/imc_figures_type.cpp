#include "core/schema/types.hpp"
#include "core/value/object.hpp"

namespace zz::core {
namespace {

constexpr Field imc_energy_fields[] = {
    field<&ImcEnergy::local_bl_precharging>("local_bl_precharging", "pJ",
                                            "Selecting another weight of a group of cells."),
    field<&ImcEnergy::dacs>("dacs", "pJ", "Drivers of the wordlines."),
    field<&ImcEnergy::adcs>("adcs", "pJ", "Converters of the bitlines."),
    field<&ImcEnergy::mults>("mults", "pJ", "Multipliers of one bit."),
    field<&ImcEnergy::analog_bl_addition>("analog_bl_addition", "pJ", "Addition along the bitlines."),
    field<&ImcEnergy::adders_regular>("adders_regular", "pJ", "Adder trees along the bitlines."),
    field<&ImcEnergy::adders_pv>("adders_pv", "pJ", "Adders of partial results of different place value."),
    field<&ImcEnergy::accumulators>("accumulators", "pJ", "Accumulation over bit-serial cycles."),
    derived<ImcEnergy>("total", "pJ", "Sum of all.",
                       [](const ImcEnergy& energy) { return energy.total(); })};
FieldIndex imc_energy_index;
constexpr Type imc_energy_type =
    object_type<ImcEnergy>("imc_energy", "What a layer spends in an in-memory-computing array.",
                           imc_energy_fields, imc_energy_index);

constexpr Field imc_parts_fields[] = {
    field<&ImcParts::cells>("cells", "", "Memory cells."),
    field<&ImcParts::dacs>("dacs", "", "Drivers of the wordlines."),
    field<&ImcParts::adcs>("adcs", "", "Converters of the bitlines."),
    field<&ImcParts::mults>("mults", "", "Multipliers of one bit."),
    field<&ImcParts::adders_regular>("adders_regular", "", "Adder trees along the bitlines."),
    field<&ImcParts::adders_pv>("adders_pv", "", "Adders of partial results of different place value."),
    field<&ImcParts::accumulators>("accumulators", "", "Accumulation over bit-serial cycles."),
    derived<ImcParts>("total", "", "Sum of all.", [](const ImcParts& parts) { return parts.total(); })};
FieldIndex imc_parts_index;
constexpr Type imc_parts_type = object_type<ImcParts>(
    "imc_parts", "Area (mm2) or delay (ns) of an in-memory-computing array, by component.",
    imc_parts_fields, imc_parts_index);

constexpr Field imc_figures_fields[] = {
    field<&ImcFigures::energy>("mac_energy_breakdown", "pJ", "The parts of mac_energy."),
    field<&ImcFigures::clock>("tclk_breakdown", "ns", "The critical path."),
    field<&ImcFigures::area>("imc_area_breakdown", "mm2", "The array."),
    field<&ImcFigures::memory_areas>("mem_area_breakdown", "mm2", "One instance of each memory, by name."),
    derived<ImcFigures>("tclk", "ns", "Clock period.",
                        [](const ImcFigures& figures) { return figures.tclk(); }),
    derived<ImcFigures>("imc_area", "mm2", "Area of the array.",
                        [](const ImcFigures& figures) { return figures.imc_area(); }),
    derived<ImcFigures>("mem_area", "mm2", "Area of the memories, one instance of each.",
                        [](const ImcFigures& figures) { return figures.mem_area(); }),
    derived<ImcFigures>("area_total", "mm2", "Area of array and memories.",
                        [](const ImcFigures& figures) { return figures.area_total(); })};
FieldIndex imc_figures_index;
constexpr Type imc_figures_type = object_type<ImcFigures>(
    "imc_figures", "Figures that only evaluations on in-memory-computing arrays have.", imc_figures_fields,
    imc_figures_index);

}  // namespace

template <>
const Type* type_of<ImcEnergy>() {
  return &imc_energy_type;
}
template <>
const Type* type_of<ImcParts>() {
  return &imc_parts_type;
}
template <>
const Type* type_of<ImcFigures>() {
  return &imc_figures_type;
}

}  // namespace zz::core
