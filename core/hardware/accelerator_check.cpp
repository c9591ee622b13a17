#include "core/hardware/accelerator_check.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/nearest_name.hpp"
#include "core/hardware/imc_check.hpp"

namespace zz::core {
namespace {

/// Doubles count up to here exactly. docs/limits.md names both limits.
constexpr std::int64_t largest_number = std::int64_t{1} << 53;
bool is_digit(char c) { return c >= '0' && c <= '9'; }

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
  const bool reads = direction == Direction::read_to_low || direction == Direction::read_to_high;
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
      check_ports(memory);
    }
    for (AcceleratorProblem& problem : find_imc_problems(accelerator_))
      problems_.push_back(std::move(problem));
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
    if (value >= 0 && value <= largest_cost) return;
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
    check_systolic_dimensions(array);
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

  void check_ports(const Memory& memory) {
    if (memory.ports.empty()) error_at("ports", -1, where_ + " has no ports");
    for (std::size_t p = 0; p < memory.ports.size(); ++p) {
      const Port& port = memory.ports[p];
      at_.port = static_cast<int>(p);
      port_where_ = fmt::format("port '{}' of {}", port.name, where_);
      if (!is_port_name(port.name)) {
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
      check_largest("bandwidth_max", port.bandwidth_max, port_where_);
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
