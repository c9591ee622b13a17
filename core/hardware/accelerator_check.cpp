#include "core/hardware/accelerator_check.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "core/base/text_scanner.hpp"
#include "core/hardware/exchange_port.hpp"
#include "core/hardware/further_keys.hpp"
#include "core/hardware/open_costs.hpp"
#include "core/workload/narrow_sums.hpp"

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

/// Checks the dimensions of an array of in-memory computing.
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

/// The rules that only in-memory-computing arrays have: precisions, converter, and the memory called
/// "cells". Nothing for other arrays.
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

/// The rules of `fold`, `instruction` and `efficiency`.
class ArrayKeysCheck {
 public:
  ArrayKeysCheck(const OperationalArray& array, std::vector<AcceleratorProblem>& problems)
      : array_(array), problems_(problems) {}

  void check() {
    if (array_.fold) check_fold(*array_.fold);
    if (array_.instruction) check_instruction(*array_.instruction);
    if (const std::string wrong = efficiency_problem(array_.efficiency, "the array"); !wrong.empty())
      error("efficiency", "", wrong);
    for (const auto& [field, given] : {std::pair{"fold", array_.fold.has_value()},
                                       {"instruction", array_.instruction.has_value()},
                                       {"efficiency", array_.efficiency != 1},
                                       {"on_zero", !array_.on_zero.empty()}}) {
      if (given && array_.imc)
        error(field, "", fmt::format("an array that computes in memory has no {}", field),
              "its cycles follow from bit_serial_precision");
    }
    check_on_zero();
  }

 private:
  void error(const char* field, const char* key, std::string message, std::string hint = "",
             int item = -1) {
    problems_.push_back({Severity::error, {-1, -1, field, item, key}, std::move(message), std::move(hint)});
  }

  void check_operand(const char* field, const std::string& operand) {
    const std::vector<std::string>& known = memory_operand_names();
    if (std::find(known.begin(), known.end(), operand) == known.end())
      error(field, "operand", fmt::format("{} names the memory operand '{}'", field, operand),
            suggestion(operand, known));
  }

  void check_on_zero() {
    static const std::vector<std::string> known = {"W", "I"};
    for (std::size_t i = 0; i < array_.on_zero.size(); ++i) {
      const OperandOnZero& one = array_.on_zero[i];
      if (std::find(known.begin(), known.end(), one.operand) == known.end())
        error("on_zero", "", fmt::format("on_zero names the operand '{}'", one.operand),
              suggestion(one.operand, known));
      for (std::size_t before = 0; before < i; ++before)
        if (array_.on_zero[before].operand == one.operand)
          error("on_zero", "", fmt::format("on_zero names {} twice", one.operand));
      if (one.does == OnZero::skip && (array_.fold || array_.instruction))
        error("on_zero", "",
              fmt::format(
                  "on_zero skips zeros of {}, but the array has {}, whose cycles are those of all steps",
                  one.operand, array_.fold ? "fold" : "instruction"),
              "gate saves the energy alone");
    }
  }

  void check_fold(const ArrayFold& fold) {
    check_operand("fold", fold.operand);
    if (!array_.systolic_dimensions.empty())
      error("fold", "", "fold and systolic_dimensions both say how the array drains",
            "leave systolic_dimensions out: fold counts the drain of every fold");
    if (fold.drain != FoldUnits::none && array_.dimensions.size() < 2)
      error("fold", "drain", "drain counts units along the second array dimension, but there is none",
            "fill counts those along the first one");
    if (fold.preload.empty() || array_.find(fold.preload) != nullptr) return;
    std::vector<std::string> known = {"none"};
    for (const ArrayDimension& dimension : array_.dimensions) known.push_back(dimension.name);
    error("fold", "preload",
          fmt::format("preload of fold names '{}', which is no dimension of the operational array",
                      fold.preload),
          suggestion(fold.preload, known));
  }

