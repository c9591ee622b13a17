#include "host/report/why_words.hpp"

#include <cctype>
#include <cmath>
#include <fmt/format.h>

#include "core/base/text.hpp"
#include "core/cost/part_words.hpp"
#include "host/report/search_words.hpp"
#include "host/report/text_table.hpp"

namespace zz::host {

std::string with_commas(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  for (std::size_t at = digits.size();
       at > 3 && std::isdigit(static_cast<unsigned char>(digits[at - 4])) != 0;)
    digits.insert(at -= 3, ",");
  return digits;
}

namespace {

std::string arithmetic_or(const core::EnergyPart& part, const std::string& words) {
  return part.memory.empty() ? "arithmetic" : words;
}

std::string shares_text(Shares<std::string>& amounts, double whole, std::size_t most) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& [words, amount] : amounts.sorted()) {
    if (shown++ == most || percent(amount, whole) < 0.5) break;
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", words, percent(amount, whole));
  }
  return text;
}

/// Costs that were filled in are known within ranges, and so is what they add up to.
std::string with_range(const ResultRow& row) {
  const std::string energy = energy_words(row.energy);
  const auto& range = row.energy_range;
  if (!range) return energy;
  return fmt::format("{} ({} to {}, by the ranges of the costs that were filled in)", energy,
                     energy_words(range->low), energy_words(range->high));
}

}  // namespace

std::string energy_line(const ResultRow& row) {
  const core::Evaluation& evaluation = *row.evaluation();
  std::string text = "Energy: " + with_range(row);
  if (evaluation.energy_parts.empty()) return text + "; where it goes is not known.\n";
  Shares<std::string> places, reasons;
  double unknown = evaluation.energy_total;  // where a stage changed it
  for (const core::EnergyPart& part : evaluation.energy_parts) {
    places.add(arithmetic_or(part, part.memory + " " + part.operand), part.pJ);
    reasons.add(arithmetic_or(part, part.because), part.pJ);
    unknown -= part.pJ;
  }
  if (std::abs(unknown) > 1e-9 * evaluation.energy_total) {
    places.add("not known", unknown);
    reasons.add("not known", unknown);
  }
  return core::printable_line(text + "; " + shares_text(places, evaluation.energy_total, 3) + "; " +
                              shares_text(reasons, evaluation.energy_total, 4)) +
         "\n";
}

std::string energy_table(const core::Evaluation& evaluation) {
  std::vector<core::EnergyPart> parts = evaluation.energy_parts;
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.pJ > b.pJ; });
  TextTable table({{"energy", true}, {"share", true}, {"where"}, {"what"}, {"why"}});
  for (const core::EnergyPart& part : parts)
    table.add_row(
        {energy_words(part.pJ), fmt::format("{:.1f} %", percent(part.pJ, evaluation.energy_total)),
         arithmetic_or(part, part.memory),
         part.operand.empty() ? "" : core::words_of_use(part.operand, part.direction), part.because});
  return table.text();
}

}  // namespace zz::host
