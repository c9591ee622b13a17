#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/compat/rules.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/workload/layer.hpp"
#include "core/workload/layer_precision.hpp"

namespace zz::core {

/// Finds the entries of a mapping file by name. The file must outlive it.
class MappingSelection {
 public:
  explicit MappingSelection(const MappingFile& mapping);

  /// The first entry that has one of the names, earlier ones first; else "default". Throws InputError
  /// without it.
  const LayerMapping& entry_for(const std::vector<std::string>& names) const;
  /// The hint where there is no entry for these names, with the nearest.
  std::string hint_for(const std::vector<std::string>& names) const;
  /// True when some entry has one of the names.
  bool has_entry(const std::vector<std::string>& names) const;

 private:
  const MappingFile& mapping_;
  std::unordered_map<std::string_view, const LayerMapping*> first_of_;  // by name
};

/// Gives a layer that is complete but for its mapping its entry of the mapping file, and the bits per
/// element that the entry names. Loops of the temporal ordering that the layer does not have are left out:
/// an entry serves layers of many kinds (warn_of_unused_mapping() tells of those that no layer has). So
/// are "*" entries with rules.outer_wildcard_dropped, with a warning. A sequential loop is put around all
/// others in the ordering; an entry that unrolls it or has loops around it is an error, and so is a layer
/// that neither an entry names nor "default" serves.
void select_mapping(Layer& layer, const MappingSelection& mapping, const Rules& rules,
                    const SourceMark& mark, Diagnostics& diagnostics);

/// The same for a layer with several names. The first name that has an entry decides, else "default".
void select_mapping(Layer& layer, const MappingSelection& mapping, const std::vector<std::string>& names,
                    const Rules& rules, const SourceMark& mark, Diagnostics& diagnostics);

}  // namespace zz::core
