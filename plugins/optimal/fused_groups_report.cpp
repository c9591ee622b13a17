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

using Place = core::FusedOperand::Place;

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

double capacity_of(const core::FusedNetwork& network, const core::FusedMapping& mapping, int layer) {
  const core::UnrolledLayer& own = network.layers[at(layer)];
  return static_cast<double>(own.problem.accelerator->memories[at(own.memory(mapping.home))].size);
}

/// "second: 98.3 % of buffer"
std::string fullest_text(const core::FusedNetwork& network, const core::FusedMapping& mapping,
                         const std::vector<core::PhaseRoom>& phases, const core::FusedGroup& group) {
  const auto begin = phases.begin() + group.first, end = phases.begin() + group.last + 1;
  const auto fullest = std::max_element(
      begin, end, [](const core::PhaseRoom& a, const core::PhaseRoom& b) { return a.bits < b.bits; });
  const int layer = static_cast<int>(fullest - phases.begin());
  return fmt::format("{}: {:.1f} % of {}", name_of(network, layer),
                     100 * fullest->bits / capacity_of(network, mapping, layer),
                     core::home_name(network, mapping));
}

}  // namespace

void report_groups(const Stage& stage, const core::FusedNetwork& network,
                   const core::FusedMapping& mapping) {
  const std::vector<core::RepeatedGroup> found = core::distinct_groups(network, mapping);
  if (found.empty()) return;
  const std::vector<core::PhaseRoom> phases = core::phase_rooms(network, mapping);
  // Groups that a file gives come without the mappings of the layers by themselves.
  const bool own_mappings_known = network.layers[at(found.front().group.first)].mapping.loops > 0;
  std::vector<Value> rows;
  for (const core::RepeatedGroup& row : found) {
    const core::FusedGroup& group = row.group;
    std::vector<core::SharedLoop> longest;
    std::vector<std::string> exchanged, kept;
    for (int layer = group.first; layer <= group.last; ++layer) {
      const core::FusedLayer& member = mapping.layers[at(layer)];
      if (member.shared.size() > longest.size()) longest = member.shared;
      if (member.operands[0].place == Place::exchanged) exchanged.push_back(name_of(network, layer));
      for (std::size_t operand = 0; operand < network.layers[at(layer)].layer->operands.size(); ++operand)
        if (member.operands[operand].place == Place::kept)
          kept.push_back(operand_name(network, layer, static_cast<int>(operand)));
    }
    rows.push_back(make(
        nullptr,
        list({times_text(name_of(network, group.first) + " to " + name_of(network, group.last), row.times),
              shared_text(network, longest), names_text(exchanged), names_text(kept),
              fullest_text(network, mapping, phases, group), row.unfused, row.fused,
              own_mappings_known ? savings_text(network, mapping, group) : std::string()})));
  }
  const Value columns =
      make(nullptr, list({"layers", "shared loops", "results that stay on chip", "operands that are kept",
                          "fullest phase", "unfused (pJ)", "fused (pJ)", "saved by tensor (pJ)"}));
  stage.report("fused groups", columns.look(), make_list(rows).look());
}

void report_tensors_left(const Stage& stage, const core::FusedNetwork& network,
                         const core::FusedMapping& mapping, int home) {
  struct Row {
    core::LeftTensor left;
    int times = 1;
  };
  std::vector<Row> found;
  for (const core::LeftTensor& left : core::tensors_left(network, mapping, home)) {
    const auto same = std::find_if(found.begin(), found.end(), [&](const Row& known) {
      return left.obstacle.empty() && known.left.obstacle.empty() && known.left.needed == left.needed &&
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
  core::FusedMapping with_home = mapping;
  if (with_home.home < 0) with_home.home = home;
  for (const auto& [left, times] : found) {
    const core::NetworkTensor& tensor = network.tensors[at(left.tensor)];
    const std::string name = times_text(name_of(network, tensor.producer), times);
    if (!left.obstacle.empty()) {
      rows.push_back(make(nullptr, list({name, "no room: " + left.obstacle, "", "", ""})));
      continue;
    }
    const double missing = left.needed - capacity_of(network, with_home, left.fullest);
    rows.push_back(make(nullptr, list({name, left.needed, std::max(0.0, missing),
                                       name_of(network, left.fullest), left.saved})));
  }
  const Value columns = make(nullptr, list({"result that goes off chip", "room that would keep it (bits)",
                                            "more than there is (bits)", "while", "would save (pJ)"}));
  stage.report("results that go off chip", columns.look(), make_list(rows).look());
}

}  // namespace zz::plugins
