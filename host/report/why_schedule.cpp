#include "host/report/why_schedule.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/cost/part_words.hpp"
#include "core/multicore/explain/schedule_labels.hpp"
#include "host/report/search_words.hpp"
#include "host/report/text_table.hpp"
#include "host/report/why_words.hpp"

namespace zz::host {
namespace {

using core::TimeUse;

const core::Layer& layer_of(const core::Schedule& schedule, int position) {
  const core::ComputationNode& node = schedule.graph->nodes[schedule.nodes[position].node];
  return *schedule.graph->layers[node.layer].layer;
}

int number_of(const core::Schedule& schedule, int position) {
  return schedule.graph->nodes[schedule.nodes[position].node].sub_id;
}

/// "conv, node 12"
std::string node_words(const core::Schedule& schedule, int position) {
  return fmt::format("{}, node {}", layer_of(schedule, position).name, number_of(schedule, position));
}

/// "W of conv, node 12": the data that move.
std::string tensor_words(const core::Schedule& schedule, int transfer) {
  const core::PieceTensor& tensor = schedule.graph->tensors[schedule.transfers[transfer].tensor];
  const core::Layer& layer = *schedule.graph->layers[tensor.layer].layer;
  return fmt::format("{} of {}, node {}", layer.operands[tensor.operand].name, layer.name,
                     schedule.graph->nodes[tensor.first_node].sub_id);
}

std::vector<int> nodes_of_layer(const core::Schedule& schedule, std::string_view name) {
  std::vector<int> nodes;
  for (int i = 0; i < static_cast<int>(schedule.nodes.size()); ++i)
    if (layer_of(schedule, i).name == name) nodes.push_back(i);
  return nodes;
}

[[noreturn]] void refuse_asked(const std::string& what, const std::string& suggestion) {
  throw core::InputError({core::Diagnostic{core::Severity::error, {}, what, suggestion}});
}

/// Finds what was asked for among layers, nodes, cores and links.
void find_asked(ScheduleWhy& why, const std::string& asked) {
  const core::Schedule& schedule = *why.schedule;
  why.name = asked;
  for (std::size_t i = 0; i < why.times.size(); ++i) {
    if (why.times[i].label != asked) continue;
    why.part = ScheduleWhy::Part::resource;
    why.resource = static_cast<int>(i);
    return;
  }
  why.nodes = nodes_of_layer(schedule, asked);
  if (!why.nodes.empty()) {
    why.part = ScheduleWhy::Part::layer;
    return;
  }
  if (const std::size_t slash = asked.rfind('/'); slash != std::string::npos) {
    const std::vector<int> nodes = nodes_of_layer(schedule, asked.substr(0, slash));
    const std::string_view number = std::string_view(asked).substr(slash + 1);
    int wanted = -1;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), wanted);
    const bool is_number = error == std::errc() && end == number.data() + number.size();
    for (const int node : nodes) {
      if (!is_number || number_of(schedule, node) != wanted) continue;
      why.part = ScheduleWhy::Part::node;
      why.nodes = {node};
      return;
    }
    if (!nodes.empty())
      refuse_asked(
          fmt::format("layer '{}' has no node '{}'", asked.substr(0, slash), number),
          fmt::format(
              "its nodes are 0 to {}",
              schedule.graph->layers[schedule.graph->nodes[schedule.nodes[nodes.front()].node].layer]
                      .node_count -
                  1));
  }
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const core::CutLayer& layer : schedule.graph->layers)
    if (seen.insert(layer.layer->name).second) names.push_back(layer.layer->name);
  std::vector<std::string> resources;
  for (const core::ResourceTime& time : why.times) resources.push_back(time.label);
  names.insert(names.end(), resources.begin(), resources.end());
  const std::vector<std::string> links = core::link_labels(*schedule.accelerator);
  if (std::find(links.begin(), links.end(), asked) != links.end())
    refuse_asked(fmt::format("link '{}' carries nothing in this schedule", asked),
                 fmt::format("those that do: {}", fmt::join(resources, ", ")));
  const std::string nearest = core::nearest_name(asked, names);
  refuse_asked(fmt::format("the schedule has no layer, node, core or link '{}'", asked),
               fmt::format("{}ask for a layer, for LAYER/NODE as in '{}/0', or for one of: {}",
                           nearest.empty() ? "" : fmt::format("did you mean '{}'? Or ", nearest),
                           names.front(), fmt::join(resources, ", ")));
}

