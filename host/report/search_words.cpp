#include "host/report/search_words.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <limits>

namespace zz::host {
namespace {

/// "720", "2.1e9".
std::string count_text(double count) {
  if (count < 1e6) return fmt::format("{:.0f}", count);
  const int exponent = static_cast<int>(std::floor(std::log10(count)));
  return fmt::format("{:.2g}e{}", count / std::pow(10, exponent), exponent);
}

/// How much of its space a search tried, over all rows that say so.
struct Share {
  double least = std::numeric_limits<double>::infinity(), most = 0;  ///< tried for a row
  double possible = 0;                                               ///< for a row, at most
  bool whole = true;

  Share(const std::vector<SummaryRow>& rows, std::string_view tried, std::string_view of) {
    for (const SummaryRow& row : rows) {
      const double number = metric_of(row, tried), all = metric_of(row, of);
      if (std::isnan(number) || std::isnan(all)) continue;
      least = std::min(least, number);
      most = std::max(most, number);
      possible = std::max(possible, all);
      whole = whole && number >= all;
    }
  }

  std::string text(const char* what) const {
    const std::string range =
        least < most ? fmt::format("{} to {}", count_text(least), count_text(most)) : count_text(most);
    return fmt::format("{} of {}{} {}", range, least < possible && least < most ? "up to " : "",
                       count_text(std::max(possible, most)), what);
  }
};

/// What was proven, over all rows that say so.
struct Proof {
  std::size_t rows = 0, cut_off = 0;
  double gap = 0;           ///< the largest
  bool unrollings = false;  ///< there was a choice
  bool unbounded = false;   ///< of a figure that has no bound above 0
  bool mixed = false, any_factor = false;
  double within = 0;

  explicit Proof(const std::vector<SummaryRow>& all) {
    for (const SummaryRow& row : all) {
      if (std::isnan(row.gap)) continue;
      ++rows;
      cut_off += row.gap > 0 ? 1 : 0;
      gap = std::max(gap, row.gap);
      const bool prescribed = metric_of(row, "optimum_spatial_prescribed") > 0;
      unrollings = unrollings || (metric_of(row, "optimum_spatial_mappings") > 0 && !prescribed);
      unbounded = unbounded || metric_of(row, "optimum_unbounded") > 0;
      mixed = mixed || metric_of(row, "optimum_mixed") > 0;
      within = std::max(within, std::max(0.0, metric_of(row, "optimum_within")));
      any_factor = any_factor || metric_of(row, "optimum_any_factor") > 0;
    }
  }

  /// Of what is said to be proven "all" competed. A search that was cut off has not looked at all.
  std::string among() const {
    const std::string along = mixed ? "also of several loops" : "of one loop";
    const std::string spatial = unrollings ? fmt::format("{}unrollings ({} along an array dimension), ",
                                                         any_factor ? "" : "even ", along)
                                           : "";
    const std::string space = fmt::format("{}loop orders and cuts between memories", spatial);
    if (cut_off == rows) return "searched: " + space;
    if (cut_off == 0) return "proven best among all " + space;
    return fmt::format("proven best: {} of {} layers, among all {}", rows - cut_off, rows, space);
  }

  std::string tie() const {
    return fmt::format(
        "chosen: of mappings at most {} above the best, the one with the least of the other figure",
        gap_text(within));
  }

  std::string left_out() const {
    const char* const spatial =
        !unrollings  ? "other unrollings, "
        : any_factor ? "what a mapping file rules out, "
                     : "what a mapping file rules out, unrollings that leave rounds partly empty, ";
    return fmt::format("not compared: {}tiles that do not divide their loop", spatial);
  }

  std::string cut() const {
    const std::string above =
        std::isinf(gap) ? "without a bound" : fmt::format("at most {} above the best", gap_text(gap));
    const char* const why = unbounded ? "with `compat` loading may take less than no time, so that latency "
                                        "and EDP have no bound above 0"
                                      : "a limit of the search cut the proof off";
    return fmt::format("not proven: {} of {} layers, {}; {}", cut_off, rows, above, why);
  }
};

}  // namespace

std::string gap_text(double gap) {
  if (std::isnan(gap)) return "-";
  if (std::isinf(gap)) return "no bound";
  return gap < 1 ? fmt::format("{:.2g} %", 100 * gap) : fmt::format("{:.0f} %", 100 * gap);
}

double metric_of(const SummaryRow& row, std::string_view name) {
  const auto found = std::find_if(row.metrics.begin(), row.metrics.end(),
                                  [&](const auto& metric) { return metric.first == name; });
  return found == row.metrics.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
}

std::vector<std::string> search_words(const std::vector<SummaryRow>& rows) {
  std::vector<std::string> lines;
  const Proof proof(rows);
  if (proof.rows > 0) {
    lines.push_back(proof.among());
    if (proof.within > 0) lines.push_back(proof.tie());
    lines.push_back(proof.left_out());
  }
  if (proof.cut_off > 0) lines.push_back(proof.cut());
  const Share unrollings(rows, "unrollings_tried", "unrollings_possible");
  const Share orders(rows, "orders_tried", "orders_possible");
  std::string tried;
  if (!unrollings.whole) tried = unrollings.text("unrollings");
  if (!orders.whole) tried += (tried.empty() ? "" : ", ") + orders.text("loop orders");
  if (!tried.empty()) lines.push_back(fmt::format("tried for each layer: {}", tried));
  return lines;
}

}  // namespace zz::host