  void check_instruction(const ArrayInstruction& instruction) {
    check_operand("instruction", instruction.operand);
    if (instruction.along.empty())
      error("instruction", "along", "along of instruction names no loop dimension",
            "the loops that make the rows of blocks, as [OX, B]");
    for (std::size_t i = 0; i < instruction.along.size(); ++i) {
      const auto here = instruction.along.begin() + static_cast<std::ptrdiff_t>(i);
      if (std::find(instruction.along.begin(), here, *here) != here)
        error("instruction", "along", fmt::format("along of instruction names {} twice", *here), "",
              static_cast<int>(i));
    }
    if (instruction.rows < 1 || instruction.rows > largest_key_figure)
      error("instruction", "rows",
            fmt::format("rows of instruction is {}; it must be from 1 to {}", instruction.rows,
                        largest_key_figure));
    const auto check_cycles = [&](const char* key, double cycles) {
      if (!(cycles >= 0 && cycles <= static_cast<double>(largest_key_figure)))
        error("instruction", key,
              fmt::format("{} of instruction is {}; it must be from 0 to {} cycles", key, cycles,
                          largest_key_figure));
    };
    check_cycles("min_cycles", instruction.min_cycles);
    check_cycles("reload_cycles", instruction.reload_cycles);
    check_cycles("interval", instruction.interval);
  }

  const OperationalArray& array_;
  std::vector<AcceleratorProblem>& problems_;
};

/// Bits of a memory in one unit, a scratchpad of registers. Larger ones are told of.
constexpr std::int64_t largest_of_a_unit = 4096;

/// "r_port_1", "w_port_2", "rw_port_1" (and "_port_1", which ZigZag accepts too).
bool is_port_name(std::string_view name) {
  if (name.starts_with('r')) name.remove_prefix(1);
  if (name.starts_with('w')) name.remove_prefix(1);
  if (!name.starts_with("_port_")) return false;
  name.remove_prefix(6);
  return !name.empty() && std::all_of(name.begin(), name.end(), is_digit);
}

const char* type_name(PortType type) {
  switch (type) {
    case PortType::read:
      return "read";
    case PortType::write:
      return "write";
    case PortType::read_write:
      break;
  }
  return "read_write";
}

bool carries(PortType type, Direction direction) {
  const bool reads = is_read(direction);
  return type == PortType::read_write || (type == PortType::read) == reads;
}

class AcceleratorChecker {
 public:
  AcceleratorChecker(const Accelerator& accelerator, Units units)
      : accelerator_(accelerator), smallest_size_(units == Units::required ? 1 : 0) {}

  std::vector<AcceleratorProblem> problems() {
    check_array();
    if (accelerator_.memories.empty()) error({-1, -1, "memories", -1}, "there are no memories");
    for (std::size_t m = 0; m < accelerator_.memories.size(); ++m) {
      const Memory& memory = accelerator_.memories[m];
      at_ = {static_cast<int>(m), -1, "", -1};
      where_ = fmt::format("memory '{}'", memory.name);
      check_name(m);
      check_numbers(memory);
      check_operands(memory);
      check_served_dimensions(memory);
      check_copies(m);
      check_ports(memory);
    }
    for (const auto& further : {find_imc_problems(accelerator_), find_memory_key_problems(accelerator_)})
      problems_.insert(problems_.end(), further.begin(), further.end());
    return std::move(problems_);
  }

 private:
  void error(AcceleratorPart part, std::string message, std::string hint = "") {
    problems_.push_back({Severity::error, std::move(part), std::move(message), std::move(hint)});
  }
  /// About a field of the memory (or port) at hand.
  void error_at(const std::string& field, int item, std::string message, std::string hint = "") {
    error({at_.memory, at_.port, field, item}, std::move(message), std::move(hint));
  }

  void check_cost(const std::string& field, double value, const std::string& unit) {
    if ((value >= 0 && value <= largest_cost) || is_open(value)) return;
    error_at(field, -1,
             fmt::format("{} of {} is {}; it must be {}", field, where_, value,
                         value > largest_cost ? fmt::format("{:g} at most", largest_cost)
                                              : fmt::format("0{} or more", unit)));
  }

  void check_largest(const std::string& field, std::int64_t value, const std::string& where) {
    if (value <= largest_number) return;
    error_at(field, -1,
             fmt::format("{} of {} is {}; it must be {} at most", field, where, value, largest_number));
  }

