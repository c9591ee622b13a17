#include "host/report/search_words.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/quantities.hpp"
#include "core/cost/proof_space.hpp"
#include "core/multicore/explain/critical_chain.hpp"
#include "core/multicore/schedule/exchanges.hpp"
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

  void add(const ResultRow& row, std::string_view tried, std::string_view of) {
    const double number = row.metric(tried), all = row.metric(of);
    if (std::isnan(number) || std::isnan(all)) return;
    least = std::min(least, number);
    most = std::max(most, number);
    possible = std::max(possible, all);
    whole = whole && number >= all;
  }

  std::string text(const char* what) const {
    const std::string range =
        least < most ? fmt::format("{} to {}", count_text(least), count_text(most)) : count_text(most);
    return fmt::format("{} of {}{} {}", range, least < possible && least < most ? "up to " : "",
                       count_text(std::max(possible, most)), what);
  }
};

/// The space that the proof of a row ranged over.
core::ProofSpace space_of(const ResultRow& row) {
  std::optional<double> figure;
  if (const double space = row.metric("optimum_space"); !std::isnan(space)) figure = space;
  for (const std::string_view name : core::old_space_figures)
    if (const double told = row.metric(name); !std::isnan(told))
      core::take_old_space_figure(name, told, figure);
  // A proof that says nothing of unrollings was under one.
  return figure ? core::space_of_figure(*figure) : core::ProofSpace{.given = true, .dividing = true};
}

/// The proofs of rows over one space.
struct Proof {
  core::ProofSpace space;
  std::size_t rows = 0, best = 0,
              within_gap = 0;            ///< in all; proven best; as good as the setting `gap` asks
  double allowed = 0;                    ///< the largest such gap
  double open_gap = 0;                   ///< the largest of the others
  bool unbounded = false;                ///< of a figure that has no bound above 0
  bool tried = false, all_tried = true;  ///< unrollings, one by one
  double within = 0;
  std::size_t unbeaten = 0;  ///< where no other unrolling can be better
  // Rows whose other figure, by which one was chosen among the best,
  std::size_t second_even = 0, second_dividing = 0;  ///< was proven of these alone
  std::size_t second_open = 0;                       ///< was not proven
  double second_gap = 0;                             ///< the largest of these

  /// Rows of one space, whether or not other unrollings can be better, and whatever was proven of the other
  /// figure.
  bool takes(const ResultRow& row) const {
    return of_first(space_of(row)) == of_first(space) && tried == was_tried(row);
  }
  static core::ProofSpace of_first(core::ProofSpace space) {
    space.unbeaten = space.second_even = space.second_dividing = false;
    return space;
  }
  static bool was_tried(const ResultRow& row) { return !std::isnan(row.metric("unrollings_possible")); }

  void add(const ResultRow& row) {
    constexpr double rounding = 1e-9;
    ++rows;
    const core::ProofSpace own = space_of(row);
    unbeaten += own.unbeaten ? 1 : 0;
    space.unbeaten = unbeaten == rows;
    second_even += own.second_even ? 1 : 0;
    second_dividing += own.second_dividing ? 1 : 0;
    const double gap_allowed = std::max(0.0, row.metric("optimum_gap_allowed"));
    if (!(row.gap > 0)) {
      ++best;
    } else if (row.gap <= gap_allowed + rounding) {
      ++within_gap;
      allowed = std::max(allowed, gap_allowed);
    } else {
      open_gap = std::max(open_gap, row.gap);
    }
    unbounded = unbounded || row.metric("optimum_unbounded") > 0;
    within = std::max(within, std::max(0.0, row.metric("optimum_within")));
    if (const double gap = row.metric("optimum_second_gap"); gap > gap_allowed + rounding) {
      ++second_open;
      second_gap = std::max(second_gap, gap);
    }
    // One of one is a prescription.
    const double possible = row.metric("unrollings_possible");
    all_tried = all_tried && possible > 1 && row.metric("unrollings_tried") >= possible;
  }
  std::size_t cut_off() const { return rows - best - within_gap; }

  /// `all`: rows of any space. "All" competed of what is said to be proven. A search that was cut off has
  /// not looked at all.
  std::string among(std::size_t all, const std::string& what) const {
    const std::string competed = core::words_of(space, tried);
    const std::size_t proven = best + within_gap;
    const auto of_rows = [&](std::size_t some) { return fmt::format("{} of {} {}", some, all, what); };
    if (proven == 0) {
      constexpr std::string_view whole = "all ";
      const std::string space_words =
          competed.starts_with(whole) ? competed.substr(whole.size()) : competed;
      return rows == all ? "searched: " + space_words
                         : fmt::format("searched for {}: {}", of_rows(rows), space_words);
    }
    const std::string how =
        within_gap > 0 ? fmt::format("proven within {} of the best", gap_text(allowed)) : "proven best";
    if (proven == all) return fmt::format("{} among {}", how, competed);
    return fmt::format("{}: {}, among {}", how, of_rows(proven), competed);
  }

