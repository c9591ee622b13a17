#include "host/report/why_mapping.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/base/text.hpp"
#include "core/cost/part_words.hpp"
#include "host/report/run_summary.hpp"
#include "host/report/text_table.hpp"
#include "host/report/why_words.hpp"

namespace zz::host {
namespace {

std::string headline_of_mapping(const Why& why) {
  const core::Evaluation& evaluation = *why.evaluation;
  const double latency = evaluation.latency_total2;
  std::string text =
      fmt::format("{}: {} cycles", core::printable_line(why.row.layer), with_commas(latency));
  const std::vector<core::Limit> limits = core::limits_of(evaluation);
  if (evaluation.latency_parts.empty()) return text + "; what limits it is not known.\n";
  text += fmt::format("; with every unit busy {} ({:.1f} %). Limited by",
                      with_commas(evaluation.ideal_cycle), percent(evaluation.ideal_cycle, latency));
  text += fmt::format(" {} ({:.0f} %)", core::words_of(limits[0], evaluation),
                      percent(limits[0].cycles, latency));
  if (limits.size() > 1 && limits[1].cycles > limits[0].cycles / 2)
    text += fmt::format(", then {} ({:.0f} %)", core::words_of(limits[1], evaluation),
                        percent(limits[1].cycles, latency));
  return core::printable_line(text + ".") + "\n";
}

/// Parts that take less than a hundredth of the latency are one line.
std::string latency_lines(const core::Evaluation& evaluation) {
  Shares<std::pair<std::string, std::string>> parts;
  for (const core::LatencyPart& part : evaluation.latency_parts) {
    const core::PartWords words = core::words_of(part);
    parts.add({words.what, words.where}, part.cycles);
  }
  for (const core::Limit& limit : core::limits_of(evaluation))
    if (limit.limiter.empty()) parts.add({core::limiter_words(""), ""}, limit.cycles);
  const double latency = evaluation.latency_total2;
  std::string text;
  const auto add = [&](double cycles, const std::string& what, const std::string& where) {
    std::string line = fmt::format("  {:>5.1f} %  {:>14}  {:<18}  {}", percent(cycles, latency),
                                   with_commas(cycles), what, where);
    line.erase(line.find_last_not_of(' ') + 1);
    text += core::printable_line(line) + "\n";
  };
  double others = 0;
  for (const auto& [words, cycles] : parts.sorted()) {
    if (cycles >= latency / 100)
      add(cycles, words.first, words.second);
    else
      others += cycles;
  }
  if (others > 0) add(others, "others", "less than 1 % each");
  return text;
}

/// True if zz can evaluate it again, or a part of it.
bool is_known(const Why& why) { return why.helps.repeatable > 0; }

std::string helps_text(const Why& why, const WhyQuestion& question) {
  std::string not_known;
  for (const std::string& sentence : why.helps.not_known)
    not_known += core::printable_line(fmt::format(
                     "{}: {}.", is_known(why) ? "Not known" : "What would help is not known", sentence)) +
                 "\n";
  if (!is_known(why)) return not_known;
  if (why.helps.found.empty())
    return fmt::format("What would help: no single change {}saves {:.3g} %.\n{}",
                       not_known.empty() ? "" : "that could be costed ", 100 * question.least, not_known);
  TextTable table({{"What would help"}, {"cycles", true}, {"saves", true}, {"mapping"}});
  for (const core::Help& help : why.helps.found)
    table.add_row({help.change, with_commas(help.latency),
                   fmt::format("{:.1f} %", percent(help.saved, why.row.latency)),
                   help.mapping + (help.kind == "memory" ? ", cost of an access kept" : "")});
  const bool searched =
      std::any_of(why.helps.found.begin(), why.helps.found.end(),
                  [](const core::Help& help) { return help.mapping.starts_with("searched"); });
  const std::string among = searched ? fmt::format("(searched: among {})\n", why.helps.among) : "";
  return table.text() + among + not_known;
}

}  // namespace

std::string mapping_in_full(const Why& why, const WhyQuestion& question) {
  std::string text = headline_of_mapping(why) + latency_lines(*why.evaluation) + helps_text(why, question) +
                     energy_line(why.row);
  if (question.energy && !why.evaluation->energy_parts.empty()) text += energy_table(*why.evaluation);
  if (!why.proven && !why.evaluation->latency_parts.empty()) text += fmt::format("({})\n", not_proven_best);
  return text;
}

std::string what_helps_most(const Why& layer) {
  if (!is_known(layer)) return "not known";
  if (layer.helps.found.empty()) return "-";
  const core::Help& help = layer.helps.found.front();
  return fmt::format("{:.1f} %: {}", percent(help.saved, layer.row.latency), help.change);
}

}  // namespace zz::host
