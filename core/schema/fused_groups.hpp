#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/input/yaml/node.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/schema/file_keys.hpp"

/// The file `fused_groups.yaml` as it is written, by names: the mapping of a network whose layers are
/// fused, and what is known of it. Whether a network can be mapped so is not looked at here.
namespace zz::core {

/// A loop with its size, as "[K, 4]", or a part of a loop, as "[K, 4, 1]": the second one from the inside.
struct GroupLoop {
  std::string dimension;
  std::int64_t size = 0, part = 0;

  bool operator==(const GroupLoop&) const = default;
};

/// Loops of a layer below the upper end of each memory of an operand, from the lowest memory on.
struct GroupLevelEnds {
  std::string operand;
  std::vector<std::int64_t> ends;

  bool operator==(const GroupLevelEnds&) const = default;
};

/// "[kept, 1]": the role of an operand, and how many shared loops are above its tile. Files of zz before
/// the first release say in which of two memories it is, as "[kept, 1, scratchpad]".
struct GroupRole {
  std::string operand;
  std::string role;
  std::int64_t depth = 0;
  std::string memory;  ///< "": not said
  SourceMark mark;

  bool operator==(const GroupRole&) const = default;
};

struct GroupedLayer : FileMap {
  std::string name;
  double unfused_energy = 0;  ///< pJ
  SpatialUnrolling unrolling;
  std::vector<GroupLoop> loops;  ///< the innermost one first
  std::vector<GroupLevelEnds> level_ends;
  bool enlarged = false;
  std::vector<GroupLoop> shared;  ///< the outermost one first
  std::int64_t with_next = 0;     ///< so many of them are shared with the next layer
  std::vector<GroupRole> roles;   ///< of operands that are exchanged or kept
};

struct FusedGroups : FileMap {
  std::string objective;
  double value = 0, lower_bound = 0, unfused = 0;
  std::string exchange_memory;         ///< "": nothing is exchanged or kept
  std::vector<std::int64_t> enlarged;  ///< the size of axes, and their larger one; none: empty
  std::vector<GroupedLayer> layers;
};

/// With `heading` as a comment in the first line.
std::string fused_groups_text(const FusedGroups& groups, const std::string& heading);

/// Adds what is wrong with the form of a file to `diagnostics`, and warns of keys that have other names
/// now.
FusedGroups read_fused_groups(const yaml::Node& file, Diagnostics& diagnostics);

/// The form of the file.
yaml::Form fused_groups_form();

}  // namespace zz::core