bool is_wait(TimeUse use) { return use >= TimeUse::earlier_nodes && use != TimeUse::nothing_left; }

/// "waits for data on the way 12 %, waits for busy links 3 %", most first; "" where none has half a
/// percent.
template <class Wanted>
std::string uses_words(const core::UseCycles& cycles, double whole, const Wanted& wanted) {
  std::vector<std::pair<double, const char*>> found;
  for (int use = 0; use < core::time_use_count; ++use)
    if (wanted(static_cast<TimeUse>(use)) && percent(cycles[use], whole) >= 0.5)
      found.emplace_back(cycles[use], core::time_use_names[use]);
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [amount, name] : found)
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", name, percent(amount, whole));
  return text;
}

core::UseCycles sum_of(const ScheduleWhy& why) {
  core::UseCycles sum{};
  for (const int node : why.nodes)
    for (int use = 0; use < core::time_use_count; ++use) sum[use] += why.node_times[node][use];
  return sum;
}

double sum_of_uses(const core::UseCycles& cycles) {
  double sum = 0;
  for (const double one : cycles) sum += one;
  return sum;
}

// The critical chain.

/// Words for what runs or waits on a part of the chain.
std::string part_words(const core::Schedule& schedule, const core::ChainPart& part) {
  if (part.node >= 0) return node_words(schedule, part.node);
  return part.transfer >= 0 ? tensor_words(schedule, part.transfer) : "";
}

/// Parts that follow each other on one resource are a line.
struct ChainLine {
  std::string resource, what;
  double start = 0, end = 0;
  int parts = 1;
  std::string first, last;  ///< of what runs, the latest first
};

std::vector<ChainLine> chain_lines(const ScheduleWhy& why) {
  const core::Schedule& schedule = *why.schedule;
  std::vector<ChainLine> lines;
  for (const core::ChainPart& part : why.chain) {
    const bool runs = part.node >= 0 && !part.is_wait();
    const std::string what = runs ? "runs" : core::time_use_names[static_cast<int>(part.use)];
    const std::string words = part_words(schedule, part);
    if (!lines.empty() && lines.back().resource == part.resource && lines.back().what == what) {
      ChainLine& line = lines.back();
      line.start = part.start;
      if (line.last != words) ++line.parts;
      line.last = words;
      continue;
    }
    lines.push_back({part.resource, what, part.start, part.end, 1, words, words});
  }
  return lines;
}

constexpr std::size_t most_lines = 12;

