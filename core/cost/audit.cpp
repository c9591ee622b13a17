#include "core/cost/audit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "core/cost/detail/mapped_data.hpp"

namespace zz::core {
namespace {

constexpr double tolerance = 1e-9;

bool about_equal(double a, double b) {
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

bool is_possible(double figure) { return std::isfinite(figure) && figure >= 0; }

class Audit {
 public:
  Audit(const Evaluation& evaluation, AuditScope scope) : evaluation_(evaluation), scope_(scope) {}

  std::vector<std::string> findings() {
    check_numbers();
    check_sums();
    if (scope_ == AuditScope::given) return std::move(violations_);
    check_fewest_cycles();
    for (const OperandCost& operand : evaluation_.operands) check_direction_of_travel(operand);
    const bool mapped = evaluation_.layer && evaluation_.accelerator && evaluation_.spatial_mapping &&
                        evaluation_.temporal_mapping;
    if (scope_ == AuditScope::all && mapped) {
      const MappedData data(*evaluation_.accelerator, *evaluation_.layer, *evaluation_.spatial_mapping,
                            *evaluation_.temporal_mapping);
      check_computation(data);
      check_coverage(data);
      check_occupancy(data);
      check_traffic(data);
      check_ports(data);
      check_tile_intervals(data);
      check_shared_tiles(data);
    }
    return std::move(violations_);
  }

 private:
  template <class... Parts>
  void expect(bool holds, const char* rule, fmt::format_string<Parts...> what, Parts&&... parts) {
    if (holds) return;
    violations_.push_back(fmt::format("{}: {}", rule, fmt::format(what, std::forward<Parts>(parts)...)));
  }

  void check_numbers() {
    for (const Figure& figure : evaluation_figures) {
      const double value = evaluation_.*figure.member;
      const bool strict = scope_ == AuditScope::all || figure.sign == Figure::Sign::cost;
      expect(strict ? is_possible(value) : std::isfinite(value), "finite numbers", "{} is {}", figure.name,
             value);
    }
    for (const OperandCost& operand : evaluation_.operands) {
      for (const LevelCost& cost : operand.levels) {
        for (int direction = 0; direction < direction_count; ++direction) {
          expect(cost.accesses[direction] >= 0 && is_possible(cost.energy_by_direction[direction]),
                 "finite numbers", "{} accesses and {} pJ of operand {} at '{}'", cost.accesses[direction],
                 cost.energy_by_direction[direction], operand.operand, cost.memory);
        }
        expect(is_possible(cost.utilization), "finite numbers", "the utilisation of '{}' is {}",
               cost.memory, cost.utilization);
      }
    }
  }

  void check_sums() {
    double memory_energy = 0;
    for (const OperandCost& operand : evaluation_.operands) {
      for (const LevelCost& cost : operand.levels) {
        double energy = 0;
        for (const double of_direction : cost.energy_by_direction) energy += of_direction;
        expect(!is_given(energy) || about_equal(energy, cost.energy), "sums",
               "the directions of operand {} at '{}' do not add up to the level", operand.operand,
               cost.memory);
        memory_energy += cost.energy;
      }
    }
    expect(!is_given(memory_energy) || about_equal(memory_energy, evaluation_.mem_energy), "sums",
           "the memory levels add up to {} pJ, mem_energy is {}", memory_energy, evaluation_.mem_energy);
    const double energy = evaluation_.mem_energy + evaluation_.mac_energy;
    expect(!is_given(energy) || about_equal(energy, evaluation_.energy_total), "sums",
           "mem_energy and mac_energy add up to {} pJ, energy_total is {}", energy,
           evaluation_.energy_total);
    check_cycles();
  }

  void check_cycles() {
    const Evaluation& given = evaluation_;
    if (is_given(given.latency_total0)) {
      // A third party may scale what it knows.
      const double array = scope_ == AuditScope::given ? 0 : given.array_cycle;
      expect(given.latency_total0 >= std::max(given.ideal_temporal_cycle, array) * (1 - tolerance), "sums",
             "stalls are negative");
    }
    const auto add_up = [&](double cycles, double more, double all) {
      return is_given(more) ? about_equal(cycles + more, all) : all >= cycles * (1 - tolerance);
    };
    const bool onloaded = !is_given(given.latency_total1) ||
                          add_up(given.latency_total0, given.data_onloading_cycle, given.latency_total1);
    expect(
        onloaded && add_up(given.latency_total1, given.data_offloading_cycle + given.systolic_drain_cycle,
                           given.latency_total2),
        "sums", "computation, on-loading, off-loading and drain do not add up to the latency");
  }

  /// In the scope `given`, 0 stands for what was left out.
  bool is_given(double figure) const { return scope_ != AuditScope::given || figure != 0; }

  void check_fewest_cycles() {
    expect(evaluation_.ideal_temporal_cycle >= evaluation_.ideal_cycle * (1 - tolerance), "computation",
           "the mapping needs {} cycles, fewer than the {} of an array that is always busy",
           evaluation_.ideal_temporal_cycle, evaluation_.ideal_cycle);
  }

  void check_direction_of_travel(const OperandCost& operand) {
    if (!evaluation_.layer) return;
    const bool output = evaluation_.layer->operands.front().name == operand.operand;
    for (std::size_t level = 0; level < operand.levels.size(); ++level) {
      const auto moves = [&](Direction direction) {
        return operand.levels[level].accesses[static_cast<std::size_t>(direction)] != 0;
      };
      const std::string& memory = operand.levels[level].memory;
      expect(output || (!moves(Direction::write_from_low) && !moves(Direction::read_to_high)),
             "direction of travel", "the input {} travels up at '{}'", operand.operand, memory);
      const bool topmost = level + 1 == operand.levels.size();
      expect(!topmost || (!moves(Direction::write_from_high) && !moves(Direction::read_to_high)),
             "direction of travel", "{} passes the topmost memory '{}'", operand.operand, memory);
    }
  }

  void check_computation(const MappedData& data) {
    const double array = data.array_cycles(*evaluation_.accelerator);
    expect(evaluation_.latency_total2 >= array * (1 - tolerance), "computation",
           "the latency is {} cycles, the array takes {}", evaluation_.latency_total2, array);
    const double cycles = data.temporal_iterations(), made = cycles * data.rounds_made();
    expect(evaluation_.latency_total2 >= made * (1 - tolerance), "computation",
           "the latency is {} cycles, the temporal loops have {} iterations", evaluation_.latency_total2,
           made);
    expect(cycles * data.units() >= data.operations() * (1 - tolerance), "computation",
           "{} iterations on {} units are fewer than the {} operations of the layer", cycles, data.units(),
           data.operations());
  }

  void check_coverage(const MappedData& data) {
    const Layer& layer = *evaluation_.layer;
    for (std::size_t operand = 0; operand < layer.operands.size(); ++operand) {
      for (std::size_t loop = 0; loop < layer.loops.size(); ++loop) {
        const double covered = data.covered(operand, loop);
        expect(covered >= static_cast<double>(layer.loops[loop].size) * (1 - tolerance), "coverage",
               "the mapping of operand {} covers {} of the {} iterations of {}",
               layer.operands[operand].name, covered, layer.loops[loop].size, layer.loops[loop].name);
      }
    }
  }

  void check_occupancy(const MappedData& data) {
    for (const Memory& memory : evaluation_.accelerator->memories) {
      double bits = 0;
      for (std::size_t operand = 0; operand < data.operands(); ++operand) {
        const int level = data.level_of(operand, memory);
        if (level >= 0) bits += data.held_bits(operand, static_cast<std::size_t>(level));
      }
      expect(bits <= static_cast<double>(memory.size) * (1 + tolerance), "occupancy",
             "'{}' of {} bits must hold {}", memory.name, memory.size, bits);
    }
  }

  /// Words of all instances, each as wide as the port of the direction.
  void check_traffic(const MappedData& data) {
    for (std::size_t operand = 0; operand < data.operands(); ++operand) {
      const OperandCost* cost = cost_of_operand(operand);
      if (cost == nullptr) continue;
      const bool output = operand == 0;
      for (std::size_t level = 0; level < cost->levels.size(); ++level) {
        const double bits = data.tensor_bits(operand, level);
        const auto moved = [&](Direction direction) {
          const auto words =
              static_cast<double>(cost->levels[level].accesses[static_cast<std::size_t>(direction)]);
          const double width = data.port_width(operand, level, direction);
          expect((words + 1) * width >= bits * (1 - tolerance), "compulsory traffic",
                 "{} words of {} bits move {} at '{}', the tensor has {} bits", words, width, cost->operand,
                 cost->levels[level].memory, bits);
        };
        moved(output ? Direction::write_from_low : Direction::read_to_low);
        if (level + 1 < cost->levels.size())
          moved(output ? Direction::read_to_high : Direction::write_from_high);
      }
    }
  }

  void check_ports(const MappedData& data) {
    const double computation = data.array_cycles(*evaluation_.accelerator);
    for (const MappedData::PortUse& port : data.ports()) {
      double busy = 0, repeated = 0;
      for (const MappedData::Served& served : port.served) {
        const OperandCost* cost = cost_of_operand(served.operand);
        if (cost == nullptr || served.level >= cost->levels.size()) continue;
        const double accesses =
            static_cast<double>(
                cost->levels[served.level].accesses[static_cast<std::size_t>(served.direction)]) /
            data.instances(served.operand, served.level);
        // The first time that a sum is added to, nothing returns.
        const bool from_above = served.direction == Direction::write_from_high;
        const bool returns =
            served.operand == 0 && (served.direction == Direction::read_to_low || from_above);
        // Sums that may return, and do not, have no word counted.
        // Units need nothing in rounds that are skipped.
        const bool at_units = served.level == 0 && (served.direction == Direction::read_to_low ||
                                                    served.direction == Direction::write_from_low);
        const double requests = accesses == 0 ? 0 : data.request_cycles(*port.port, served);
        const double words =
            std::max(accesses / port.port->efficiency, requests) * (at_units ? data.rounds_made() : 1);
        const double passing = returns ? words * (1 - 1 / data.visits(served.level, from_above)) : words;
        busy += passing;
        repeated += returns ? passing : words * (1 - 1 / data.whole_portions(served));
      }
      busy = std::max(busy, line_cycles(data, port));
      const double waits = (1 - port.port->overlap) * std::min(computation, repeated);
      expect(
          evaluation_.latency_total0 >= (computation + waits) * (1 - tolerance), "overlap",
          "of {} cycles of computation and {} of port '{}' of '{}' {} do not overlap, but the computation "
          "takes {}",
          computation, repeated, port.port->name, port.memory->name, waits, evaluation_.latency_total0);
      expect(evaluation_.latency_total2 >= busy * (1 - tolerance), "port bandwidth",
             "port '{}' of '{}' needs {} cycles, the latency is {}", port.port->name, port.memory->name,
             busy, evaluation_.latency_total2);
    }
  }

  /// Cycles for lines of the inputs that the port reads.
  static double line_cycles(const MappedData& data, const MappedData::PortUse& port) {
    if (!port.port->line) return 0;
    double lines = 0;
    for (const MappedData::Served& served : port.served)
      if (served.operand > 0 && served.direction == Direction::read_to_low)
        lines += std::ceil(data.tensor_bits(served.operand, served.level) / 8 /
                           static_cast<double>(port.port->line->bytes));
    return lines * port.port->line->cold_cycles;
  }

  void check_tile_intervals(const MappedData& data) {
    for (const Memory& memory : evaluation_.accelerator->memories) {
      if (memory.tile_interval == 0) continue;
      for (std::size_t operand = 0; operand < data.operands(); ++operand) {
        const int level = data.level_of(operand, memory);
        if (level < 0) continue;
        const double tiles = data.tiles(operand, static_cast<std::size_t>(level));
        expect(evaluation_.latency_total0 >= memory.tile_interval * tiles * (1 - tolerance),
               "tile interval",
               "{} tiles of operand {} in '{}' take {} cycles each, the computation takes {}", tiles,
               operand, memory.name, memory.tile_interval, evaluation_.latency_total0);
      }
    }
  }

  /// Inputs that come to the memory from above are loaded equally often.
  void check_shared_tiles(const MappedData& data) {
    for (const Memory& memory : evaluation_.accelerator->memories) {
      if (!memory.shared_tiles) continue;
      double loads = 0;
      for (std::size_t operand = 1; operand < data.operands(); ++operand) {
        const int level = data.level_of(operand, memory);
        if (level < 0 || data.is_topmost(operand, static_cast<std::size_t>(level))) continue;
        const double own = data.tiles(operand, static_cast<std::size_t>(level));
        expect(loads == 0 || own == loads, "shared tiles",
               "'{}' loads operand {} {} times, another input of its tiles {} times", memory.name, operand,
               own, loads);
        loads = own;
      }
    }
  }

  const OperandCost* cost_of_operand(std::size_t operand) const {
    const std::string& name = evaluation_.layer->operands[operand].name;
    for (const OperandCost& cost : evaluation_.operands)
      if (cost.operand == name) return &cost;
    return nullptr;
  }

  const Evaluation& evaluation_;
  AuditScope scope_;
  std::vector<std::string> violations_;
};

}  // namespace

std::vector<std::string> audit(const Evaluation& evaluation, AuditScope scope) {
  return Audit(evaluation, scope).findings();
}

std::vector<std::string> audit_sum(const Evaluation& sum, std::span<const Evaluation* const> parts) {
  std::vector<std::string> broken = audit(sum, AuditScope::given);
  if (!broken.empty() && std::any_of(parts.begin(), parts.end(), [](const Evaluation* part) {
        return !audit(*part, AuditScope::given).empty();
      }))
    broken.clear();
  constexpr std::pair<const char*, double Evaluation::*> totals[] = {
      {"mac_energy", &Evaluation::mac_energy},
      {"mem_energy", &Evaluation::mem_energy},
      {"energy_total", &Evaluation::energy_total},
      {"latency_total2", &Evaluation::latency_total2}};
  for (const auto& [name, total] : totals) {
    double of_parts = 0;
    for (const Evaluation* part : parts) of_parts += part->*total;
    if (!about_equal(of_parts, sum.*total) && std::isfinite(sum.*total))
      broken.push_back(fmt::format("sums: {} is {}, that of the parts {}", name, sum.*total, of_parts));
  }
  return broken;
}

}  // namespace zz::core
