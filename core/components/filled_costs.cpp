#include "core/components/filled_costs.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/components/arithmetic_cost.hpp"
#include "core/hardware/open_costs.hpp"

namespace zz::core::components {
namespace {

/// The bandwidth of the first port of that type, else of the first that does both.
double width_of(const Memory& memory, PortType type) {
  for (const PortType wanted : {type, PortType::read_write})
    for (const Port& port : memory.ports)
      if (port.type == wanted) return static_cast<double>(port.bandwidth_max);
  return 0;
}

struct Answer {
  std::string component;
  ComponentCost cost;
};

/// Where the answer lies, as shares of its value, where the figure was open.
CostRange take(double& figure, const Estimate& answer, const char* key, PartCost& part) {
  if (!is_open(figure)) return {};
  if (!answer.known())
    throw InputError(fmt::format("nobody knows the {} of {}: write it down", key, part.component));
  figure = answer.value;
  part.filled.emplace_back(key);
  if (answer.value == 0) return {};
  return {answer.low / answer.value, answer.high / answer.value};
}

Answer answer_for(const Memory& memory, double width, const CostChoices& choices, const SramSource& sram) {
  const std::string& type = memory.memory_type;
  const auto& interfaces = dram_interfaces();
  if (type == "dram" || std::find(interfaces.begin(), interfaces.end(), type) != interfaces.end()) {
    const std::string& interface = type == "dram" ? choices.dram : type;
    return {fmt::format("{}, {} bits wide", interface, width), dram_cost(interface, width)};
  }
  const auto size = static_cast<double>(memory.size);
  const MemoryComponent question{size, std::min(width, size), choices.node, choices.transistors};
  const std::string form = fmt::format("of {} bits, {} wide", memory.size, question.width);
  if (type == "rf" || (type == "sram" && size < smallest_sram))
    return {"register file " + form, register_file_cost(question)};
  if (type == "sram" && size > largest_sram)
    throw InputError(
        fmt::format("an SRAM of {} bits is out of range: it must have {} to {:.0f} bits; is its mem_type "
                    "dram?",
                    memory.size, smallest_sram, largest_sram));
  if (type == "sram") return {"SRAM " + form, sram(question)};
  throw InputError(
      fmt::format("its mem_type is '{}'; known are sram, rf, dram, {}", type, fmt::join(interfaces, ", ")));
}

class Filler {
 public:
  Filler(const Accelerator& accelerator, const CostChoices& choices, const SramSource& sram)
      : filled_{accelerator, {}}, choices_(choices), sram_(sram) {}

  FilledAccelerator fill() {
    fill_units();
    for (Memory& memory : filled_.accelerator.memories) fill_memory(memory);
    return std::move(filled_);
  }

 private:
  /// Asks for the costs of a part. What has no answer is the user's mistake.
  template <class Ask>
  auto ask(const std::string& part, Ask question) const {
    try {
      return question();
    } catch (const InputError& problem) {
      throw InputError(fmt::format("{} of accelerator '{}' leaves costs open: {}", part,
                                   filled_.accelerator.name, problem.diagnostics().front().message));
    }
  }

  void fill_units() {
    OperationalArray& array = filled_.accelerator.array;
    if (!is_open(array.unit_energy) && !is_open(array.unit_area)) return;
    const Answer answer = ask("the operational array", [&] { return ask_units(array); });
    PartCost part{PartCost::units, answer.component, array.unit_count(), {}, answer.cost};
    array.unit_range = take(array.unit_energy, part.cost.energy, "unit_energy", part);
    take(array.unit_area, part.cost.area, "unit_area", part);
    filled_.parts.push_back(std::move(part));
  }

  Answer ask_units(const OperationalArray& array) const {
    const auto bits_of = [&](const char* operand) {
      for (const OperandPrecision& one : array.operand_precision)
        if (one.operand == operand) return one.bits;
      return std::int64_t{0};
    };
    std::string type = choices_.type;
    if (type.empty()) {
      const std::int64_t bits = std::max(bits_of("W"), bits_of("I"));
      if (bits == 0)
        throw InputError(
            "nobody says what its units multiply; write operand_precision in the file, or give the type of "
            "their numbers, as int8");
      type = fmt::format("int{}", bits);
    }
    return {fmt::format("multiply-accumulate of {}", type),
            multiply_accumulate_cost(format_of(type), choices_.node, static_cast<double>(bits_of("O")))};
  }

  void fill_memory(Memory& memory) {
    std::optional<PartCost> part = ask(fmt::format("memory '{}'", memory.name),
                                       [&] { return fill_open_costs(memory, choices_, sram_); });
    if (!part) return;
    part->instances = filled_.accelerator.instances(memory);
    filled_.parts.push_back(std::move(*part));
  }

  FilledAccelerator filled_;
  const CostChoices& choices_;
  const SramSource& sram_;
};

}  // namespace

std::optional<PartCost> fill_open_costs(Memory& memory, const CostChoices& choices,
                                        const SramSource& sram) {
  if (!is_open(memory.read_cost) && !is_open(memory.write_cost) && !is_open(memory.area)) return {};
  const double read = width_of(memory, PortType::read), write = width_of(memory, PortType::write);
  Answer answer = answer_for(memory, std::max(read, write), choices, sram);
  if (read != 0 && read < write) answer.cost.energy = answer_for(memory, read, choices, sram).cost.energy;
  if (write != 0 && write < read)
    answer.cost.write_energy = answer_for(memory, write, choices, sram).cost.write_energy;
  PartCost part{memory.name, answer.component, 1, {}, answer.cost};
  memory.read_range = take(memory.read_cost, part.cost.energy, "r_cost", part);
  memory.write_range = take(memory.write_cost, part.cost.write_energy, "w_cost", part);
  take(memory.area, part.cost.area, "area", part);
  return part;
}

FilledAccelerator fill_open_costs(const Accelerator& accelerator, const CostChoices& choices,
                                  const SramSource& sram) {
  return Filler(accelerator, choices, sram).fill();
}

Estimate area_of(const FilledAccelerator& filled, const Accelerator* beside) {
  const Accelerator& accelerator = filled.accelerator;
  Estimate sum{0, 0, 0};
  const auto add = [&](const std::string& part, double one, std::int64_t count) {
    Estimate area{one, one, one};
    for (const PartCost& each : filled.parts)
      if (each.part == part && (each.is_filled("area") || each.is_filled("unit_area")))
        area = each.cost.area;
    sum = sum + area * static_cast<double>(count);
  };
  add(PartCost::units, accelerator.array.unit_area, accelerator.array.unit_count());
  for (const Memory& memory : accelerator.memories)
    if (beside == nullptr || beside->memory_index(memory.name) < 0)
      add(memory.name, memory.area, accelerator.instances(memory));
  return sum;
}

double area_of(const Accelerator& accelerator, const Accelerator* beside) {
  return area_of(FilledAccelerator{accelerator, {}}, beside).value;
}

double leakage_of(const std::vector<PartCost>& parts) {
  double sum = 0;
  for (const PartCost& part : parts)
    if (part.cost.leakage.known()) sum += part.cost.leakage.value * static_cast<double>(part.instances);
  return sum;
}

double access_time_of(const std::vector<PartCost>& parts) {
  double slowest = 0;
  for (const PartCost& part : parts)
    if (part.cost.access_time.known()) slowest = std::max(slowest, part.cost.access_time.value);
  return slowest;
}

}  // namespace zz::core::components
