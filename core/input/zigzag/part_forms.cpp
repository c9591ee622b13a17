#include "core/input/zigzag/part_forms.hpp"

#include "core/hardware/accelerator_check.hpp"
#include "core/input/zigzag/number_type_yaml.hpp"
#include "core/mapping/layer_mapping.hpp"

namespace zz::core {

using namespace yaml;

Form unrolling_form() {
  return entries_of(array_dimension_pattern, list_of(text_like("^ *[A-Z]+[0-9]* *, *0*[1-9][0-9]* *$")));
}

Form precisions_form() {
  static const KeyTable keys = [] {
    KeyTable table{"operand_precision", {}};
    for (const std::string& operand : precision_operands())
      table.keys.push_back(
          {operand, Need::optional, number_type_form(), "bits per element, or the type of numbers"});
    return table;
  }();
  return map_of(keys);
}

Form cost_form() { return either({number(0, largest_cost), word_of({"auto"})}); }

std::vector<Key> clock_keys() {
  const std::string number = R"(\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)";
  const Form clock = text_like("^" + number + R"( *([kKmMgG]?[hH][zZ]|[pPnNuUmM][sS]) *$)");
  return {{"clock_period", Need::nullable, either({number_above(0), clock}), "ns, or a text such as 2 ns"},
          {"clock", Need::nullable, clock, "500 MHz, 1 GHz or 2 ns"}};
}

}  // namespace zz::core
