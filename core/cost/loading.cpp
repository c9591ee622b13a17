#include "core/cost/loading.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/cost/balance.hpp"
#include "core/cost/port_stalls.hpp"
#include "core/cost/rounding.hpp"

namespace zz::core {
namespace {

constexpr std::size_t max_services = max_operands * direction_count;

/// Time of the first (or last) portion of a transfer.
struct PortTime {
  double cycles = 0;
  bool shared = false;  ///< its port serves both inputs
};

using PortTimes = std::array<PerLevel<PerDirection<PortTime>>, max_operands>;

/// Cycles of this port that no transfer needs on average while the units compute.
double spare_cycles(const CostTables& tables, const PortTable& port, const Transfers& transfers,
                    std::int64_t computation_cycles) {
  double required = 0;
  for (const Service& service : port.services) {
    const LevelTransfer& transfer = transfers.at(service.operand, service.level, service.direction);
    const bool partial_sums_back =
        tables.operands[service.operand].output &&
        (service.direction == Direction::read_to_low || service.direction == Direction::write_from_high);
    if (transfer.count > 1 && !partial_sums_back) {
      required += std::ceil(static_cast<double>(transfer.bandwidth) / tables.cycles_per_operation);
    }
  }
  return spare_port_cycles(port.bandwidth_max, required, computation_cycles);
}

bool time_port(const CostTables& tables, const PortTable& port, const Transfers& transfers,
               const DataFootprint& data, std::int64_t computation_cycles, bool use_spare_cycles,
               bool zigzag_compat, PortTimes& times) {
  std::array<OneTimeTransfer, max_services> once;
  std::array<const Service*, max_services> once_service;
  std::size_t count = 0;
  for (const Service& service : port.services) {
    const OperandTable& operand = tables.operands[service.operand];
    const LevelTransfer& transfer = transfers.at(service.operand, service.level, service.direction);
    const bool partial_sums_back = operand.output && (service.direction == Direction::read_to_low ||
                                                      service.direction == Direction::write_from_high);
    if (partial_sums_back || transfer.count == 0) continue;
    const auto cycles = static_cast<double>(real_cycles(tables, transfers, service));
    PortTime& time = times[service.operand][service.level][static_cast<int>(service.direction)];
    time = {cycles, port.serves_both_inputs};
    if (transfer.count > 1) continue;
    // What the lowest memory of the operand takes must be there before anything can start.
    const double first_data = data.operands[service.operand].bits[1];
    once[count] = {cycles, std::ceil(first_data / port.bandwidth_max)};
    once_service[count++] = &service;
  }
  if (!use_spare_cycles) return false;
  const bool corrected = hide_transfers(
      {once.data(), count}, spare_cycles(tables, port, transfers, computation_cycles), zigzag_compat);
  for (std::size_t i = 0; i < count; ++i) {
    const Service& service = *once_service[i];
    times[service.operand][service.level][static_cast<int>(service.direction)].cycles = once[i].cycles;
  }
  return corrected;
}

}  // namespace

Loading loading_cycles(const CostTables& tables, const Transfers& transfers, const DataFootprint& data,
                       std::int64_t computation_cycles, bool use_spare_cycles, bool zigzag_compat) {
  Loading loading;
  PortTimes times{};
  for (const PortTable& port : tables.ports) {
    const bool corrected = time_port(tables, port, transfers, data, computation_cycles, use_spare_cycles,
                                     zigzag_compat, times);
    loading.balance_corrected = loading.balance_corrected || corrected;
  }
  std::array<InputLoading, max_operands> inputs;
  for (int index = 1; index < tables.operand_count; ++index) {
    for (int level = 0; level + 1 < tables.operands[index].levels; ++level) {
      const PortTime& into = times[index][level][static_cast<int>(Direction::write_from_high)];
      const PortTime& from = times[index][level + 1][static_cast<int>(Direction::read_to_low)];
      const bool corrected =
          inputs[index].add(std::max(into.cycles, from.cycles), into.shared, from.shared, zigzag_compat);
      loading.half_shared_corrected = loading.half_shared_corrected || corrected;
    }
  }
  if (tables.operand_count == 3) loading.onloading = combined_onloading(inputs[1], inputs[2]);
  if (tables.operand_count == 2) loading.onloading = combined_onloading(inputs[1]);
  for (int level = 0; level + 1 < tables.operands[0].levels; ++level) {
    loading.offloading += std::max(times[0][level][static_cast<int>(Direction::read_to_high)].cycles,
                                   times[0][level + 1][static_cast<int>(Direction::write_from_low)].cycles);
  }
  return loading;
}

}  // namespace zz::core
