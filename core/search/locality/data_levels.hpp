#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace zz::core {

/// The highest memory that the data of a layer have to reach, as indices into Accelerator::memories. Above
/// it, the memories are of no use to the layer.
struct LayerDataLevels {
  std::int64_t layer = 0;  ///< Layer::id
  std::string name;        ///< of the layer
  std::int64_t activation = 0;
  std::int64_t output = 0;

  bool operator==(const LayerDataLevels&) const = default;
};

/// The memories in which the data between the layers of a network can stay.
struct DataLevels {
  std::vector<LayerDataLevels> layers;  ///< in topological order

  bool operator==(const DataLevels&) const = default;
  const LayerDataLevels* find(std::int64_t layer) const;  ///< nullptr when the layer is not listed
};

}  // namespace zz::core