  std::string tie(std::size_t all, const std::string& what) const {
    const char* const other = space.for_energy == space.for_latency ? "least of the other figure"
                              : space.for_energy                    ? "least latency"
                                                                    : "least energy";
    std::vector<std::string> less;
    const auto add = [&](std::size_t some, const std::string& words) {
      if (some > 0)
        less.push_back(some == all ? words : fmt::format("for {} of {} {} {}", some, all, what, words));
    };
    add(second_even, "among even unrollings");
    add(second_dividing, "among tiles that divide their loop");
    add(second_open, fmt::format("at most {} more than the least", gap_text(second_gap)));
    // Where no proof says which is the best, they compete with the best that was found.
    const char* const found = best + within_gap < rows ? " found" : "";
    return fmt::format("chosen: of mappings at most {} above the best{}, the one with the {}{}",
                       gap_text(within), found, other,
                       less.empty() ? "" : fmt::format(" ({})", fmt::join(less, ", ")));
  }

  std::string left_out(std::size_t all, const std::string& what) const {
    std::vector<std::string> words = core::left_out(space, all_tried);
    if (words.empty()) return "";
    // Unrollings come first.
    if (unbeaten > 0 && unbeaten < rows)
      words.front() += fmt::format(" (for {} of {} {} none can be better)", unbeaten, all, what);
    const std::string of = rows == all ? "" : fmt::format(" for {} of {} {}", rows, all, what);
    return fmt::format("not compared{}: {}", of, fmt::join(words, ", "));
  }
};

/// The proofs, over all rows that say so; `what` the rows are.
class Proofs {
 public:
  explicit Proofs(std::string what) : what_(std::move(what)) {}

  void add(const ResultRow& row) {
    if (std::isnan(row.gap)) return;
    ++rows_;
    auto found =
        std::find_if(proofs_.begin(), proofs_.end(), [&](const Proof& proof) { return proof.takes(row); });
    if (found == proofs_.end()) {
      proofs_.push_back({.space = space_of(row), .tried = Proof::was_tried(row)});
      found = proofs_.end() - 1;
    }
    found->add(row);
  }

  /// `whose`: begins each line.
  void tell(std::vector<std::string>& lines, const std::string& whose = "") const {
    const auto add = [&](const std::string& line) {
      if (!line.empty()) lines.push_back(whose + line);
    };
    for (const Proof& proof : proofs_) {
      add(proof.among(rows_, what_));
      if (proof.within > 0) add(proof.tie(rows_, what_));
      add(proof.left_out(rows_, what_));
    }
    if (const std::size_t cut_off = number_cut_off(); cut_off > 0) add(cut(cut_off));
  }

 private:
  std::size_t number_cut_off() const {
    std::size_t number = 0;
    for (const Proof& proof : proofs_) number += proof.cut_off();
    return number;
  }

  std::string cut(std::size_t cut_off) const {
    double gap = 0;
    bool unbounded = false;
    for (const Proof& proof : proofs_) {
      gap = std::max(gap, proof.open_gap);
      unbounded = unbounded || proof.unbounded;
    }
    const std::string above =
        std::isinf(gap) ? "without a bound" : fmt::format("at most {} above the best", gap_text(gap));
    const char* const why = unbounded ? "with `compat` loading may take less than no time, so that latency "
                                        "and EDP have no bound above 0"
                                      : "a limit of the search cut the proof off";
    return fmt::format("not proven: {} of {} {}, {}; {}", cut_off, rows_, what_, above, why);
  }

  std::string what_;
  std::size_t rows_ = 0;
  std::vector<Proof> proofs_;  ///< by space, in the order in which rows have them
};

/// "unfused 1.255 J, fused 0.477 J (-62 %)"
std::string change_words(const std::string& before, const std::string& after, double change) {
  return fmt::format("unfused {}, fused {} ({:+.2g} %)", before, after, 100 * change);
}

/// Among what fused groups are as good as their line says, and what was left out.
void add_fused_space(const ResultRow& row, std::vector<std::string>& lines) {
  const core::ProofSpace space = space_of(row);
  if (!space.fused) return;
  lines.push_back("compared: " + core::words_of(space));
  lines.push_back(fmt::format("not compared: {}", fmt::join(core::left_out(space), ", ")));
}