std::string chain_text(const ScheduleWhy& why) {
  const double latency = why.schedule->latency;
  std::map<std::pair<std::string, std::string>, double> amounts;
  std::vector<std::pair<std::string, std::string>> order;
  for (const core::ChainPart& part : why.chain) {
    const std::pair key{part.resource, std::string(core::time_use_names[static_cast<int>(part.use)])};
    if (!amounts.contains(key)) order.push_back(key);
    amounts[key] += part.cycles();
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto& a, const auto& b) { return amounts[a] > amounts[b]; });
  std::string text = "The critical chain, whose parts add up to the latency:\n";
  TextTable sums({{"share", true}, {"cycles", true}, {"where"}, {"what"}});
  double others = 0;
  for (const auto& key : order) {
    if (percent(amounts[key], latency) < 1)
      others += amounts[key];
    else
      sums.add_row({fmt::format("{:.1f} %", percent(amounts[key], latency)), with_commas(amounts[key]),
                    key.first.empty() ? "-" : key.first, key.second});
  }
  if (others > 0)
    sums.add_row({fmt::format("{:.1f} %", percent(others, latency)), with_commas(others), "others",
                  "less than 1 % each"});
  text += sums.text() + "\nFrom the last node back:\n";
  TextTable table({{"from", true}, {"to", true}, {"where"}, {"what"}});
  const std::vector<ChainLine> lines = chain_lines(why);
  for (std::size_t i = 0; i < lines.size() && i < most_lines; ++i) {
    const ChainLine& line = lines[i];
    const std::string range =
        line.parts == 1 ? line.first : fmt::format("{} to {} ({})", line.first, line.last, line.parts);
    table.add_row({with_commas(line.start), with_commas(line.end),
                   line.resource.empty() ? "-" : line.resource,
                   range.empty() ? line.what : line.what + ": " + range});
  }
  text += table.text();
  if (lines.size() > most_lines)
    text += fmt::format("... and {} stretches more, down to cycle 0 (--format=json has them all)\n",
                        lines.size() - most_lines);
  return text;
}

// Cores, links and memories.

/// Links that are at work for less of the time, in per cent, are left out of the table.
constexpr double least_work = 1;

std::string times_text(const ScheduleWhy& why) {
  const double latency = why.schedule->latency;
  int left_out = 0;
  TextTable table({{"core or link"}, {"at work", true}, {"doing"}, {"waiting"}});
  for (const core::ResourceTime& time : why.times) {
    double work = 0;
    for (int use = 0; use < core::time_use_count; ++use)
      if (static_cast<TimeUse>(use) < TimeUse::earlier_nodes) work += time.cycles[use];
    if (time.link && percent(work, latency) < least_work) {
      ++left_out;
      continue;
    }
    const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
    table.add_row({time.label, fmt::format("{:.1f} %", percent(work, latency)),
                   or_dash(uses_words(time.cycles, latency,
                                      [](TimeUse use) { return use < TimeUse::earlier_nodes; })),
                   or_dash(uses_words(time.cycles, latency,
                                      [](TimeUse use) { return use >= TimeUse::earlier_nodes; }))});
  }
  if (left_out == 0) return table.text();
  return table.text() + fmt::format("({} {} at work for less than {:.0f} % of the time)\n", left_out,
                                    left_out == 1 ? "link is" : "links are", least_work);
}

struct MemoryUse {
  std::string label;
  double peak = 0, size = 0;  ///< bits
  int evicted = 0, written_back = 0;
};

std::vector<MemoryUse> memory_uses(const core::Schedule& schedule) {
  std::vector<MemoryUse> uses;
  for (const core::MemoryTrace& trace : schedule.memory) {
    if (trace.peak <= 0) continue;
    MemoryUse& use = uses.emplace_back();
    use.label = core::memory_label(*schedule.accelerator, trace.memory);
    use.peak = static_cast<double>(trace.peak);
    use.size = static_cast<double>(schedule.accelerator->top_memories[trace.memory].size);
    for (const core::Removal& removal : schedule.removals) {
      const bool pressed =
          removal.cause == core::RemovalCause::eviction || removal.cause == core::RemovalCause::clearing;
      if (removal.memory != trace.memory || !pressed) continue;
      ++use.evicted;
      use.written_back += removal.written_back ? 1 : 0;
    }
  }
  return uses;
}

std::string memories_text(const core::Schedule& schedule) {
  const std::vector<MemoryUse> uses = memory_uses(schedule);
  if (uses.empty()) return "";
  TextTable table({{"memory"},
                   {"at most full", true},
                   {"evicted to make room", true},
                   {"of these written off-chip", true}});
  for (const MemoryUse& use : uses)
    table.add_row({use.label, fmt::format("{:.3g} %", percent(use.peak, use.size)),
                   fmt::format("{}", use.evicted), fmt::format("{}", use.written_back)});
  return table.text();
}

