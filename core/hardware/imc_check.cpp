#include "core/hardware/imc_check.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "core/diagnostics/nearest_name.hpp"

namespace zz::core {
namespace {

bool is_power_of_two(double value) {
  if (!(value > 0) || !std::isfinite(value)) return false;
  int exponent = 0;
  return std::frexp(value, &exponent) == 0.5;
}

}  // namespace

std::vector<AcceleratorProblem> find_imc_problems(const Accelerator& accelerator) {
  std::vector<AcceleratorProblem> problems;
  if (!accelerator.array.imc) return problems;
  const ImcProperties& imc = *accelerator.array.imc;
  const auto error = [&](AcceleratorPlace place, std::string message, std::string hint = "") {
    problems.push_back({Severity::error, std::move(place), std::move(message), std::move(hint)});
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
  if (imc.adc_resolution < 0) {
    error({-1, -1, "adc_resolution", -1},
          fmt::format("adc_resolution is {}; it must be 0 or more", imc.adc_resolution));
  } else if (imc.imc_type == "digital" && imc.adc_resolution != 0) {
    error({-1, -1, "adc_resolution", -1},
          fmt::format("adc_resolution is {}, but digital in-memory computing has no converter",
                      imc.adc_resolution),
          "it must be 0 or left out");
  }

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
