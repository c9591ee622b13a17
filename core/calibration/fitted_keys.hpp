#pragma once
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"

namespace zz::core {

/// A constant of an accelerator that can be read off measurements: `efficiency` of the array, of a port, or
/// one for all ports of a memory; `overlap` of a port, or of all; `tile_interval` of a memory.
struct FittedKey {
  std::string name;  ///< "operational_array.efficiency", "memories.hbm.ports.rw_port_1.overlap"
  int memory = -1;   ///< -1: the array
  int port = -1;     ///< -1: all of the memory, or none
  enum class Kind { efficiency, overlap, tile_interval } kind = Kind::efficiency;

  bool is_share() const { return kind != Kind::tile_interval; }
  double value(const Accelerator& accelerator) const;
  void set(Accelerator& accelerator, double value) const;
};

/// All keys of the accelerator that may be fitted, in the order of the file.
std::vector<FittedKey> fitted_keys(const Accelerator& accelerator);

/// Those by name; "memories[hbm].ports[rw_port_1].efficiency" is the same name, and
/// "memories.hbm.efficiency" is that of all ports. Without names those of each topmost memory and of the
/// array; its ports one by one where they have different values. Throws InputError with the nearest name
/// for one that is none, and for that of all ports where these differ.
std::vector<FittedKey> find_fitted_keys(const Accelerator& accelerator,
                                        const std::vector<std::string>& names);

}  // namespace zz::core