std::string schedule_energy_text(const core::Schedule& schedule, bool all) {
  std::vector<int> terms(core::energy_term_count);
  for (int term = 0; term < core::energy_term_count; ++term) terms[term] = term;
  std::stable_sort(terms.begin(), terms.end(),
                   [&](int a, int b) { return schedule.energy_terms[a] > schedule.energy_terms[b]; });
  const auto share = [&](int term) { return percent(schedule.energy_terms[term], schedule.energy); };
  std::string text = "Energy: " + energy_words(schedule.energy);
  for (const int term : terms)
    if (share(term) >= 0.5)
      text += fmt::format("; {} {:.0f} %", core::energy_term_texts[term], share(term));
  text += "\n";
  if (!all) return text;
  TextTable table({{"energy", true}, {"share", true}, {"where"}});
  for (const int term : terms)
    table.add_row({energy_words(schedule.energy_terms[term]), fmt::format("{:.1f} %", share(term)),
                   core::energy_term_texts[term]});
  return text + table.text();
}

std::string schedule_helps_text(const ScheduleWhy& why, const core::ScheduleHelpOptions& options) {
  const double latency = why.schedule->latency;
  std::string not_known;
  for (const std::string& sentence : why.helps.not_known)
    not_known += fmt::format("Not known: {}.\n", sentence);
  if (!why.helps.repeatable) return not_known;
  std::string text = "What would help, scheduled anew with the same cuts:\n";
  if (const double saved = latency - why.helps.searched_again; saved > 0)
    text += fmt::format(
        "  searched again without a change, the cores and the order save {:.1f} % ({} cycles); the savings "
        "below count from there\n",
        percent(saved, latency), with_commas(saved));
  for (const core::ScheduleHelp& help : why.helps.found)
    text += fmt::format("  {} saves {:.1f} %: {} cycles\n", help.change, percent(help.saved, latency),
                        with_commas(help.latency));
  const std::string least = fmt::format("saves {:.3g} %", 100 * options.least);
  if (why.helps.found.empty())
    text +=
        fmt::format("  no single change {}; {} were tried: links and memories {} x as much, another core\n",
                    least, why.helps.tried, options.factor);
  else
    text += fmt::format("  nothing else {} ({} changes were tried)\n", least, why.helps.tried);
  const bool core_helps = std::any_of(why.helps.found.begin(), why.helps.found.end(),
                                      [](const core::ScheduleHelp& help) { return help.kind == "core"; });
  if (const std::string limit = core::schedule_limit(why.shares).resource;
      !core_helps && limit.starts_with("core"))
    text +=
        "  (another core saves nothing with these cuts; others may share the work out over more cores)\n";
  if (!why.helps.left_out.empty() && !core_helps)
    text += fmt::format("  (core_allocation leaves out {}, without work)\n",
                        core::cores_words(why.helps.left_out));
  return text + not_known;
}

std::string limits_words(const std::vector<core::ChainShare>& shares, double latency) {
  const core::ScheduleLimit limit = core::schedule_limit(shares);
  if (limit.resource.empty()) return "what limits it is not known";
  std::string text =
      fmt::format("Limited by {}{} ({:.0f} % of the critical chain)",
                  limit.resource == "cores" ? "the " : "", limit.resource, percent(limit.cycles, latency));
  for (const core::ChainShare& share : shares) {
    const bool told = share.resource == limit.resource || (share.core && limit.resource == "cores");
    if (told || share.resource.empty() || share.cycles <= limit.cycles / 2) continue;
    return text + fmt::format(", then {} ({:.0f} %)", share.resource, percent(share.cycles, latency));
  }
  return text;
}