  void check_array() {
    const OperationalArray& array = accelerator_.array;
    where_ = "the operational array";
    if (array.dimensions.empty())
      error({-1, -1, "dimensions", -1}, "the operational array has no dimensions");
    for (std::size_t i = 0; i < array.dimensions.size(); ++i) {
      const ArrayDimension& dimension = array.dimensions[i];
      const int item = static_cast<int>(i);
      if (!is_array_dimension_name(dimension.name)) {
        error({-1, -1, "dimensions", item},
              fmt::format("'{}' is not the name of an array dimension", dimension.name),
              "names are D with one digit, as D1");
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (array.dimensions[j].name != dimension.name) continue;
        error({-1, -1, "dimensions", item},
              fmt::format("the array dimension {} is named twice", dimension.name));
        break;
      }
      if (dimension.size < smallest_size_) {
        error({-1, -1, "sizes", item},
              fmt::format("the size of array dimension {} is {}; it must be {} or more", dimension.name,
                          dimension.size, smallest_size_));
      }
    }
    std::int64_t units = 1;
    for (const ArrayDimension& dimension : array.dimensions) {
      if (dimension.size < 1 ||
          (!__builtin_mul_overflow(units, dimension.size, &units) && units <= largest_number))
        continue;
      error({-1, -1, "sizes", -1}, "the operational array has more units than can be counted");
      break;
    }
    check_cost("unit_energy", array.unit_energy, " pJ");
    check_cost("unit_area", array.unit_area, "");
    if (const double clock = accelerator_.clock_period; !(clock >= 0) || !std::isfinite(clock))
      error({-1, -1, "clock_period", -1}, fmt::format("clock_period is {:g} ns; it must be above 0", clock),
            "0 stands for a clock that is not known");
    check_systolic_dimensions(array);
    check_operand_precision(array);
    ArrayKeysCheck(array, problems_).check();
  }

  void check_operand_precision(const OperationalArray& array) {
    if (const std::string problem = narrow_sums(array.operand_precision); !problem.empty())
      problems_.push_back({Severity::warning,
                           {-1, -1, "operand_precision", -1},
                           "operand_precision of the operational array: " + problem,
                           "sums are counted and stored with too few bits"});
    const AcceleratorPart part{-1, -1, "operand_precision", -1};
    const std::vector<std::string>& known = precision_operands();
    std::vector<std::string> named;
    for (const OperandPrecision& said : array.operand_precision) {
      const std::string& operand = said.operand;
      const std::int64_t bits = said.bits;
      if (std::find(known.begin(), known.end(), operand) == known.end())
        error(part, fmt::format("operand_precision names the operand '{}'", operand),
              suggestion(operand, known));
      else if (std::find(named.begin(), named.end(), operand) != named.end())
        error(part, fmt::format("operand_precision names {} twice", operand));
      if (bits < 1 || bits > widest_number)
        error(part, fmt::format("operand_precision gives {} bits to {}; units work on 1 to {} bits", bits,
                                operand, widest_number));
      if (array.imc && ((operand == "I" && bits != array.imc->activation_precision) ||
                        (operand == "W" && bits != array.imc->weight_precision)))
        error(part, fmt::format(
                        "operand_precision gives {} bits to {}, but input_precision says {}", bits, operand,
                        operand == "I" ? array.imc->activation_precision : array.imc->weight_precision));
      named.push_back(operand);
    }
  }

  std::vector<std::string> array_dimension_names() const {
    std::vector<std::string> names;
    for (const ArrayDimension& dimension : accelerator_.array.dimensions) names.push_back(dimension.name);
    return names;
  }

  void check_systolic_dimensions(const OperationalArray& array) {
    const std::vector<std::string>& systolic = array.systolic_dimensions;
    if (array.imc && !systolic.empty()) {
      error({-1, -1, "systolic_dimensions", -1},
            "an array that computes in memory has no systolic dimensions", "leave systolic_dimensions out");
    }
    const std::vector<std::string> known = array_dimension_names();
    for (std::size_t i = 0; i < systolic.size(); ++i) {
      const AcceleratorPart part{-1, -1, "systolic_dimensions", static_cast<int>(i)};
      if (std::find(known.begin(), known.end(), systolic[i]) == known.end()) {
        error(part,
              fmt::format("systolic_dimensions names '{}', which is no dimension of the operational array",
                          systolic[i]),
              suggestion(systolic[i], known));
      } else if (std::find(systolic.begin(), systolic.begin() + part.item, systolic[i]) !=
                 systolic.begin() + part.item) {
        error(part, fmt::format("systolic_dimensions names {} twice", systolic[i]));
      }
    }
  }

