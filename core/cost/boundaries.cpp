#include "core/cost/boundaries.hpp"

#include <algorithm>

namespace zz::core {
namespace {

bool is_at_upper_memory(Direction direction) {
  return direction == Direction::read_to_low || direction == Direction::write_from_low;
}

}  // namespace

std::optional<int> boundary_of(const CostTables& tables, const Service& service) {
  const OperandTable& operand = tables.operands[service.operand];
  const int boundary = is_at_upper_memory(service.direction) ? service.level : service.level + 1;
  if (boundary == operand.levels || (!operand.output && is_upwards(service.direction))) return std::nullopt;
  return boundary;
}

bool returns_partial_sums(const CostTables& tables, const Service& service) {
  return tables.operands[service.operand].output && !is_upwards(service.direction);
}

Boundaries::Boundaries(const CostTables& tables) {
  all_.reserve(most);
  for (int operand = 0; operand < tables.operand_count; ++operand) {
    lowest_[operand] = static_cast<int>(all_.size());
    const int levels = tables.operands[operand].levels;
    for (int level = 0; level <= levels; ++level) all_.push_back({operand, level, level == levels});
  }
  list_ports(tables);
  list_memories(tables);
  for (const SharedTiles& tiles : tables.shared_tiles)
    for (const OperandLevel& at : tiles) tiles_ |= std::uint64_t{1} << number(at.operand, at.level + 1);
  for (const TileInterval& one : tables.tile_intervals)
    paced_.push_back({number(one.at.operand, one.at.level + 1), one.cycles});
}

void Boundaries::list_ports(const CostTables& tables) {
  ports_.reserve(tables.ports.size());
  for (const PortTable& port : tables.ports) {
    Port listed{port.bandwidth, {}, port.memory, port.port, port.overlap, port.line_cycles};
    line_cycles_ = std::max(line_cycles_, port.line_cycles);
    listed.uses.reserve(port.services.size());
    for (const Service& service : port.services) {
      const std::optional<int> level = boundary_of(tables, service);
      if (!level) continue;
      const int boundary = number(service.operand, *level);
      const bool above = is_at_upper_memory(service.direction);
      listed.uses.push_back(
          {boundary, static_cast<int>(service.direction), !above, returns_partial_sums(tables, service)});
      Sharing& sharing = sharing_[boundary];
      (above ? sharing.above : sharing.below) = port.serves_both_inputs;
    }
    if (listed.uses.empty()) continue;
    if (listed.overlap < 1) partly_hiding_.push_back(ports_.size());
    ports_.push_back(std::move(listed));
  }
}

void Boundaries::list_memories(const CostTables& tables) {
  const auto add = [&](std::vector<int> holders, double size, bool shared) {
    if (std::all_of(holders.begin(), holders.end(), [&](int holder) { return (*this)[holder].top; }))
      return;
    for (const int holder : holders) holders_ |= std::uint64_t{1} << holder;
    memories_.push_back({std::move(holders), size, shared});
  };
  for (const auto& group : tables.share_groups) {
    std::vector<int> holders;
    for (const OperandLevel& member : group) holders.push_back(number(member.operand, member.level + 1));
    if (!group.empty())
      add(std::move(holders), tables.operands[group.front().operand].size[group.front().level], true);
  }
  for (int operand = 0; operand < tables.operand_count; ++operand) {
    for (int level = 0; level < tables.operands[operand].levels; ++level) {
      if (tables.operands[operand].share_group[level] < 0)
        add({number(operand, level + 1)}, tables.operands[operand].size[level], false);
    }
  }
}

}  // namespace zz::core
