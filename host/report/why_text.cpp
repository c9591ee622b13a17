#include "host/report/why_text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/text.hpp"
#include "core/cost/part_words.hpp"
#include "host/report/fused_words.hpp"
#include "host/report/run_summary.hpp"
#include "host/report/search_words.hpp"
#include "host/report/text_table.hpp"
#include "host/report/why_mapping.hpp"
#include "host/report/why_words.hpp"

namespace zz::host {
namespace {

std::string percentage_of(double part, double whole) {
  const double share = percent(part, whole);
  return share < 10 ? fmt::format("{:.1f} %", share) : fmt::format("{:.0f} %", share);
}

std::string times_words(std::int64_t factor) {
  return factor == 2 ? "twice" : fmt::format("{} times", factor);
}

/// "twice as wide".
std::string growth(const core::MachinePart& part, std::int64_t factor) {
  const std::string times = times_words(factor);
  switch (part.kind) {
    case core::MachinePart::Kind::port:
      return times + " as wide";
    case core::MachinePart::Kind::own_port:
      return "a port of its own for written sums";
    case core::MachinePart::Kind::memory:
      return times + " as large";
    case core::MachinePart::Kind::array:
      return times + " as long";
    case core::MachinePart::Kind::kept:
      return "kept in " + part.port;
    case core::MachinePart::Kind::precision:
      return "of half as many bits";
  }
  return times;
}

std::string name_and_growth(const core::Saving& saving, std::int64_t factor) {
  std::string words;
  for (const core::MachinePart& part : saving.parts) {
    const bool of_port = part.kind == core::MachinePart::Kind::port;
    const bool own = part.kind == core::MachinePart::Kind::own_port;
    words += fmt::format("{}{}{} {}", words.empty() ? "" : " and ",
                         of_port ? core::name_of(part) : part.name, own ? ":" : "", growth(part, factor));
  }
  return words;
}

std::string headline(const Why& why) {
  const core::Evaluation& evaluation = *why.evaluation;
  std::string text = fmt::format("{}: {} cycles", core::printable_line(why.row.layer),
                                 with_commas(evaluation.latency_total2));
  if (evaluation.ideal_cycle > 0)
    text += fmt::format("; with every unit busy {} ({:.1f} %)", with_commas(evaluation.ideal_cycle),
                        percent(evaluation.ideal_cycle, evaluation.latency_total2));
  return text + ".\n";
}

/// A note that savings are against the best mapping on the machine, which need not be the one of the run.
std::string best_mapping_line(const MachineAnswer& answer, const WhyQuestion& question) {
  if (answer.kept - answer.now < question.least * answer.kept) return "";
  return fmt::format("Another mapping takes {} cycles ({} less). Savings are against that one.\n",
                     with_commas(answer.now), percentage_of(answer.kept - answer.now, answer.kept));
}

/// "hbm rw_port_1 limits: twice as wide saves 48 %. Nothing else saves 1 %."
std::string verdict(const MachineAnswer& answer, const WhyQuestion& question) {
  const std::string least = fmt::format("{:.3g} %", 100 * question.least);
  const bool all = question.changes.empty();
  const char* const saves = answer.open > 0 ? "was found to save" : "saves";
  if (answer.savings.empty())
    return all ? fmt::format("No change of one part {} {}, nor of two that matter most together.\n", saves,
                             least)
               : fmt::format("None of these changes {} {}.\n", saves, least);
  const core::Saving& first = answer.savings.front();
  std::string text;
  if (first.parts.size() > 1) {
    text = fmt::format("No single change saves 2 %. {} together save {}.",
                       name_and_growth(first, question.factor), percentage_of(first.saved, answer.now));
    return text + "\n";
  }
  const core::MachinePart& part = first.parts.front();
  const bool array = part.kind == core::MachinePart::Kind::array;
  text = fmt::format("{}: {}{} saves {}.", array ? "The units limit" : core::name_of(part) + " limits",
                     array ? part.name + " " : "", growth(part, question.factor),
                     percentage_of(first.saved, answer.now));
  if (answer.savings.size() > 1)
    text += fmt::format(" Next: {}, {}.", name_and_growth(answer.savings[1], question.factor),
                        percentage_of(answer.savings[1].saved, answer.now));
  else if (all)
    text += fmt::format(" Nothing else {} {}.", saves, least);
  return text + "\n";
}

/// "Only 64 of 128 of D1 are used (K 64)."
std::string idle_lines(const core::MachineLimit& limit) {
  constexpr double nearly_all = 0.95, much = 0.5;
  if (!limit.known() || limit.units_used >= nearly_all) return "";
  const auto units = std::find_if(limit.floors.begin(), limit.floors.end(),
                                  [](const auto& floor) { return floor.limiter == "units"; });
  if (units == limit.floors.end() || units->cycles < much * limit.latency) return "";
  std::string idle, sizes;
  for (const core::MachineLimit::DimensionUse& used : limit.used) {
    sizes += fmt::format("{}{}", sizes.empty() ? "" : " x ", used.units);
    if (used.units >= static_cast<double>(used.size)) continue;
    idle += fmt::format("{}{} of {} of {}{}", idle.empty() ? "" : ", ", used.units, used.size,
                        used.array_dimension, used.loops.empty() ? "" : " (" + used.loops + ")");
  }
  if (idle.empty())
    return fmt::format(
        "The best unrolling keeps {:.0f} % of the units at work: its last rounds are not full.\n",
        100 * limit.units_used);
  std::string text = fmt::format(
      "Only {} are used, {:.0f} % of the units: an array of {} {}; two layers at once", idle,
      100 * limit.units_used, sizes, limit.of_mapping ? "loses nothing" : "takes as many steps");
  if (!limit.left_in_time.empty()) text += fmt::format(" or another dimension ({})", limit.left_in_time);
  return text + " could fill it.\n";
}

/// "Loading the first tiles takes 31 %, storing the last results 12 %."
std::string loading_line(const core::Evaluation& evaluation) {
  constexpr double much = 0.1;
  double first = 0, last = 0;
  for (const core::LatencyPart& part : evaluation.latency_parts) {
    if (part.cause == "onloading") first += part.cycles;
    if (part.cause == "offloading" || part.cause == "wait" || part.cause == "drain") last += part.cycles;
  }
  const double latency = evaluation.latency_total2;
  std::string text;
  if (first >= much * latency) text = "loading the first tiles takes " + percentage_of(first, latency);
  if (last >= much * latency)
    text += (text.empty() ? "storing the last results takes " : ", storing the last results ") +
            percentage_of(last, latency);
  if (text.empty()) return "";
  text.front() = 'L';
  return (first >= much * latency ? text : "S" + text.substr(1)) + ".\n";
}

std::string floors_table(const core::MachineLimit& limit) {
  constexpr double least = 0.05;
  constexpr std::size_t most = 4;
  if (!limit.known()) return "";
  TextTable table({{"What it takes at least"}, {"cycles", true}, {"share", true}, {"for"}});
  for (std::size_t i = 0; i < limit.floors.size() && i < most; ++i) {
    if (limit.share(i) < least) break;
    const core::MachineLimit::Floor& floor = limit.floors[i];
    table.add_row({core::limiter_words(floor.limiter), with_commas(floor.cycles),
                   fmt::format("{:.1f} %", 100 * limit.share(i)),
                   floor.limiter == "units" ? "steps of the best unrolling"
                   : floor.of_unrolling     ? "data that must pass under this unrolling"
                                            : "data that must pass"});
  }
  return table.text();
}

std::string savings_table(const MachineAnswer& answer, bool energy) {
  if (answer.savings.empty()) return "";
  TextTable table({{energy ? "What lowers the energy" : "What a change saves"},
                   {energy ? "energy" : "cycles", true},
                   {"saves", true},
                   {"mapping"}});
  for (const core::Saving& saving : answer.savings) {
    std::string mapping = mapping_words(saving);
    if (energy && saving.parts.front().kind == core::MachinePart::Kind::memory)
      mapping += ", cost of an access kept";
    table.add_row({saving.change, energy ? energy_words(saving.value) : with_commas(saving.value),
                   fmt::format("{:.1f} %", percent(saving.saved, answer.now)), mapping});
  }
  return table.text() + (answer.among.empty() ? "" : fmt::format("(anew: among {})\n", answer.among));
}

std::string not_known_lines(const MachineAnswer& answer) {
  std::string text;
  for (const std::string& sentence : answer.not_known)
    text += core::printable_line(fmt::format(
                "{}: {}.", answer.known > 0 ? "Not known" : "What limits it is not known", sentence)) +
            "\n";
  return text;
}

std::string energy_text(const Why& why, const WhyQuestion& question) {
  std::string text = energy_line(why.row);
  if (!question.energy) return text;
  if (!why.evaluation->energy_parts.empty()) text += energy_table(*why.evaluation);
  if (why.energy.known == 0) return text;
  if (why.energy.savings.empty())
    return text + fmt::format("No change of a memory, of what stays in it, or of bits {} it by {:.3g} %.\n",
                              why.energy.open > 0 ? "was found to lower" : "lowers", 100 * question.least);
  return text + savings_table(why.energy, true) + not_known_lines(why.energy);
}

std::string in_full(const Why& why, const WhyQuestion& question) {
  if (why.schedule)
    return schedule_text(why.row, *why.schedule, question.energy,
                         {.factor = question.factor, .least = question.least});
  if (question.mapping) return mapping_in_full(why, question);
  std::string text = headline(why);
  if (why.latency.known > 0)
    text += best_mapping_line(why.latency, question) + verdict(why.latency, question) +
            idle_lines(why.row.limits);
  constexpr double nearly_all = 0.8;  // what no mapping can avoid explains the rest
  if (!why.evaluation->is_sum() && !(why.row.limited_share >= nearly_all))
    text += loading_line(*why.evaluation);
  text += floors_table(why.row.limits);
  if (why.latency.known > 0) text += savings_table(why.latency, false);
  return text + not_known_lines(why.latency) + energy_text(why, question);
}

std::string saves_most(const Why& layer, const WhyQuestion& question) {
  if (question.mapping) return what_helps_most(layer);
  if (layer.latency.known == 0) return "not known";
  if (layer.latency.savings.empty()) return "-";
  const core::Saving& saving = layer.latency.savings.front();
  return fmt::format("{:.1f} %: {}", percent(saving.saved, layer.latency.now), saving.change);
}

std::string layers_table(const WhyOfResult& why, const WhyQuestion& question) {
  TextTable table({{"layer"}, {"cycles", true}, {"share", true}, {"limited by"}, {"what saves most"}});
  const double whole = why.total->row.latency;
  for (const Why& layer : why.layers)
    table.add_row({layer.row.layer, with_commas(layer.row.latency),
                   fmt::format("{:.1f} %", percent(layer.row.latency, whole)),
                   question.mapping ? core::limit_words(*layer.evaluation) : layer.row.limit,
                   saves_most(layer, question)});
  return table.text();
}

}  // namespace

namespace {

std::string fused_text(const WhyOfResult& why) {
  const std::string text = fused_groups_text(why.rows());
  return text.empty() ? "" : text + "\n";
}

}  // namespace

std::string why_text(const WhyOfResult& why, const WhyQuestion& question) {
  std::string text = settings_line(why.settings);
  // A sum has no schedule of its own.
  const bool schedules = std::any_of(why.layers.begin(), why.layers.end(),
                                     [](const Why& layer) { return layer.schedule != nullptr; });
  if (why.total && why.layers.size() > 1 && !schedules)
    return text + layers_table(why, question) + "\n" + fused_text(why) + in_full(*why.total, question);
  for (std::size_t i = 0; i < why.layers.size(); ++i)
    text += (i == 0 ? "" : "\n") + in_full(why.layers[i], question);
  return text;
}

}  // namespace zz::host
