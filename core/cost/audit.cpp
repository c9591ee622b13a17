#include "core/cost/audit.hpp"

#include <cmath>
#include <fmt/format.h>

namespace zz::core {
namespace {

constexpr double tolerance = 1e-9;

bool about_equal(double a, double b) {
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

class Audit {
 public:
  explicit Audit(const Evaluation& evaluation) : evaluation_(evaluation) {}

  std::vector<std::string> run() {
    check_latency();
    double memory_energy = 0;
    for (const OperandCost& operand : evaluation_.operands) {
      for (std::size_t level = 0; level < operand.levels.size(); ++level) {
        check_level(operand, level);
        memory_energy += operand.levels[level].energy;
      }
      check_direction_of_travel(operand);
    }
    expect(about_equal(memory_energy, evaluation_.mem_energy),
           "the memory levels do not add up to mem_energy");
    expect(about_equal(evaluation_.mem_energy + evaluation_.mac_energy, evaluation_.energy_total),
           "mem_energy and mac_energy do not add up to energy_total");
    return std::move(violations_);
  }

 private:
  void expect(bool holds, const std::string& what) {
    if (!holds) violations_.push_back(what);
  }

  void check_latency() {
    expect(evaluation_.ideal_cycle > 0, "ideal_cycle is not positive");
    expect(evaluation_.ideal_temporal_cycle >= evaluation_.ideal_cycle - tolerance,
           fmt::format("the mapping needs {} cycles, fewer than the {} of an array that is always busy",
                       evaluation_.ideal_temporal_cycle, evaluation_.ideal_cycle));
    expect(evaluation_.latency_total0 >= evaluation_.ideal_temporal_cycle, "stalls are negative");
    expect(evaluation_.data_onloading_cycle >= 0, "on-loading takes a negative time");
    expect(evaluation_.data_offloading_cycle >= 0, "off-loading takes a negative time");
    expect(about_equal(evaluation_.latency_total0 + evaluation_.data_onloading_cycle,
                       evaluation_.latency_total1) &&
               about_equal(evaluation_.latency_total1 + evaluation_.data_offloading_cycle +
                               evaluation_.systolic_drain_cycle,
                           evaluation_.latency_total2),
           "computation, on-loading, off-loading and drain do not add up to the latency");
  }

  void check_level(const OperandCost& operand, std::size_t level) {
    const LevelCost& cost = operand.levels[level];
    const auto where = [&] { return fmt::format("operand {} at '{}'", operand.operand, cost.memory); };
    double energy = 0;
    for (int direction = 0; direction < direction_count; ++direction) {
      expect(cost.accesses[direction] >= 0, where() + ": negative accesses");
      expect(cost.energy_by_direction[direction] >= 0, where() + ": negative energy");
      energy += cost.energy_by_direction[direction];
    }
    expect(about_equal(energy, cost.energy), where() + ": the directions do not add up to the level");
    // Elements are whole, so that fractional unrollings may be rounded up by half an element.
    expect(cost.utilization >= 0 && cost.utilization <= 1.05,
           fmt::format("{}: utilisation {}", where(), cost.utilization));
  }

  /// Inputs only travel down, nothing arrives at the topmost memory from above, and whatever a memory takes
  /// from the one above it, that one gives.
  void check_direction_of_travel(const OperandCost& operand) {
    const bool output = evaluation_.layer->operands.front().name == operand.operand;
    for (std::size_t level = 0; level < operand.levels.size(); ++level) {
      const auto moves = [&](Direction direction) {
        return operand.levels[level].accesses[static_cast<int>(direction)];
      };
      const std::string where =
          fmt::format("operand {} at '{}'", operand.operand, operand.levels[level].memory);
      if (!output) {
        expect(moves(Direction::write_from_low) == 0 && moves(Direction::read_to_high) == 0,
               where + ": an input travels up");
      }
      if (level + 1 == operand.levels.size()) {
        expect(moves(Direction::write_from_high) == 0 && moves(Direction::read_to_high) == 0,
               where + ": data passes the topmost memory");
      }
    }
  }

  const Evaluation& evaluation_;
  std::vector<std::string> violations_;
};

}  // namespace

std::vector<std::string> audit(const Evaluation& evaluation) { return Audit(evaluation).run(); }

}  // namespace zz::core
