#include "core/input/zigzag/detail/precision_yaml.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/base/nearest_name.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "core/input/zigzag/number_type_yaml.hpp"

namespace zz::core {

std::vector<OperandPrecision> read_precisions(const yaml::Node& node, const std::string& what,
                                              Diagnostics& diagnostics) {
  std::vector<OperandPrecision> precisions;
  if (!yaml::expect_short_map(node, what, diagnostics)) return precisions;
  const std::vector<std::string>& known = precision_operands();
  for (std::size_t i = 0; i < node.entries.size(); ++i) {
    const auto& [operand, value] = node.entries[i];
    if (std::find(known.begin(), known.end(), operand) == known.end()) {
      diagnostics.error(node.key_marks[i],
                        fmt::format("unknown operand '{}' in {}; known are O (partial sums), W, I, O_final",
                                    operand, what),
                        suggestion(operand, known));
    } else if (auto type = read_number_type(value, fmt::format("'{}' in {}", operand, what), diagnostics)) {
      precisions.push_back({operand, type->bits, std::move(type->scale)});
    }
  }
  return precisions;
}

}  // namespace zz::core
