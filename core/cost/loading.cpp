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
    const Transfer& transfer = transfers.at(service.operand, service.level, service.direction);
    const bool partial_sums_back =
        tables.operands[service.operand].output &&
        (service.direction == Direction::read_to_low || service.direction == Direction::write_from_high);
    if (transfer.count > 1 && !partial_sums_back) {
      required += std::ceil(static_cast<double>(transfer.bandwidth) / tables.cycles_per_operation);
    }
  }
  const double free_share = (port.bandwidth_max - required) / port.bandwidth_max;
  return std::max(0.0, free_share * static_cast<double>(computation_cycles));
}

bool time_port(const CostTables& tables, const PortTable& port, const Transfers& transfers,
               const HeldData& data, std::int64_t computation_cycles, bool use_spare_cycles,
               bool zigzag_compat, PortTimes& times) {
  std::array<OneTimeTransfer, max_services> once;
  std::array<const Service*, max_services> once_service;
  std::size_t count = 0;
  for (const Service& service : port.services) {
    const OperandTable& operand = tables.operands[service.operand];
    const Transfer& transfer = transfers.at(service.operand, service.level, service.direction);
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

/// On-loading of one input by how much of the way it shares ports with the other input.
struct InputParts {
  double individual = 0, half_shared = 0, shared = 0;
};

InputParts input_parts(const PerLevel<PerDirection<PortTime>>& times, int levels, bool zigzag_compat,
                       bool& half_shared_corrected) {
  InputParts parts;
  int half_shared_links = 0;
  for (int level = 0; level + 1 < levels; ++level) {
    const PortTime& into = times[level][static_cast<int>(Direction::write_from_high)];
    const PortTime& from = times[level + 1][static_cast<int>(Direction::read_to_low)];
    const double cycles = std::max(into.cycles, from.cycles);
    if (into.shared && from.shared) {
      parts.shared += cycles;
    } else if (!into.shared && !from.shared) {
      parts.individual += cycles;
    } else if (zigzag_compat || half_shared_links++ == 0) {
      parts.half_shared = cycles;  // ZigZag keeps the last such link only
    } else {
      parts.half_shared += cycles;
      half_shared_corrected = true;
    }
  }
  return parts;
}

}  // namespace

Loading loading_cycles(const CostTables& tables, const Transfers& transfers, const HeldData& data,
                       std::int64_t computation_cycles, bool use_spare_cycles, bool zigzag_compat) {
  Loading loading;
  PortTimes times{};
  for (const PortTable& port : tables.ports) {
    const bool corrected = time_port(tables, port, transfers, data, computation_cycles, use_spare_cycles,
                                     zigzag_compat, times);
    loading.balance_corrected = loading.balance_corrected || corrected;
  }
  std::array<InputParts, max_operands> parts;
  for (int index = 1; index < tables.operand_count; ++index) {
    parts[index] = input_parts(times[index], tables.operands[index].levels, zigzag_compat,
                               loading.half_shared_corrected);
  }
  if (tables.operand_count == 3) {
    const InputParts& p = parts[1];
    const InputParts& q = parts[2];
    loading.onloading = std::min(
        p.shared + std::max(q.shared + q.half_shared + q.individual, p.half_shared + p.individual),
        q.shared + std::max(p.shared + p.half_shared + p.individual, q.half_shared + q.individual));
  } else if (tables.operand_count == 2) {
    loading.onloading = parts[1].individual + parts[1].half_shared + parts[1].shared;
  }
  for (int level = 0; level + 1 < tables.operands[0].levels; ++level) {
    loading.offloading += std::max(times[0][level][static_cast<int>(Direction::read_to_high)].cycles,
                                   times[0][level + 1][static_cast<int>(Direction::write_from_low)].cycles);
  }
  return loading;
}

}  // namespace zz::core
