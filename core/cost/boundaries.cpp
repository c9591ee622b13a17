#include "core/cost/boundaries.hpp"

#include <algorithm>

namespace zz::core {

Boundaries::Boundaries(const CostTables& tables) {
  all_.reserve(most);
  for (int operand = 0; operand < tables.operand_count; ++operand) {
    lowest_[operand] = static_cast<int>(all_.size());
    const int levels = tables.operands[operand].levels;
    for (int level = 0; level <= levels; ++level) all_.push_back({operand, level, level == levels});
  }
  list_ports(tables);
  list_memories(tables);
}

void Boundaries::list_ports(const CostTables& tables) {
  ports_.reserve(tables.ports.size());
  for (const PortTable& port : tables.ports) {
    Port listed{port.bandwidth_max, {}};
    listed.uses.reserve(port.services.size());
    for (const Service& service : port.services) {
      const bool output = tables.operands[service.operand].output;
      const int direction = static_cast<int>(service.direction);
      const bool low = direction == read_to_low || direction == write_from_low;
      const int boundary = number(service.operand, low ? service.level : service.level + 1);
      const bool up = direction == write_from_low || direction == read_to_high;
      // Inputs do not travel up, and nothing lies above the topmost memory.
      if ((!output && up) || (*this)[boundary].top) continue;
      listed.uses.push_back({boundary, direction, !low, output && !up});
      Sharing& sharing = sharing_[boundary];
      (low ? sharing.above : sharing.below) = port.serves_both_inputs;
    }
    if (!listed.uses.empty()) ports_.push_back(std::move(listed));
  }
}

void Boundaries::list_memories(const CostTables& tables) {
  const auto add = [&](std::vector<int> holders, double size, bool shared) {
    if (std::all_of(holders.begin(), holders.end(), [&](int holder) { return (*this)[holder].top; }))
      return;
    std::vector<int> claims = holders;
    std::sort(claims.begin(), claims.end());
    memories_.push_back({std::move(holders), std::move(claims), size, shared});
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
