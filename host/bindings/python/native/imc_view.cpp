#include "imc_view.hpp"

#include "core/hardware/imc/imc_array.hpp"
#include "core/schema/types.hpp"

#include "value_view.hpp"

namespace zz::python {
namespace {

/// The object of a view; `what` is for the message when it is another one.
template <class T>
std::shared_ptr<const T> object(const core::Value& value, const char* what) {
  std::shared_ptr<const T> found = value.as<T>();
  if (found == nullptr) throw py::type_error(std::string("this is no ") + what);
  return found;
}

py::dict parts_of(const core::ImcParts& parts) {
  py::dict all;
  all["cells"] = parts.cells;
  all["dacs"] = parts.dacs;
  all["adcs"] = parts.adcs;
  all["mults"] = parts.mults;
  all["adders_regular"] = parts.adders_regular;
  all["adders_pv"] = parts.adders_pv;
  all["accumulators"] = parts.accumulators;
  return all;
}

py::dict energies_of(const core::ImcEnergy& energy) {
  py::dict all;
  all["local_bl_precharging"] = energy.local_bl_precharging;
  all["dacs"] = energy.dacs;
  all["adcs"] = energy.adcs;
  all["mults"] = energy.mults;
  all["analog_bl_addition"] = energy.analog_bl_addition;
  all["adders_regular"] = energy.adders_regular;
  all["adders_pv"] = energy.adders_pv;
  all["accumulators"] = energy.accumulators;
  return all;
}

/// Area (mm2), clock (ns) and peak energy (pJ/cycle) by component, and the peak rates.
py::dict imc_figures(const core::Value& value, const std::string& compat) {
  const auto accelerator = object<core::Accelerator>(value, "accelerator");
  const core::ImcArray array(*accelerator, core::rules_of(compat));
  const core::ImcPeak peak = array.peak();
  py::dict all;
  all["area"] = parts_of(array.area());
  all["clock"] = parts_of(array.clock());
  all["energy"] = energies_of(peak.energy);
  all["tera_per_second"] = peak.tera_per_second;
  all["tera_per_watt"] = peak.tera_per_watt;
  all["tera_per_area"] = peak.tera_per_area;
  return all;
}

}  // namespace

void bind_imc(py::module_& module) {
  module.def("imc_figures", imc_figures, py::arg("accelerator"), py::arg("compat"));
}

}  // namespace zz::python