  void check_name(std::size_t m) {
    const std::string& name = accelerator_.memories[m].name;
    if (name.empty()) error_at("", -1, "a memory has an empty name");
    for (std::size_t other = 0; other < m; ++other) {
      if (accelerator_.memories[other].name != name) continue;
      error_at("", -1, fmt::format("two memories are called '{}'", name));
      break;
    }
  }

  void check_numbers(const Memory& memory) {
    if (memory.size < 1) {
      error_at("size", -1, fmt::format("size of {} is {}; it must be 1 bit or more", where_, memory.size));
    }
    check_largest("size", memory.size, where_);
    check_largest("latency", memory.latency, where_);
    check_cost("r_cost", memory.read_cost, " pJ");
    check_cost("w_cost", memory.write_cost, " pJ");
    check_cost("area", memory.area, "");
    if (memory.latency < 0) {
      error_at("latency", -1,
               fmt::format("latency of {} is {}; it must be 0 cycles or more", where_, memory.latency));
    }
  }

  void check_operands(const Memory& memory) {
    const std::vector<std::string>& known = memory_operand_names();
    if (memory.operands.empty()) error_at("operands", -1, where_ + " holds no operand");
    for (std::size_t i = 0; i < memory.operands.size(); ++i) {
      const std::string& operand = memory.operands[i];
      const int item = static_cast<int>(i);
      if (std::find(known.begin(), known.end(), operand) == known.end()) {
        error_at("operands", item, fmt::format("unknown memory operand '{}' in {}", operand, where_),
                 suggestion(operand, known));
      } else if (std::find(memory.operands.begin(), memory.operands.begin() + item, operand) !=
                 memory.operands.begin() + item) {
        error_at("operands", item, fmt::format("the operand {} is named twice in {}", operand, where_));
      }
    }
  }

  void check_served_dimensions(const Memory& memory) {
    const std::vector<std::string> known = array_dimension_names();
    const std::vector<std::string>& served = memory.served_dimensions;
    for (std::size_t i = 0; i < served.size(); ++i) {
      const int item = static_cast<int>(i);
      if (std::find(known.begin(), known.end(), served[i]) == known.end()) {
        error_at("served_dimensions", item,
                 fmt::format("{} serves '{}', which is no dimension of the operational array", where_,
                             served[i]),
                 suggestion(served[i], known));
      } else if (std::find(served.begin(), served.begin() + item, served[i]) != served.begin() + item) {
        error_at("served_dimensions", item,
                 fmt::format("{} names the dimension {} twice", where_, served[i]));
      }
    }
  }

  /// One instance of the topmost memories serves all units as a rule, and large memories are not there for
  /// each unit. Of both, a dimension that `served_dimensions` forgets makes many.
  void check_copies(std::size_t m) {
    const Memory& memory = accelerator_.memories[m];
    std::vector<std::string> left_out;
    double copies = 1;
    for (const ArrayDimension& dimension : accelerator_.array.dimensions) {
      if (memory.serves(dimension.name) || dimension.size < 2) continue;
      left_out.push_back(dimension.name);
      copies *= static_cast<double>(dimension.size);
    }
    if (left_out.empty() || (accelerator_.array.imc && memory.name == "cells")) return;
    const bool topmost = accelerator_.is_topmost(m);
    const bool large = memory.served_dimensions.empty() && memory.memory_type != "rf" &&
                       (memory.size > largest_of_a_unit || !is_innermost(m));
    if (!topmost && !large) return;
    problems_.push_back(
        {Severity::warning,
         {at_.memory, -1, "served_dimensions", -1},
         fmt::format(
             "{}{} is there {:.0f} times, {} bits each, as served_dimensions has no {}", where_,
             topmost ? fmt::format(", the outermost of {},", fmt::join(memory.operands, " and ")) : "",
             copies, fmt::group_digits(memory.size), fmt::join(left_out, " and no ")),
         "along the dimensions in served_dimensions one instance serves all units"});
  }

  /// For each operand that it holds.
  bool is_innermost(std::size_t m) const {
    const Memory& memory = accelerator_.memories[m];
    return std::none_of(memory.operands.begin(), memory.operands.end(), [&](const std::string& operand) {
      return std::any_of(accelerator_.memories.begin(), accelerator_.memories.begin() + at_.memory,
                         [&](const Memory& below) { return below.holds(operand); });
    });
  }

