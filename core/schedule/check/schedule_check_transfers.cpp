#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "core/schedule/check/schedule_check_facts.hpp"

namespace zz::core::check {
namespace {

std::string transfer_name(const Facts& facts, const Transfer& transfer) {
  return fmt::format("the transfer of {} from {} to {} at cycle {}", facts.tensor_name(transfer.tensor),
                     facts.core_name(transfer.sender), facts.core_name(transfer.receiver), transfer.start);
}

void check_source(Facts& facts, const Transfer& transfer, Findings& findings) {
  const TileTensor& tensor = facts.graph.tensors[transfer.tensor];
  const Copy* nearest = nullptr;
  if (facts.use_copy(transfer.tensor, facts.memories_of(transfer.sender), transfer.start, transfer.end,
                     2 * transfer.nodes_before, nearest)) {
    return;
  }
  const std::vector<int>& constants = facts.graph.layers[tensor.layer].constants;
  const bool constant = std::find(constants.begin(), constants.end(), tensor.operand) != constants.end();
  if (tensor.bits == 0 || (constant && transfer.sender == facts.offchip)) return;
  const std::string name = transfer_name(facts, transfer);
  if (!nearest) {
    findings.add("source missing", name + ": the sender never has it");
  } else if (above(nearest->ready, transfer.start)) {
    findings.add("source missing", fmt::format("{}: the sender has it from {} on", name, nearest->ready));
  } else {
    findings.add("source missing", fmt::format("{} lasts until {}: the sender drops it at {}", name,
                                               transfer.end, nearest->removed));
  }
}

/// The links, one after the other, lead from the sender to the receiver.
bool connects(const MultiCoreAccelerator& accelerator, const Transfer& transfer) {
  if (transfer.links == accelerator.route(transfer.sender, transfer.receiver)) return true;
  std::vector<char> reached(accelerator.cores.size(), 0);
  reached[transfer.sender] = 1;
  for (const int link : transfer.links) {
    std::vector<char> next(reached.size(), 0);
    for (const Connection& connection : accelerator.connections) {
      if (connection.link == link && reached[connection.from]) next[connection.to] = 1;
    }
    reached = std::move(next);
  }
  return reached[transfer.receiver] != 0;
}

void check_way(const Facts& facts, const Transfer& transfer, Findings& findings) {
  const MultiCoreAccelerator& accelerator = facts.accelerator;
  const double bits = static_cast<double>(facts.graph.tensors[transfer.tensor].bits);
  const std::vector<int>& tops = accelerator.cores_tops[transfer.receiver];
  if (std::find(tops.begin(), tops.end(), transfer.receiver_memory) == tops.end()) {
    findings.add("route",
                 fmt::format("{} goes to {}, which is not the receiver's", transfer_name(facts, transfer),
                             facts.memory_name(transfer.receiver_memory)));
  }
  if (!connects(accelerator, transfer)) {
    findings.add("route", fmt::format("{}: links {} do not lead there", transfer_name(facts, transfer),
                                      fmt::join(transfer.links, ", ")));
  }
  if (transfer.start < 0 || transfer.end < transfer.start) {
    findings.add("transfer rate",
                 fmt::format("{} ends at {}", transfer_name(facts, transfer), transfer.end));
  }
  for (const int link : transfer.links) {
    const double bandwidth = accelerator.links[link].bandwidth;
    const double duration = transfer.end - transfer.start;
    if (std::isinf(bandwidth) || !above(bits, duration * bandwidth)) continue;
    findings.add("transfer rate", fmt::format("{} takes {} cycles for {} bits, {} carries {} per cycle",
                                              transfer_name(facts, transfer), duration, bits,
                                              facts.link_name(link), bandwidth));
  }
}

using Passing = std::tuple<int, int, double>;  // link, tensor, start

/// A transfer may ride on another one of the same tensor at the same time, when that goes to somebody else;
/// what is fetched again has to travel again.
void check_shared(const Facts& facts, Findings& findings) {
  std::map<Passing, std::vector<const Transfer*>> carried;
  for (const Transfer& transfer : facts.schedule.transfers) {
    for (std::size_t i = 0; i < transfer.links.size(); ++i) {
      if (transfer.own[i])
        carried[{transfer.links[i], transfer.tensor, transfer.start}].push_back(&transfer);
    }
  }
  std::map<std::tuple<int, int, double>, const Transfer*> arrived;  // tensor, memory, start
  for (const Transfer& transfer : facts.schedule.transfers) {
    if (transfer.end <= transfer.start) continue;
    const bool again =
        !arrived.try_emplace({transfer.tensor, transfer.receiver_memory, transfer.start}, &transfer).second;
    for (std::size_t i = 0; i < transfer.links.size(); ++i) {
      const int link = transfer.links[i];
      if (transfer.own[i] || std::isinf(facts.accelerator.links[link].bandwidth)) continue;
      const auto found = carried.find({link, transfer.tensor, transfer.start});
      const auto serves = [&](const Transfer* other) {
        // A link that a route uses twice is occupied once.
        return other == &transfer || (!again && other->receiver_memory != transfer.receiver_memory &&
                                      !above(transfer.end, other->end));
      };
      if (found != carried.end() && std::any_of(found->second.begin(), found->second.end(), serves)) {
        continue;
      }
      findings.add(
          "shared transfer",
          fmt::format("{} does not occupy {}, and {}", transfer_name(facts, transfer),
                      facts.link_name(link),
                      found == carried.end() ? "nothing that passes there carries the tensor"
                                             : "what passes there went to the same memory before"));
      break;
    }
  }
}

}  // namespace

void check_transfers(Facts& facts, Findings& findings) {
  for (const Transfer& transfer : facts.schedule.transfers) {
    check_source(facts, transfer, findings);
    check_way(facts, transfer, findings);
  }
  check_shared(facts, findings);
}

}  // namespace zz::core::check