std::string whole_text(const ResultRow& row, const ScheduleWhy& why, bool energy,
                       const core::ScheduleHelpOptions& options) {
  const core::Schedule& schedule = *why.schedule;
  const core::Evaluation& evaluation = *row.evaluation();
  std::string text = fmt::format(
      "{}: {} cycles, {} nodes of {} {}; with every unit of every core busy {} ({:.1f} %). {}.\n\n",
      row.layer, with_commas(schedule.latency), schedule.nodes.size(), schedule.graph->layers.size(),
      schedule.graph->layers.size() == 1 ? "layer" : "layers", with_commas(evaluation.ideal_cycle),
      percent(evaluation.ideal_cycle, schedule.latency), limits_words(why.shares, schedule.latency));
  return text + chain_text(why) + "\n" + times_text(why) + "\n" + memories_text(schedule) + "\n" +
         schedule_helps_text(why, options) + schedule_energy_text(schedule, energy);
}

std::string chain_share_words(const ScheduleWhy& why) {
  double cycles = 0, waits = 0;
  const std::set<int> mine(why.nodes.begin(), why.nodes.end());
  for (const core::ChainPart& part : why.chain) {
    if (part.node < 0 || !mine.contains(part.node)) continue;
    (part.is_wait() ? waits : cycles) += part.cycles();
  }
  if (cycles + waits <= 0) return "It is not on the critical chain: shorter, it saves nothing by itself.\n";
  std::string text = fmt::format("On the critical chain it runs for {} cycles, {:.1f} % of the latency",
                                 with_commas(cycles), percent(cycles, why.schedule->latency));
  if (waits > 0) text += fmt::format(", and waits for {} more", with_commas(waits));
  return text + ".\n";
}

/// "A node on core 0 by itself: limited by tcdm r_port_1 84 %."
std::string inside_words(const ScheduleWhy& why) {
  const core::Schedule& schedule = *why.schedule;
  if (!schedule.costs) return "";
  const core::ScheduledNode& node = schedule.nodes[why.nodes.front()];
  const core::CoreCost* const cost = schedule.costs->find(schedule.graph->nodes[node.node], node.core);
  if (cost == nullptr || cost->evaluation == nullptr || cost->evaluation->latency_parts.empty()) return "";
  return fmt::format("Node {} by itself, on {}: {} cycles, limited by {}.\n",
                     number_of(schedule, why.nodes.front()),
                     core::core_label(*schedule.accelerator, node.core), with_commas(cost->runtime),
                     core::limit_words(*cost->evaluation));
}

std::string layer_text(const ScheduleWhy& why) {
  const core::Schedule& schedule = *why.schedule;
  std::set<int> cores;
  double start = schedule.latency, end = 0;
  for (const int node : why.nodes) {
    cores.insert(schedule.nodes[node].core);
    start = std::min(start, schedule.nodes[node].start);
    end = std::max(end, schedule.nodes[node].end);
  }
  const core::UseCycles uses = sum_of(why);
  const double all = sum_of_uses(uses);
  std::string text = fmt::format("{}: {} nodes on {} {}, from cycle {} to {}.\n", why.name,
                                 why.nodes.size(), cores.size() == 1 ? "core" : "cores",
                                 fmt::join(cores, ", "), with_commas(start), with_commas(end));
  text += fmt::format("Cores spend {} cycles on it: {}.\n", with_commas(all),
                      uses_words(uses, all, [](TimeUse) { return true; }));
  return text + chain_share_words(why) + inside_words(why);
}

std::string node_text(const ScheduleWhy& why) {
  const core::Schedule& schedule = *why.schedule;
  const int position = why.nodes.front();
  const core::ScheduledNode& node = schedule.nodes[position];
  const core::UseCycles& uses = why.node_times[position];
  std::string text = fmt::format("{}: on {} from cycle {} to {}.\n", node_words(schedule, position),
                                 core::core_label(*schedule.accelerator, node.core),
                                 with_commas(node.start), with_commas(node.end));
  text += fmt::format(
      "It runs for {} cycles: {}.\n", with_commas(node.end - node.start),
      uses_words(uses, node.end - node.start, [](TimeUse use) { return use < TimeUse::earlier_nodes; }));
  double waits = 0;
  for (int use = 0; use < core::time_use_count; ++use)
    if (is_wait(static_cast<TimeUse>(use))) waits += uses[use];
  text += waits > 0 ? fmt::format("Before it, its core waits for {} cycles: {}.\n", with_commas(waits),
                                  uses_words(uses, waits, is_wait))
                    : "Its core does not wait before it.\n";
  return text + chain_share_words(why) + inside_words(why);
}

