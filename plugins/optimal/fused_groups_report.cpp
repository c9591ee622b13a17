#include "plugins/optimal/fused_groups_report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <vector>

#include "core/search/fused/fused_check.hpp"
#include "core/search/fused/group_savings.hpp"
#include "core/search/fused/tensors_left.hpp"

namespace zz::plugins {
namespace {

using Role = core::FusedOperand::Role;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

const std::string& name_of(const core::FusedNetwork& network, int layer) {
  return network.layers[at(layer)].layer->name;
}

std::string operand_name(const core::FusedNetwork& network, int layer, int operand) {
  return fmt::format("{}.{}", name_of(network, layer),
                     network.layers[at(layer)].layer->operands[at(operand)].name);
}

/// "first.D / 4, first.K / 2"
std::string shared_text(const core::FusedNetwork& network, const std::vector<core::SharedLoop>& loops) {
  std::vector<std::string> texts;
  for (const core::SharedLoop& loop : loops)
    texts.push_back(fmt::format("{} / {}", network.axis_names[at(loop.axis)], loop.iterations));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// "first 1.2e+04, second.W -30": what each tensor saves, in pJ, the largest first.
std::string savings_text(const core::FusedNetwork& network, const core::FusedMapping& mapping,
                         const core::FusedGroup& group) {
  constexpr std::size_t most = 5;
  std::vector<std::string> texts;
  double others = 0;
  for (const auto& [tensor, saved] : core::savings_of(network, mapping, group)) {
    if (texts.size() < most)
      texts.push_back(fmt::format("{} {:.4g}", tensor, saved));
    else
      others += saved;
  }
  if (others != 0) texts.push_back(fmt::format("others {:.4g}", others));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// "query, scores and 3 more"
std::string names_text(const std::vector<std::string>& names) {
  constexpr std::size_t most = 16;
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
  const auto shown = names.begin() + static_cast<std::ptrdiff_t>(most);
  return fmt::format("{} and {} more", fmt::join(names.begin(), shown, ", "), names.size() - most);
}

std::string times_text(const std::string& name, int times) {
  return times > 1 ? fmt::format("{} (x {})", name, times) : name;
}

double capacity_of(const core::FusedNetwork& network, int exchange_memory) {
  return static_cast<double>(core::array_of(network)->memories[at(exchange_memory)].size);
}

/// "second: 98.3 % of buffer"
std::string fullest_text(const core::FusedNetwork& network, int exchange_memory,
                         const std::vector<core::PhaseRoom>& phases, const core::FusedGroup& group) {
  const auto begin = phases.begin() + group.first, end = phases.begin() + group.last + 1;
  const auto fullest = std::max_element(
      begin, end, [](const core::PhaseRoom& a, const core::PhaseRoom& b) { return a.bits < b.bits; });
  return fmt::format("{}: {:.1f} % of {}", name_of(network, static_cast<int>(fullest - phases.begin())),
                     100 * fullest->bits / capacity_of(network, exchange_memory),
                     core::exchange_memory_name(network, exchange_memory));
}

/// Operands of a group that are exchanged, or kept.
std::string in_exchange_memory(const core::FusedNetwork& network, const core::FusedMapping& mapping,
                               const core::FusedGroup& group, Role role) {
  std::vector<std::string> names;
  for (int layer = group.first; layer <= group.last; ++layer) {
    const std::size_t operands =
        role == Role::exchanged ? 1 : network.layers[at(layer)].layer->operands.size();
    for (std::size_t operand = 0; operand < operands; ++operand)
      if (mapping.layers[at(layer)].operands[operand].role == role)
        names.push_back(role == Role::exchanged ? name_of(network, layer)
                                                : operand_name(network, layer, static_cast<int>(operand)));
  }
  return names_text(names);
}

/// "43 %"; "" of what costs nothing by itself.
std::string saved_text(double before, double after) {
  return before > 0 ? fmt::format("{:.3g} %", 100 * (1 - after / before)) : "";
}

}  // namespace

void report_groups(const Stage& stage, const core::FusedNetwork& network,
                   const core::FusedMapping& mapping) {
  const std::vector<core::RepeatedGroup> found = core::distinct_groups(network, mapping);
  if (found.empty()) return;
  const int exchange_memory = core::exchange_memory_of(mapping);
  std::vector<core::PhaseRoom> rooms;
  if (exchange_memory >= 0) rooms = core::phase_rooms(network, mapping, exchange_memory);
  // Groups that a file gives come without the mappings of the layers by themselves.
  const bool own_mappings_known =
      network.layers[at(found.front().group.first)].by_itself->mapping.loops > 0;
  std::vector<Value> rows;
  for (const core::RepeatedGroup& row : found) {
    const core::FusedGroup& group = row.group;
    std::vector<core::SharedLoop> longest;
    for (int layer = group.first; layer <= group.last; ++layer) {
      const core::FusedLayer& member = mapping.layers[at(layer)];
      if (member.shared.size() > longest.size()) longest = member.shared;
    }
    rows.push_back(make(
        nullptr,
        list({times_text(name_of(network, group.first) + " to " + name_of(network, group.last), row.times),
              shared_text(network, longest), in_exchange_memory(network, mapping, group, Role::exchanged),
              in_exchange_memory(network, mapping, group, Role::kept),
              exchange_memory < 0 ? std::string() : fullest_text(network, exchange_memory, rooms, group),
              row.unfused, row.fused, saved_text(row.unfused, row.fused),
              own_mappings_known ? row.unfused_latency : 0.0, row.fused_latency,
              own_mappings_known ? savings_text(network, mapping, group) : std::string()})));
  }
  const Value columns =
      make(nullptr, list({"layers", "shared loops", "results that stay on chip", "operands that are kept",
                          "fullest phase", "unfused (pJ)", "fused (pJ)", "saved", "unfused (cycles)",
                          "fused (cycles)", "saved by tensor (pJ)"}));
  stage.report("fused groups", columns.look(), make_list(rows).look());
}

void report_tensors_left(const Stage& stage, const core::FusedNetwork& network,
                         const core::FusedMapping& mapping, const std::vector<int>& exchange_memories) {
  struct Row {
    core::LeftTensor left;
    int times = 1;
  };
  std::vector<Row> found;
  for (const core::LeftTensor& left : core::tensors_left(network, mapping, exchange_memories)) {
    const auto same = std::find_if(found.begin(), found.end(), [&](const Row& known) {
      return left.obstacle.empty() && known.left.obstacle.empty() &&
             known.left.exchange_memory == left.exchange_memory && known.left.needed == left.needed &&
             known.left.saved == left.saved;
    });
    if (same != found.end())
      ++same->times;
    else
      found.push_back({left});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Row& a, const Row& b) { return a.left.saved > b.left.saved; });
  std::vector<Value> rows;
  for (const auto& [left, times] : found) {
    const core::NetworkTensor& tensor = network.tensors[at(left.tensor)];
    const std::string name = times_text(name_of(network, tensor.producer), times);
    if (!left.obstacle.empty()) {
      rows.push_back(make(nullptr, list({name, "no room: " + left.obstacle, "", "", ""})));
      continue;
    }
    const std::string& layer = name_of(network, left.fullest);
    const std::string phase =
        exchange_memories.size() > 1
            ? fmt::format("{}, in {}", layer, core::exchange_memory_name(network, left.exchange_memory))
            : layer;
    rows.push_back(make(nullptr, list({name, left.needed, left.missing, phase, left.saved})));
  }
  const Value columns = make(nullptr, list({"result that goes off chip", "room that would keep it (bits)",
                                            "more than there is (bits)", "while", "would save (pJ)"}));
  stage.report("results that go off chip", columns.look(), make_list(rows).look());
}

}  // namespace zz::plugins
