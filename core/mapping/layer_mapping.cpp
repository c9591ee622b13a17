#include "core/mapping/layer_mapping.hpp"

#include "core/base/diagnostics.hpp"

namespace zz::core {

const std::vector<std::string>& precision_operands() {
  static const std::vector<std::string> names = {"O", "W", "I", "O_final"};
  return names;
}

std::vector<OperandCuts> recounted(std::vector<OperandCuts> cuts, const std::vector<std::int64_t>& kept) {
  const auto entries = static_cast<std::int64_t>(kept.size()) - 1;
  for (OperandCuts& operand : cuts)
    for (MemoryCut& cut : operand.memories)
      if (cut.loops >= 0)  // else whoever uses it will tell
        cut.loops = cut.loops <= entries ? kept[static_cast<std::size_t>(cut.loops)]
                                         : kept.back() + (cut.loops - entries);
  return cuts;
}

SourceMark EntryPlaces::mark(const std::string& key) const {
  if (of == nullptr) return {};
  const auto found = of->find(key);
  return found == of->end() ? SourceMark{} : found->second;
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
