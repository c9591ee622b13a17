#include "core/mapping/layer_mapping.hpp"

#include "core/base/diagnostics.hpp"

namespace zz::core {

const std::vector<std::string>& precision_operands() {
  static const std::vector<std::string> names = {"O", "W", "I", "O_final"};
  return names;
}

std::string UnrollingPlaces::place(const std::string& array_dimension) const {
  if (of == nullptr) return "";
  const auto found = of->find(array_dimension);
  return found == of->end() ? "" : to_string(found->second);
}

const LayerMapping& MappingFile::select(const std::string& layer_name, const std::string& operator_type,
                                        bool* used_default) const {
  if (used_default != nullptr) *used_default = false;
  for (const std::string& wanted : {layer_name, operator_type}) {
    for (const LayerMapping& entry : entries) {
      if (entry.name == wanted) return entry;
    }
  }
  if (used_default != nullptr) *used_default = true;
  for (const LayerMapping& entry : entries) {
    if (entry.name == "default") return entry;
  }
  throw InputError(
      "the mapping has no entry for layer '" + layer_name + "': neither '" + layer_name +
      (operator_type.empty() || operator_type == layer_name ? "'" : "', '" + operator_type + "'") +
      " nor 'default'");
}

}  // namespace zz::core