/// The proofs of the pieces that run in a schedule, each once.
void add_piece_words(const std::vector<ResultRow>& rows, std::vector<std::string>& lines) {
  std::set<const core::Evaluation*> known;
  Proofs proofs("pieces");
  for (const ResultRow& row : rows) {
    const core::Evaluation* const evaluation = row.evaluation();
    const core::Schedule* const schedule = evaluation != nullptr ? evaluation->schedule.get() : nullptr;
    if (schedule == nullptr || schedule->graph == nullptr || schedule->costs == nullptr) continue;
    for (const core::CoreCost* cost : core::costs_of_nodes(*schedule)) {
      if (cost == nullptr || cost->evaluation == nullptr || !known.insert(cost->evaluation.get()).second)
        continue;
      ResultRow piece;
      piece.metrics = core::metrics_of(*cost->evaluation);
      piece.gap = piece.metric("optimum_gap");
      proofs.add(piece);
    }
  }
  proofs.tell(lines, "pieces on their cores: ");
}

/// Savings of fused groups, or that there are none; "" where the layers were not fused, or not searched.
/// `first`: of the rows, which have this energy and latency together.
std::string fused_words(const ResultRow& first, double energy, double latency) {
  const auto figure = [&](std::string_view name) { return first.metric(name); };
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
    return fmt::format("fused for latency: {}, {}; energy: {}, as these mappings have it", of_latency,
                       proof, of_energy);
  if (is(energy))
    return fmt::format("fused for energy: {}, {}; latency: {}, as these mappings have it", of_energy, proof,
                       of_latency);
  return fmt::format("fused for energy times latency, {}: {}; {}", proof, of_energy, of_latency);
}

/// The distance of a search over cuts from the best, for each row with one: "no choice of cuts can be more
/// than 13 % faster". `several`: there are other rows.
void add_cut_words(const std::vector<ResultRow>& rows, bool several, std::vector<std::string>& lines) {
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
    if (several) words = row.layer + ": " + words;
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
  return core::percent_text(gap);
}

std::string range_words(const std::optional<core::EnergyRange>& range, double unit) {
  return range ? core::four_digits(range->low / unit) + " to " + core::four_digits(range->high / unit)
               : "-";
}

struct SearchWords::Told {
  Proofs proofs{"layers"};
  Share unrollings, orders;
  std::size_t rows = 0;
  ResultRow first;
  double energy = 0, latency = 0;    ///< of all rows
  std::vector<ResultRow> over_cuts;  ///< searched over cuts, or schedules
};

SearchWords::SearchWords() : told_(std::make_unique<Told>()) {}
SearchWords::~SearchWords() = default;
SearchWords::SearchWords(SearchWords&&) noexcept = default;
SearchWords& SearchWords::operator=(SearchWords&&) noexcept = default;

void SearchWords::add(const ResultRow& row) {
  if (told_->rows++ == 0) told_->first = row;
  told_->proofs.add(row);
  told_->unrollings.add(row, "unrollings_tried", "unrollings_possible");
  told_->orders.add(row, "orders_tried", "orders_possible");
  told_->energy += row.energy;
  told_->latency += row.latency;
  const core::Evaluation* const evaluation = row.evaluation();
  const bool is_schedule = evaluation != nullptr && evaluation->schedule != nullptr;
  if (is_schedule || !std::isnan(row.metric("partition_gap"))) told_->over_cuts.push_back(row);
}

std::vector<std::string> SearchWords::lines() const {
  std::vector<std::string> lines;
  told_->proofs.tell(lines);
  if (const std::string fused = fused_words(told_->first, told_->energy, told_->latency); !fused.empty()) {
    lines.push_back(fused);
    add_fused_space(told_->first, lines);
  }
  add_cut_words(told_->over_cuts, told_->rows > 1, lines);
  add_piece_words(told_->over_cuts, lines);
  add_element_words(told_->over_cuts, lines);
  std::string tried;
  if (!told_->unrollings.whole) tried = told_->unrollings.text("unrollings");
  if (!told_->orders.whole) tried += (tried.empty() ? "" : ", ") + told_->orders.text("loop orders");
  if (!tried.empty()) lines.push_back(fmt::format("tried for each layer: {}", tried));
  return lines;
}

std::vector<std::string> search_words(const std::vector<ResultRow>& rows) {
  SearchWords words;
  for (const ResultRow& row : rows) words.add(row);
  return words.lines();
}

}  // namespace zz::host
