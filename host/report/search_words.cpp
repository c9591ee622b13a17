#include "host/report/search_words.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <map>
#include <string_view>

#include "core/multicore/explain/critical_chain.hpp"
#include "core/multicore/schedule/schedule.hpp"

namespace zz::host {
namespace {

/// "720", "2.1e9".
std::string count_text(double count) {
  if (count < 1e6) return fmt::format("{:.0f}", count);
  const int exponent = static_cast<int>(std::floor(std::log10(count)));
  return fmt::format("{:.2g}e{}", count / std::pow(10, exponent), exponent);
}

/// The part of its space that a search tried, over all rows that say so.
struct Share {
  double least = std::numeric_limits<double>::infinity(), most = 0;  ///< tried for a row
  double possible = 0;                                               ///< for a row, at most
  bool whole = true;

  Share(const std::vector<ResultRow>& rows, std::string_view tried, std::string_view of) {
    for (const ResultRow& row : rows) {
      const double number = row.metric(tried), all = row.metric(of);
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

/// The proofs, over all rows that say so.
struct Proof {
  std::size_t rows = 0, cut_off = 0;
  double gap = 0;           ///< the largest
  bool unrollings = false;  ///< there was a choice
  bool unbounded = false;   ///< of a figure that has no bound above 0
  bool mixed = false, any_factor = false;
  double within = 0;

  explicit Proof(const std::vector<ResultRow>& all) {
    for (const ResultRow& row : all) {
      if (std::isnan(row.gap)) continue;
      ++rows;
      cut_off += row.gap > 0 ? 1 : 0;
      gap = std::max(gap, row.gap);
      const bool prescribed = row.metric("optimum_spatial_prescribed") > 0;
      unrollings = unrollings || (row.metric("optimum_spatial_mappings") > 0 && !prescribed);
      unbounded = unbounded || row.metric("optimum_unbounded") > 0;
      mixed = mixed || row.metric("optimum_mixed") > 0;
      within = std::max(within, std::max(0.0, row.metric("optimum_within")));
      any_factor = any_factor || row.metric("optimum_any_factor") > 0;
    }
  }

  /// "All" competed of what is said to be proven. A search that was cut off has not looked at all.
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

/// "unfused 1.255 J, fused 0.477 J (-62 %)"
std::string change_words(const std::string& before, const std::string& after, double change) {
  return fmt::format("unfused {}, fused {} ({:+.2g} %)", before, after, 100 * change);
}

/// Savings of fused groups, or that there are none; "" where the layers were not fused, or not searched.
std::string fused_words(const std::vector<ResultRow>& rows) {
  double energy = 0, latency = 0;
  for (const ResultRow& row : rows) {
    energy += row.energy;
    latency += row.latency;
  }
  const auto figure = [&](std::string_view name) {
    return rows.empty() ? std::nan("") : rows.front().metric(name);
  };
  const double energy_before = figure("fused_unfused_energy"),
               latency_before = figure("fused_unfused_latency");
  if (std::isnan(energy_before)) return "";
  const double value = figure("fused_value"), bound = figure("fused_lower_bound"),
               gap = figure("fused_gap");
  const auto is = [&](double other) { return std::abs(value - other) <= 1e-6 * value; };
  // Rows of other networks beside them, or some of the layers, say nothing of the whole.
  if (!is(energy) && !is(latency) && !is(energy * latency)) return "";
  const auto cycles = [](double number) { return fmt::format("{:.0f} cycles", number); };
  const std::string least = is(energy)    ? core::energy_words(bound)
                            : is(latency) ? cycles(bound)
                                          : fmt::format("an EDP of {:.4g} pJ cycles", bound);
  const std::string proof =
      gap > 0 ? fmt::format("at most {} above the best (no mapping of these groups has less than {})",
                            gap_text(gap), least)
              : "proven best";
  if (!(figure("fused_groups") > 0))
    return fmt::format("nothing was fused: {} and {}, {}", core::energy_words(energy), cycles(latency),
                       proof);
  const std::string of_energy = change_words(core::energy_words(energy_before), core::energy_words(energy),
                                             energy / energy_before - 1);
  const std::string of_latency =
      change_words(cycles(latency_before), cycles(latency), latency / latency_before - 1);
  if (is(latency))
    return fmt::format("fused for latency: {}, {}; energy: {}", of_latency, proof, of_energy);
  if (is(energy)) return fmt::format("fused for energy: {}, {}; latency: {}", of_energy, proof, of_latency);
  return fmt::format("fused for energy times latency, {}: {}; {}", proof, of_energy, of_latency);
}

/// The distance of a search over cuts from the best, for each row with one: "no choice of cuts can be more
/// than 13 % faster".
void add_cut_words(const std::vector<ResultRow>& rows, std::vector<std::string>& lines) {
  for (const ResultRow& row : rows) {
    const double gap = row.metric("partition_gap"), bound = row.metric("partition_lower_bound");
    if (std::isnan(gap) || std::isnan(bound)) continue;
    const auto is_of = [&](const char* name) { return row.metric(name) == bound; };
    const char* const better = is_of("partition_latency_bound")  ? "faster"
                               : is_of("partition_energy_bound") ? "lower in energy"
                                                                 : "lower in energy times latency";
    const double least = gap > 0 ? 1 - 1 / (1 + gap) : 0;
    const std::string words_of_bound = least < 0.0005
                                           ? fmt::format("is {}", better)
                                           : fmt::format("can be more than {} {}", gap_text(least), better);
    std::string words = fmt::format(
        "no choice of cuts {} (of those that competed, with any cores and order)", words_of_bound);
    if (rows.size() > 1) words = row.layer + ": " + words;
    if (std::find(lines.begin(), lines.end(), words) == lines.end()) lines.push_back(std::move(words));
  }
}

/// Work on elements in a schedule, which costs nothing on one core: "8 add and 3 pooling layers ...".
void add_element_words(const std::vector<ResultRow>& rows, std::vector<std::string>& lines) {
  for (const ResultRow& row : rows) {
    const core::Evaluation* const evaluation = row.evaluation();
    const core::Schedule* const schedule = evaluation != nullptr ? evaluation->schedule.get() : nullptr;
    if (schedule == nullptr || schedule->graph == nullptr || schedule->accelerator == nullptr) continue;
    const auto layer_of = [&](const core::ScheduledNode& node) -> const core::Layer& {
      return *schedule->graph->layers[schedule->graph->nodes[node.node].layer].layer;
    };
    std::map<std::string, int> layers;
    for (const core::CutLayer& layer : schedule->graph->layers)
      if (layer.layer->vector_work) ++layers[layer.layer->type];
    if (layers.empty()) continue;
    double cycles = 0, on_chain = 0;
    for (const core::ScheduledNode& node : schedule->nodes)
      if (layer_of(node).vector_work) cycles += node.end - node.start;
    for (const core::ChainPart& part : core::critical_chain(*schedule))
      if (part.node >= 0 && !part.is_wait() && layer_of(schedule->nodes[part.node]).vector_work)
        on_chain += part.cycles();
    std::string what;
    for (const auto& [type, count] : layers)
      what += fmt::format("{}{} {}", what.empty() ? "" : ", ", count, type);
    lines.push_back(fmt::format(
        "work on elements counts here ({}): {:.0f} cycles of the cores, {:.1f} % of the critical "
        "chain; a run on one core has it for nothing, but with a vector unit",
        what, cycles, schedule->latency > 0 ? 100 * on_chain / schedule->latency : 0));
  }
}

}  // namespace

std::string gap_text(double gap) {
  if (std::isnan(gap)) return "-";
  if (std::isinf(gap)) return "no bound";
  return gap < 1 ? fmt::format("{:.2g} %", 100 * gap) : fmt::format("{:.0f} %", 100 * gap);
}

std::string range_words(const std::optional<core::EnergyRange>& range, double unit) {
  return range ? core::four_digits(range->low / unit) + " to " + core::four_digits(range->high / unit)
               : "-";
}

std::vector<std::string> search_words(const std::vector<ResultRow>& rows) {
  std::vector<std::string> lines;
  const Proof proof(rows);
  if (proof.rows > 0) {
    lines.push_back(proof.among());
    if (proof.within > 0) lines.push_back(proof.tie());
    lines.push_back(proof.left_out());
  }
  if (proof.cut_off > 0) lines.push_back(proof.cut());
  if (const std::string fused = fused_words(rows); !fused.empty()) lines.push_back(fused);
  add_cut_words(rows, lines);
  add_element_words(rows, lines);
  const Share unrollings(rows, "unrollings_tried", "unrollings_possible");
  const Share orders(rows, "orders_tried", "orders_possible");
  std::string tried;
  if (!unrollings.whole) tried = unrollings.text("unrollings");
  if (!orders.whole) tried += (tried.empty() ? "" : ", ") + orders.text("loop orders");
  if (!tried.empty()) lines.push_back(fmt::format("tried for each layer: {}", tried));
  return lines;
}

}  // namespace zz::host
