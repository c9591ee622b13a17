#pragma once
#include <pybind11/pybind11.h>

#include "core/value/value.hpp"

/// Values of zz in Python: a `zz.Value` is a lazy view, and scalars are Python's own.
namespace zz::python {

namespace py = pybind11;

/// Numbers, texts, truth values and null as Python's own; everything else as a zz.Value.
py::object to_python(const core::Value& value);

/// The same for lists and maps with all their parts; objects become maps of their fields.
py::object to_plain_python(const core::Value& value);

/// The value that Python wrote: None, bool, int, float, str, bytes as text, lists and tuples, dicts with
/// texts as keys, numpy's numbers, zz.Value. Throws py::type_error, naming the place, for anything else.
core::Value from_python(py::handle object);

void bind_value(py::module_& module);

/// Figures of single ports that evaluations do not keep.
void bind_ports(pybind11::module_& module);

/// Figures of an array that computes in its memory alone: area, clock, and what it can do at most.
void bind_imc(pybind11::module_& module);

}  // namespace zz::python
