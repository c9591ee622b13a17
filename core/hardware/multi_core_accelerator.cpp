#include "core/hardware/multi_core_accelerator.hpp"

#include <algorithm>

#include "core/hardware/accelerator_check.hpp"
#include "core/hardware/interconnect.hpp"
#include "core/hardware/multi_core_check.hpp"
#include "core/hardware/top_memories.hpp"

namespace zz::core {
namespace {

/// The memory that cores of this group have put in before under the same name, or -1.
int find_shared(const MultiCoreAccelerator& accelerator, const std::vector<int>& group, int core,
                const std::string& name) {
  for (std::size_t i = 0; i < accelerator.top_memories.size(); ++i) {
    const TopMemory& top = accelerator.top_memories[i];
    if (top.name == name && group[top.cores.front()] == group[core]) return static_cast<int>(i);
  }
  return -1;
}

double share_of(double rate, std::int64_t bandwidth) {
  return bandwidth > 0 ? rate / static_cast<double>(bandwidth) : 1;
}

void find_top_memories(MultiCoreAccelerator& accelerator) {
  const std::vector<std::string>& operands = memory_operand_names();
  const std::vector<int> group = sharing_groups(accelerator);
  accelerator.top_memories.clear();
  accelerator.top_of.assign(accelerator.cores.size(), std::vector<int>(operands.size(), -1));
  accelerator.cores_tops.assign(accelerator.cores.size(), {});
  for (int core = 0; core < accelerator.core_count(); ++core) {
    for (const int index : top_memory_indices(*accelerator.cores[core])) {
      const Memory& memory = accelerator.cores[core]->memories[index];
      int top = find_shared(accelerator, group, core, memory.name);
      if (top < 0) {
        top = static_cast<int>(accelerator.top_memories.size());
        accelerator.top_memories.push_back({memory.name,
                                            {},
                                            memory.operands,
                                            memory.size,
                                            read_bandwidth(memory),
                                            write_bandwidth(memory),
                                            memory.read_cost,
                                            memory.write_cost,
                                            share_of(read_rate(memory), read_bandwidth(memory)),
                                            share_of(write_rate(memory), write_bandwidth(memory))});
      }
      accelerator.top_memories[top].cores.push_back(core);
      accelerator.cores_tops[core].push_back(top);
      // The last memory in the file that holds an operand is its home.
      for (std::size_t operand = 0; operand < operands.size(); ++operand) {
        if (memory.holds(operands[operand])) accelerator.top_of[core][operand] = top;
      }
    }
  }
}

/// Indices of links, -1: none.
struct Ports {
  int into = -1, out_of = -1;
};

/// Ports of each core: the links that no connection uses, but every route from or to the core.
std::vector<Ports> find_ports(const MultiCoreAccelerator& accelerator) {
  std::vector<bool> used(accelerator.links.size(), false);
  for (const Connection& connection : accelerator.connections) used[connection.link] = true;
  std::vector<Ports> ports(accelerator.cores.size());
  for (std::size_t i = 0; i < used.size(); ++i) {
    const Link& link = accelerator.links[i];
    if (used[i] || (link.sender < 0) == (link.receiver < 0)) continue;
    const auto number = static_cast<int>(i);
    if (link.sender >= 0) ports[link.sender].out_of = number;
    if (link.receiver >= 0) ports[link.receiver].into = number;
    if (link.bidirectional) ports[std::max(link.sender, link.receiver)] = {number, number};
  }
  return ports;
}

}  // namespace

int MultiCoreAccelerator::top(int core, const std::string& memory_operand) const {
  const std::vector<std::string>& operands = memory_operand_names();
  const auto found = std::find(operands.begin(), operands.end(), memory_operand);
  return found == operands.end() ? -1 : top_of[core][found - operands.begin()];
}

bool MultiCoreAccelerator::share_memory(int core, int other) const {
  const std::vector<int>& tops = cores_tops[other];
  return std::any_of(cores_tops[core].begin(), cores_tops[core].end(),
                     [&](int memory) { return std::find(tops.begin(), tops.end(), memory) != tops.end(); });
}

std::vector<int> MultiCoreAccelerator::cores_by_connection() const {
  std::vector<int> order;
  std::vector<bool> named(cores.size(), false);
  const auto name = [&](int core) {
    if (!named[core]) order.push_back(core);
    named[core] = true;
  };
  for (const Connection& connection : connections) {
    name(connection.from);
    name(connection.to);
  }
  for (int core = 0; core < core_count(); ++core) name(core);
  return order;
}

void MultiCoreAccelerator::derive() {
  Diagnostics diagnostics;
  check_multi_core(*this, diagnostics);
  diagnostics.throw_if_errors();
  find_top_memories(*this);
  const Routing routing(core_count(), connections);
  const std::vector<Ports> ports = find_ports(*this);
  routes.clear();
  for (int from = 0; from < core_count(); ++from) {
    for (int to = 0; to < core_count(); ++to) {
      std::vector<int>& links = routes.emplace_back(routing.route(from, to));
      if (links.empty()) continue;
      if (ports[from].out_of >= 0) links.insert(links.begin(), ports[from].out_of);
      if (ports[to].into >= 0) links.push_back(ports[to].into);
    }
  }
  check_routes(*this, diagnostics);
  diagnostics.throw_if_errors();
}

MultiCoreAccelerator single_core(std::shared_ptr<const Accelerator> core) {
  MultiCoreAccelerator accelerator;
  accelerator.name = core->name;
  accelerator.cores.push_back(std::move(core));
  accelerator.derive();
  return accelerator;
}

}  // namespace zz::core
