#pragma once
#include <pybind11/pybind11.h>

namespace zz::python {

/// `content_key(parts)`: the key of some bytes, in bytes; `trust_server(place)`: the user's word
/// for a server; `ResultStore(place, seconds)`: a
/// core::ResultStore that is written, as zz/store.py uses it. `seconds` it waits for other programs.
void bind_store(pybind11::module_& module);

}  // namespace zz::python
