#include "host/report/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/hardware/further_keys.hpp"
#include "core/workload/layer.hpp"
#include "host/report/text_table.hpp"

namespace zz::host {
namespace {

const std::vector<LedgerSet>& ledger_sets() {
  static const std::vector<LedgerSet> sets = {
#define ZZ_LEDGER_SET(name, figure, array, kept, least_units, most_units, bits, memories, keys, points,    \
                      mean_error, median_error, ratio)                                                     \
  {name,         figure, {array, kept, least_units, most_units, bits, memories, keys}, points, mean_error, \
   median_error, ratio},
#include "host/report/ledger_sets.def"
#undef ZZ_LEDGER_SET
  };
  return sets;
}

/// Number of doublings between two numbers; none where one of them is not known.
double doublings(double from, double to) { return from > 0 && to > 0 ? std::abs(std::log2(to / from)) : 0; }

std::set<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::set<std::string> words;
  for (std::string word; stream >> word;) words.insert(word);
  return words;
}

/// Where a machine is apart from those of a set: by how much, and in words.
struct Apart {
  double distance = 0;
  std::vector<std::string> words;

  void add(double by, const std::string& in_words) {
    distance += by;
    if (by > 0) words.push_back(in_words);
  }
};

Apart apart(const MachineKind& ours, const MachineKind& theirs) {
  Apart found;
  const std::int64_t units = std::clamp(ours.most_units, theirs.least_units, theirs.most_units);
  found.add(doublings(static_cast<double>(ours.most_units), static_cast<double>(units)),
            fmt::format("{} units for {}", units, ours.most_units));
  found.add(doublings(static_cast<double>(ours.bits), static_cast<double>(theirs.bits)),
            fmt::format("{} bits for {}", theirs.bits, ours.bits));
  found.add(std::abs(static_cast<double>(ours.memories - theirs.memories)),
            fmt::format("{} memories of an operand for {}", theirs.memories, ours.memories));
  const std::set<std::string> our_kept = words_of(ours.kept), their_kept = words_of(theirs.kept);
  std::vector<std::string> other;
  std::set_symmetric_difference(our_kept.begin(), our_kept.end(), their_kept.begin(), their_kept.end(),
                                std::back_inserter(other));
  found.add(static_cast<double>(other.size()),
            their_kept.empty() ? "no operand at every unit"
                               : fmt::format("{} at every unit", fmt::join(their_kept, ", ")));
  const std::set<std::string> their_keys = words_of(theirs.keys);
  found.add(words_of(ours.keys) == their_keys ? 0 : 1,
            their_keys.empty() ? "a file without keys of what takes time"
                               : fmt::format("{} in the file", fmt::join(their_keys, ", ")));
  return found;
}

}  // namespace

MachineKind machine_of(const core::Evaluation& evaluation) {
  MachineKind machine;
  if (evaluation.schedule != nullptr) {
    machine.array = "several cores";
    return machine;
  }
  const core::Accelerator& accelerator = *evaluation.accelerator;
  machine.array = accelerator.array.imc ? "in memory" : "multipliers";
  machine.least_units = machine.most_units = accelerator.array.unit_count();
  std::set<std::string> kept;
  for (const core::Memory& memory : accelerator.memories)
    if (memory.served_dimensions.empty()) kept.insert(memory.operands.begin(), memory.operands.end());
  machine.kept = fmt::format("{}", fmt::join(kept, " "));
  for (const char* operand : {"I1", "I2", "O"}) {
    const auto holds = [&](const core::Memory& memory) { return memory.holds(operand); };
    machine.memories = std::max<std::int64_t>(
        machine.memories, std::count_if(accelerator.memories.begin(), accelerator.memories.end(), holds));
  }
  machine.keys = fmt::format("{}", fmt::join(core::further_keys(accelerator), " "));
  if (evaluation.layer != nullptr)
    for (const core::LayerOperand& operand : evaluation.layer->operands)
      if (operand.name == "W") machine.bits = operand.precision;
  return machine;
}

std::vector<NearSet> nearest_sets(const MachineKind& machine, std::size_t most) {
  std::vector<std::pair<double, NearSet>> found;
  for (const LedgerSet& set : ledger_sets()) {
    if (set.machine.array != machine.array) continue;
    const Apart difference = machine.array == "several cores" ? Apart{} : apart(machine, set.machine);
    found.push_back({difference.distance, {set, fmt::format("{}", fmt::join(difference.words, ", "))}});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  std::vector<NearSet> near;
  for (auto& [distance, set] : found)
    if (near.size() < most) near.push_back(std::move(set));
  return near;
}

std::string accuracy_text(const std::vector<NearSet>& near) {
  if (near.empty())
    return "accuracy: nothing published of an array like this one is in the ledger (docs/accuracy.md)\n";
  TextTable table({{"nearest in the ledger", false},
                   {"figure", false},
                   {"points", true},
                   {"mean error", true},
                   {"median error", true},
                   {"zz / published", true},
                   {"there it is", false}});
  for (const auto& [set, differs] : near)
    table.add_row(
        {set.name, set.figure, std::to_string(set.points), fmt::format("{:.1f} %", 100 * set.mean_error),
         fmt::format("{:.1f} %", 100 * set.median_error), fmt::format("{:.2f}", set.ratio), differs});
  return "accuracy: of zz on what was published of these machines; of this one nothing is known "
         "(docs/accuracy.md)\n" +
         table.text();
}

nlohmann::ordered_json accuracy_json(const std::vector<NearSet>& near) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& [set, differs] : near)
    rows.push_back({{"set", set.name},
                    {"figure", set.figure},
                    {"points", set.points},
                    {"mean_error", set.mean_error},
                    {"median_error", set.median_error},
                    {"ratio", set.ratio},
                    {"differs", differs}});
  return rows;
}

}  // namespace zz::host
