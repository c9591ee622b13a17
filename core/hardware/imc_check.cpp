#include "core/hardware/imc_check.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "core/base/nearest_name.hpp"

namespace zz::core {
namespace {

bool is_power_of_two(double value) {
  if (!(value >= 1) || !std::isfinite(value)) return false;
  int exponent = 0;
  return std::frexp(value, &exponent) == 0.5;
}

/// The array dimension at this position when they are sorted by name, as an index into the list; -1 when
/// there is none.
int dimension_in_name_order(const OperationalArray& array, std::size_t position) {
  std::vector<int> order(array.dimensions.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return array.dimensions[static_cast<std::size_t>(a)].name <
           array.dimensions[static_cast<std::size_t>(b)].name;
  });
  return position < order.size() ? order[position] : -1;
}

class GeometryCheck {
 public:
  GeometryCheck(const Accelerator& accelerator, std::vector<AcceleratorProblem>& problems)
      : accelerator_(accelerator), problems_(problems) {}

  void check() {
    const OperationalArray& array = accelerator_.array;
    const int wordline = dimension_in_name_order(array, 0);
    const int bitline = dimension_in_name_order(array, 1);
    if (bitline < 0) {
      error({-1, -1, "dimensions", -1},
            fmt::format("an in-memory-computing array needs two dimensions or more, but there {}",
                        array.dimensions.size() == 1 ? "is one" : "are none"),
            "the first one (by name) is that of the wordlines, the second one that of the bitlines");
      return;
    }
    check_adder_tree(bitline);
    check_served(wordline, "I1", "wordline", "an activation goes to all columns of its wordline");
    check_served(bitline, "O", "bitline", "all rows of a bitline add up to one sum");
  }

 private:
  void error(AcceleratorPart part, std::string message, std::string hint) {
    problems_.push_back({Severity::error, std::move(part), std::move(message), std::move(hint)});
  }

  void check_adder_tree(int bitline) {
    const ArrayDimension& dimension = accelerator_.array.dimensions[static_cast<std::size_t>(bitline)];
    if (accelerator_.array.imc->imc_type != "digital" || dimension.size < 1) return;
    if (is_power_of_two(static_cast<double>(dimension.size))) return;
    error(
        {-1, -1, "sizes", bitline},
        fmt::format("the size of {}, the bitline dimension of a digital in-memory-computing array, is {}; "
                    "it must be a power of two",
                    dimension.name, dimension.size),
        "an adder tree adds up pairs of rows");
  }

  /// The lowest memory of the operand should feed (or take from) all units along the dimension. What the
  /// memories cost is defined without that, too.
  void check_served(int index, const char* operand, const char* role, const char* reason) {
    const ArrayDimension& dimension = accelerator_.array.dimensions[static_cast<std::size_t>(index)];
    const auto& memories = accelerator_.memories;
    const auto lowest = std::find_if(memories.begin(), memories.end(),
                                     [&](const Memory& memory) { return memory.holds(operand); });
    if (lowest == memories.end() || lowest->serves(dimension.name)) return;
    problems_.push_back(
        {Severity::warning,
         {static_cast<int>(lowest - memories.begin()), -1, "served_dimensions", -1},
         fmt::format("memory '{}', the lowest that holds {}, does not serve {}, the {} dimension of the "
                     "in-memory-computing array",
                     lowest->name, operand, dimension.name, role),
         reason});
  }

  const Accelerator& accelerator_;
  std::vector<AcceleratorProblem>& problems_;
};

}  // namespace

std::vector<AcceleratorProblem> find_imc_problems(const Accelerator& accelerator) {
  std::vector<AcceleratorProblem> problems;
  if (!accelerator.array.imc) return problems;
  const ImcProperties& imc = *accelerator.array.imc;
  const auto error = [&](AcceleratorPart part, std::string message, std::string hint = "") {
    problems.push_back({Severity::error, std::move(part), std::move(message), std::move(hint)});
  };

  if (imc.imc_type != "analog" && imc.imc_type != "digital") {
    const std::vector<std::string> known = {"analog", "digital"};
    error({-1, -1, "imc_type", -1}, fmt::format("unknown imc_type '{}'", imc.imc_type),
          suggestion(imc.imc_type, known));
  }
  const auto check_precision = [&](const char* field, int item, const char* what, double value) {
    if (is_power_of_two(value)) return;
    error({-1, -1, field, item}, fmt::format("{} is {}; it must be a power of two", what, value));
  };
  check_precision("input_precision", 0, "the activation precision of the array",
                  static_cast<double>(imc.activation_precision));
  check_precision("input_precision", 1, "the weight precision of the array",
                  static_cast<double>(imc.weight_precision));
  check_precision("bit_serial_precision", -1, "bit_serial_precision", imc.bit_serial_precision);
  if (imc.bit_serial_precision > static_cast<double>(imc.activation_precision)) {
    error({-1, -1, "bit_serial_precision", -1},
          fmt::format("bit_serial_precision is {}, more than the activation precision, which is {}",
                      imc.bit_serial_precision, imc.activation_precision));
  }
  if (!(imc.adc_resolution >= 0 && imc.adc_resolution <= 64)) {
    error({-1, -1, "adc_resolution", -1},
          fmt::format("adc_resolution is {}; it must be from 0 to 64 bits", imc.adc_resolution));
  } else if (imc.imc_type == "digital" && imc.adc_resolution != 0) {
    error({-1, -1, "adc_resolution", -1},
          fmt::format("adc_resolution is {}, but digital in-memory computing has no converter",
                      imc.adc_resolution),
          "it must be 0 or left out");
  }

  GeometryCheck(accelerator, problems).check();

  const auto cells = std::find_if(accelerator.memories.begin(), accelerator.memories.end(),
                                  [](const Memory& memory) { return memory.name == "cells"; });
  if (cells == accelerator.memories.end()) {
    error({-1, -1, "memories", -1}, "in-memory computing needs a memory called 'cells', but there is none");
    return problems;
  }
  const int index = static_cast<int>(cells - accelerator.memories.begin());
  if (cells->operands != std::vector<std::string>{"I2"}) {
    error({index, -1, "operands", -1},
          "the memory 'cells' of an in-memory-computing array must hold I2 alone");
  }
  if (!cells->served_dimensions.empty()) {
    error({index, -1, "served_dimensions", -1},
          "the memory 'cells' of an in-memory-computing array must serve no array dimension",
          "write served_dimensions: []");
  }
  if (imc.weight_precision > 0 && cells->size % imc.weight_precision != 0) {
    error({index, -1, "size", -1},
          fmt::format("size of memory 'cells' is {}, which is no multiple of the weight precision, {}",
                      cells->size, imc.weight_precision));
  }
  return problems;
}

}  // namespace zz::core