  void check_ports(const Memory& memory) {
    if (memory.ports.empty()) error_at("ports", -1, where_ + " has no ports");
    for (std::size_t p = 0; p < memory.ports.size(); ++p) {
      const Port& port = memory.ports[p];
      at_.port = static_cast<int>(p);
      port_where_ = fmt::format("port '{}' of {}", port.name, where_);
      if (!is_port_name(port.name) && !is_exchange_port(port)) {
        error_at("name", -1, fmt::format("'{}' is not the name of a port, in {}", port.name, where_),
                 "names are r_port_1, w_port_1, rw_port_1 and so on");
      }
      for (std::size_t other = 0; other < p; ++other) {
        if (memory.ports[other].name != port.name) continue;
        error_at("name", -1, fmt::format("two ports of {} are called '{}'", where_, port.name));
        break;
      }
      if (port.bandwidth_min < 1) {
        error_at("bandwidth_min", -1,
                 fmt::format("bandwidth_min of {} is {}; it must be 1 bit per cycle or more", port_where_,
                             port.bandwidth_min));
      } else if (port.bandwidth_max < port.bandwidth_min) {
        error_at("bandwidth_max", -1,
                 fmt::format("bandwidth_max of {} is {}, less than bandwidth_min, which is {}", port_where_,
                             port.bandwidth_max, port.bandwidth_min));
      }
      if (!is_exchange_port(port)) check_largest("bandwidth_max", port.bandwidth_max, port_where_);
      check_allocation(memory, p);
    }
    at_.port = -1;
  }

  void check_allocation(const Memory& memory, std::size_t port_index) {
    const Port& port = memory.ports[port_index];
    for (std::size_t i = 0; i < port.allocation.size(); ++i) {
      const auto& [operand, direction] = port.allocation[i];
      const int item = static_cast<int>(i);
      const char* code = direction_codes[static_cast<std::size_t>(direction)];
      if (!memory.holds(operand)) {
        error_at("allocation", item,
                 fmt::format("{} carries {}, which {} does not hold", port_where_, operand, where_),
                 suggestion(operand, memory.operands));
      }
      if (!carries(port.type, direction)) {
        error_at("allocation", item,
                 fmt::format("{} is of type {} and cannot carry '{}, {}', which {} the memory", port_where_,
                             type_name(port.type), operand, code,
                             port.type == PortType::read ? "writes to" : "reads from"));
      }
      warn_when_allocated_before(memory, port_index, item);
    }
  }

  void warn_when_allocated_before(const Memory& memory, std::size_t port_index, int item) {
    const PortAllocation& allocation = memory.ports[port_index].allocation[static_cast<std::size_t>(item)];
    for (std::size_t p = 0; p < port_index; ++p) {
      const std::vector<PortAllocation>& earlier = memory.ports[p].allocation;
      if (std::find(earlier.begin(), earlier.end(), allocation) == earlier.end()) continue;
      problems_.push_back(
          {Severity::warning,
           {at_.memory, at_.port, "allocation", item},
           fmt::format("'{}, {}' is on the ports '{}' and '{}' of {}; the last one carries it alone",
                       allocation.operand, direction_codes[static_cast<std::size_t>(allocation.direction)],
                       memory.ports[p].name, memory.ports[port_index].name, where_),
           ""});
      return;
    }
  }

  const Accelerator& accelerator_;
  const std::int64_t smallest_size_;  ///< of an array dimension
  std::vector<AcceleratorProblem> problems_;
  AcceleratorPart at_;
  std::string where_;
  std::string port_where_;
};

}  // namespace

std::vector<AcceleratorProblem> find_problems(const Accelerator& accelerator, Units units) {
  return AcceleratorChecker(accelerator, units).problems();
}

bool is_array_dimension_name(const std::string& name) {
  return name.size() == 2 && name[0] == 'D' && is_digit(name[1]);
}

const std::vector<std::string>& memory_operand_names() {
  static const std::vector<std::string> names = {"I1", "I2", "O"};
  return names;
}

void Accelerator::validate() const {
  Diagnostics diagnostics;
  for (const AcceleratorProblem& problem : find_problems(*this)) {
    if (problem.severity != Severity::error) continue;
    diagnostics.error({}, "accelerator '" + name + "': " + problem.message, problem.hint);
  }
  diagnostics.throw_if_errors();
}

}  // namespace zz::core