std::string resource_text(const ScheduleWhy& why) {
  const core::ResourceTime& time = why.times[why.resource];
  const double latency = why.schedule->latency;
  TextTable table({{"share", true}, {"cycles", true}, {time.label}});
  std::vector<int> uses(core::time_use_count);
  for (int use = 0; use < core::time_use_count; ++use) uses[use] = use;
  std::stable_sort(uses.begin(), uses.end(), [&](int a, int b) { return time.cycles[a] > time.cycles[b]; });
  for (const int use : uses)
    if (time.cycles[use] > 0)
      table.add_row({fmt::format("{:.1f} %", percent(time.cycles[use], latency)),
                     with_commas(time.cycles[use]), core::time_use_names[use]});
  double on_chain = 0;
  for (const core::ChainShare& share : why.shares)
    if (share.resource == time.label) on_chain += share.cycles;
  return table.text() + fmt::format("Of the critical chain it has {} cycles, {:.1f} %.\n",
                                    with_commas(on_chain), percent(on_chain, latency));
}

/// Each line by itself may go to a terminal.
std::string printable_lines(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    result += core::printable_line(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return result;
}

}  // namespace

std::shared_ptr<const ScheduleWhy> why_of_schedule(const ResultRow& row, const std::string& asked,
                                                   const core::ScheduleHelpOptions& options) {
  const core::Evaluation* const evaluation = row.evaluation();
  if (evaluation == nullptr || !evaluation->schedule || !evaluation->schedule->accelerator ||
      !evaluation->schedule->graph)
    return nullptr;
  auto why = std::make_shared<ScheduleWhy>();
  why->schedule = evaluation->schedule;
  why->times = core::resource_times(*why->schedule);
  why->node_times = core::node_uses(*why->schedule);
  why->chain = core::critical_chain(*why->schedule);
  why->shares = core::chain_shares(why->chain);
  if (!asked.empty() && (asked != row.layer || !nodes_of_layer(*why->schedule, asked).empty()))
    find_asked(*why, asked);
  if (why->part == ScheduleWhy::Part::all) why->helps = core::schedule_helps(*why->schedule, options);
  return why;
}

std::string schedule_text(const ResultRow& row, const ScheduleWhy& why, bool energy,
                          const core::ScheduleHelpOptions& options) {
  switch (why.part) {
    case ScheduleWhy::Part::layer:
      return printable_lines(layer_text(why));
    case ScheduleWhy::Part::node:
      return printable_lines(node_text(why));
    case ScheduleWhy::Part::resource:
      return printable_lines(resource_text(why));
    case ScheduleWhy::Part::all:
      break;
  }
  return printable_lines(whole_text(row, why, energy, options));
}

namespace {

using Json = nlohmann::ordered_json;

Json uses_json(const core::UseCycles& cycles) {
  Json json = Json::object();
  for (int use = 0; use < core::time_use_count; ++use)
    if (cycles[use] > 0) json[core::time_use_names[use]] = cycles[use];
  return json;
}

}  // namespace

