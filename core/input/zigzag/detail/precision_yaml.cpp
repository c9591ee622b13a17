#include "core/input/zigzag/detail/precision_yaml.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

#include "core/base/nearest_name.hpp"
#include "core/input/yaml/map_reader.hpp"

namespace zz::core {

std::vector<OperandPrecision> read_precisions(const yaml::Node& node, const std::string& what,
                                              Diagnostics& diagnostics) {
  std::vector<OperandPrecision> precisions;
  if (!yaml::expect_short_map(node, what, diagnostics)) return precisions;
  const std::vector<std::string>& known = precision_operands();
  for (std::size_t i = 0; i < node.entries.size(); ++i) {
    const auto& [operand, value] = node.entries[i];
    std::int64_t bits = 0;
    if (std::find(known.begin(), known.end(), operand) == known.end()) {
      diagnostics.error(node.key_marks[i],
                        fmt::format("unknown operand '{}' in {}; known are O (partial sums), W, I, O_final",
                                    operand, what),
                        suggestion(operand, known));
    } else if (yaml::read(value, fmt::format("'{}' in {}", operand, what), bits, diagnostics)) {
      if (bits < 0 || bits > widest_number)
        diagnostics.error(value.mark,
                          fmt::format("'{}' in {} is {}, expected are bits per element (0 to {})", operand,
                                      what, bits, widest_number));
      precisions.push_back({operand, bits});
    }
  }
  return precisions;
}

}  // namespace zz::core
