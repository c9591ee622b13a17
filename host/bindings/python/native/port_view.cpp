#include "port_view.hpp"

#include <pybind11/stl.h>
#include <tuple>

#include "core/cost/port_load.hpp"
#include "core/schema/types.hpp"

#include "value_view.hpp"

namespace zz::python {
namespace {

/// [(memory, port, cycles)], memory by memory in file order.
std::vector<std::tuple<std::string, std::string, std::int64_t>> stalls(const core::Value& value,
                                                                       const std::string& compat) {
  const auto evaluation = value.as<core::Evaluation>();
  if (evaluation == nullptr || evaluation->layer == nullptr || evaluation->temporal_mapping == nullptr)
    throw py::type_error("ports fall behind in the evaluation of one layer; this is none");
  const core::CostModel model(evaluation->accelerator, evaluation->layer, evaluation->spatial_mapping,
                              evaluation->spatial_mapping_int, {.rules = core::rules_of(compat)});
  std::vector<std::tuple<std::string, std::string, std::int64_t>> all;
  for (const core::PortStall& stall :
       port_stalls(model, *evaluation->accelerator, model.compact(*evaluation->temporal_mapping)))
    all.emplace_back(stall.memory, stall.port, stall.cycles);
  return all;
}

}  // namespace

void bind_ports(py::module_& module) {
  module.def("port_stalls", stalls, py::arg("evaluation"), py::arg("compat"));
}

}  // namespace zz::python