Json schedule_json(const ScheduleWhy& why) {
  const core::Schedule& schedule = *why.schedule;
  Json json = Json::object();
  json["limits"] = Json::array();
  for (const core::ChainShare& share : why.shares)
    json["limits"].push_back(
        {{"limiter", share.resource.empty() ? Json() : Json(share.resource)}, {"cycles", share.cycles}});
  json["times"] = Json::array();
  for (const core::ResourceTime& time : why.times)
    if (why.resource < 0 || &time == &why.times[why.resource])
      json["times"].push_back(
          {{"resource", time.label}, {"link", time.link}, {"cycles", uses_json(time.cycles)}});
  json["memories"] = Json::array();
  for (const MemoryUse& use : memory_uses(schedule))
    json["memories"].push_back({{"memory", use.label},
                                {"size", use.size},
                                {"peak", use.peak},
                                {"evicted", use.evicted},
                                {"written_back", use.written_back}});
  if (!why.nodes.empty()) {
    json["nodes"] = Json::array();
    for (const int node : why.nodes)
      json["nodes"].push_back({{"layer", layer_of(schedule, node).name},
                               {"node", number_of(schedule, node)},
                               {"core", schedule.nodes[node].core},
                               {"start", schedule.nodes[node].start},
                               {"end", schedule.nodes[node].end},
                               {"cycles", uses_json(why.node_times[node])}});
  }
  json["chain"] = Json::array();
  for (const core::ChainPart& part : why.chain) {
    Json one{{"start", part.start},
             {"end", part.end},
             {"resource", part.resource.empty() ? Json() : Json(part.resource)},
             {"use", core::time_use_names[static_cast<int>(part.use)]}};
    if (part.node >= 0) {
      one["layer"] = layer_of(schedule, part.node).name;
      one["node"] = number_of(schedule, part.node);
    }
    if (part.transfer >= 0) one["tensor"] = tensor_words(schedule, part.transfer);
    json["chain"].push_back(std::move(one));
  }
  json["energy_terms"] = Json::object();
  for (int term = 0; term < core::energy_term_count; ++term)
    json["energy_terms"][core::energy_term_names[term]] = schedule.energy_terms[term];
  json["helps"] = Json();
  if (why.helps.repeatable) {
    json["helps"] = Json::array();
    json["searched_again"] = why.helps.searched_again;
    for (const core::ScheduleHelp& help : why.helps.found)
      json["helps"].push_back(
          {{"kind", help.kind}, {"change", help.change}, {"latency", help.latency}, {"saved", help.saved}});
  }
  json["not_known"] = why.helps.not_known;
  return json;
}

std::vector<std::vector<std::string>> schedule_csv_rows(const ScheduleWhy& why, bool energy) {
  const core::Schedule& schedule = *why.schedule;
  std::vector<std::vector<std::string>> rows;
  const auto number = [](double value) { return fmt::format("{}", value); };
  if (energy) {
    for (int term = 0; term < core::energy_term_count; ++term)
      rows.push_back({"energy", "", core::energy_term_names[term], "", "", "", "",
                      number(schedule.energy_terms[term]), "pJ"});
    return rows;
  }
  for (const core::ResourceTime& time : why.times)
    for (int use = 0; use < core::time_use_count; ++use)
      if (time.cycles[use] > 0 && (why.resource < 0 || &time == &why.times[why.resource]))
        rows.push_back({"time", time.label, core::time_use_names[use], "", "", "", "",
                        number(time.cycles[use]), "cycles"});
  for (const core::ChainPart& part : why.chain)
    rows.push_back({"chain", part.resource, core::time_use_names[static_cast<int>(part.use)],
                    part.node >= 0 ? layer_of(schedule, part.node).name : "",
                    part.node >= 0 ? fmt::format("{}", number_of(schedule, part.node)) : "",
                    number(part.start), number(part.end), number(part.cycles()), "cycles"});
  for (const MemoryUse& use : memory_uses(schedule))
    rows.push_back({"memory", use.label, "peak", "", "", "", "", number(use.peak), "bit"});
  for (const core::ScheduleHelp& help : why.helps.found)
    rows.push_back({"help", help.change, "saved", "", "", "", "", number(help.saved), "cycles"});
  return rows;
}

}  // namespace zz::host
