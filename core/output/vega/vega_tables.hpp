#pragma once
#include <nlohmann/json_fwd.hpp>

namespace zz::core {

/// The data of a picture: by the name of a data set of its Vega specification
/// (plugins/pictures/specifications) a list of rows, which are objects. Energies are in pJ, times in
/// cycles.
using VegaTables = nlohmann::ordered_json;

}  // namespace zz::core
